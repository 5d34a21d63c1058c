//! Images from `release/image`: of Debian 11 and 12, and of Ubuntu 24.04 if a mirror is given, each with the agent.
//! They are uploaded by the commands from the book.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::{neutron, nova};
use wattle_tests::command::{repository, said, wattle};
use wattle_tests::openstack::has_guests;
use wattle_tests::skip::skipped;

use super::{CONFIG_DRIVE, Guests, METADATA_SERVICE, lab};

/// A system, its release, and the server that runs it.
#[derive(Clone, Copy)]
struct System {
    /// `ID` and `VERSION_ID` in `/etc/os-release`.
    name: &'static str,
    release: &'static str,
    server: &'static str,
    /// Whether it contains the agent as a package, and not just the program.
    has_package: bool,
    source: &'static str,
}

const SYSTEMS: [System; 3] = [
    System { name: "debian 12", release: "bookworm", server: "alice", has_package: true, source: METADATA_SERVICE },
    System { name: "debian 11", release: "bullseye", server: "bob", has_package: true, source: CONFIG_DRIVE },
    System { name: "ubuntu 24.04", release: "noble", server: "carol", has_package: false, source: METADATA_SERVICE },
];

/// A mirror of Ubuntu's packages, and the file with its keys.
const UBUNTU: [&str; 2] = ["WATTLE_UBUNTU_MIRROR", "WATTLE_UBUNTU_KEYRING"];

impl System {
    /// The options of `release/image` for it, if it can be created here.
    fn options(self) -> Option<Vec<String>> {
        let mut options = vec!["--release".to_owned(), self.release.to_owned()];
        if self.name.starts_with("ubuntu") {
            let [mirror, keyring] = UBUNTU.map(|variable| std::env::var(variable).ok());
            options.extend(["--mirror".to_owned(), mirror?, "--keyring".to_owned(), keyring?]);
        }
        Some(options)
    }

    /// Its name in the cloud.
    fn image(self) -> String {
        format!("{}-wattle", self.release)
    }

    /// Creates an image of it, and uploads it.
    fn made(self, options: &[String], release: &Path, folder: &Path) {
        let folder = folder.join(self.release);
        fs::create_dir_all(folder.join("image")).expect("a folder");
        fs::copy(lab().join("image/key.pub"), folder.join("image/key.pub")).expect("copies");
        let is_meant = |path: &PathBuf| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            name.starts_with("wattle-agent") && name.ends_with(if self.has_package { ".deb" } else { "-linux" })
        };
        let files = fs::read_dir(release).expect("a folder").map(|entry| entry.expect("an entry").path());
        let agent = files.into_iter().find(is_meant).expect("the agent");
        // The lab's network, in which this runs, does not reach the mirrors.
        let outside = std::env::var("OPENSTACK_LAB_OUTSIDE").expect("`lab exec` says where that is");
        let mut image = Command::new("nsenter");
        image.arg(format!("--net={outside}")).arg(repository().join("release/image"));
        image.args(options).arg("--agent").arg(agent).args(["--include", "openssh-server,jq", "--customize"]);
        said(image.arg(repository().join("tests/openstack/lib/guest.sh")).arg(folder.join("image")));
        let commands = commands().replace("debian-12-wattle", &self.image()).replace("debian-12", self.release);
        said(Command::new("bash").args(["-euc", &commands]).current_dir(&folder));
        if self.source == CONFIG_DRIVE {
            let drive = ["image", "set", "--property", "img_config_drive=mandatory", &self.image()];
            said(Command::new("openstack").args(drive));
        }
    }
}

/// The commands on the page about images.
fn commands() -> String {
    let page = fs::read_to_string(repository().join("docs/how-to/image.md")).expect("reads");
    let (_, rest) = page.split_once("```sh\n").expect("commands");
    rest.split_once("```").expect("their end").0.to_owned()
}

/// A release whose agent has no dependencies on the system. It is not optimized, which would take half an hour.
fn release(folder: &Path) -> PathBuf {
    let musl = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let target = repository().join("target");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "build",
        "--locked",
        "--offline",
        "--package",
        "wattle-runtime",
        "--bin",
        "wattle-agent",
        "--target",
        &musl,
    ]);
    said(cargo.current_dir(repository()).env("CARGO_TARGET_DIR", &target));
    let (binaries, out) = (folder.join("binaries"), folder.join("release"));
    fs::create_dir(&binaries).expect("a folder");
    fs::copy(target.join(musl).join("debug/wattle-agent"), binaries.join("wattle-agent")).expect("copies");
    fs::copy(wattle(), binaries.join("wattle")).expect("copies");
    said(Command::new(repository().join("release/make")).arg("--binaries").arg(&binaries).arg(&out));
    out
}

/// Servers of these systems: one writes a greeting, the others read it.
#[blueprint]
fn meeting(t: &mut Topology) -> Exports {
    let net = t.add("net", neutron::Net::new());
    let subnet = t.add("subnet", neutron::Subnet::new(net).cidr("10.0.0.0/24"));
    let access = neutron::SecurityGroup::new().rule(neutron::Rule::tcp(22));
    let access = t.add("access", access);
    let mut greeting = None;
    for system in SYSTEMS.into_iter().filter(|system| system.options().is_some()) {
        let port = neutron::Port::new(net).subnet(subnet).security_group(access);
        let port = t.add(format!("port-{}", system.server), port);
        let server = nova::Server::new().image(system.image()).flavor("m1.small").port(port);
        let server = t.add(system.server, server);
        match greeting {
            None => greeting = Some(t.on(server).run("greeter", hello::Greeter::new().name(system.name)).greeting),
            Some(greeting) => {
                t.on(server).run("listener", hello::Listener::new().greeting(greeting));
            }
        }
    }
    Exports::new().entry("greeting", greeting.expect("there are systems"))
}

#[test]
fn images_of_several_systems_boot_in_guests_of_a_real_openstack() {
    if !has_guests("images of several systems") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let release = release(folder.path());
    let mut there = Vec::new();
    for system in SYSTEMS {
        match system.options() {
            Some(options) => {
                system.made(&options, &release, folder.path());
                there.push(system);
            }
            None => skipped(&format!("an image of {}", system.name), &format!("it needs {}", UBUNTU.join(" and "))),
        }
    }
    let guests = Guests::new(&meeting.model(Default::default()));
    let ran = guests.deployed(&[]);
    let greeting = ran.export("greeting");
    assert!(greeting.starts_with("hello debian 12, this is "), "{greeting}");
    for system in there {
        let os = guests.on(system.server, ". /etc/os-release; echo $ID $VERSION_ID").expect("it can be asked");
        assert_eq!((&*os, &*guests.source(system.server)), (system.name, system.source));
        println!("{}: {}", system.name, guests.beginning(system.server));
    }
    guests.destroyed();
    for system in SYSTEMS.into_iter().filter(|system| system.options().is_some()) {
        let all = ["-wattle", "-kernel", "-ramdisk"].map(|ending| format!("{}{ending}", system.release));
        said(Command::new("openstack").args(["image", "delete"]).args(all));
    }
}
