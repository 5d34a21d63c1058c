//! `wattle space`, and `--space new`: a data space for users without one. Its servers are network namespaces of this
//! machine, in which the test takes the place of cloud-init.
#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

mod folder;
mod lost;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use wattle::author::Blueprint as _;
use wattle_cloud::Setting;
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::session::Call;
use wattle_openstack::{Cloud, Method, Session};
use wattle_runtime::openstack::Http;
use wattle_tests::cloud::CloudServer;
use wattle_tests::command::{apart, wattle};
use wattle_tests::machine::{self, Alone};
use wattle_tests::running::{Ran, Stage, to_its_end};
use wattle_tests::site::{Ground as _, PASSWORD};
use wattle_tests::skip::skipped;

/// A user with a cloud and nothing else.
struct Beginner {
    stage: Stage,
    cloud: CloudServer,
}

/// Processes that the members' recipes have started on this machine, and their networks.
struct Guests {
    place: tempfile::TempDir,
    scripts: Vec<Child>,
}

/// The first three numbers of every address.
const NETWORK: &str = "10.99.87";

/// This machine's interface on the servers' network, with the address of that network's gateway in the cloud.
const BRIDGE: &str = "wattle-space";

fn ip(words: &str) -> bool {
    let done = Command::new("ip").args(words.split(' ')).stdout(Stdio::null()).stderr(Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}

/// Creates a namespace with this address on the network.
fn host(name: &str, address: &str) {
    let last = address.rsplit('.').next().unwrap();
    for words in [
        format!("netns add {name}"),
        format!("link add ws{last} type veth peer name eth0 netns {name}"),
        format!("link set ws{last} master {BRIDGE} up"),
        format!("-n {name} address add {address}/24 dev eth0"),
        format!("-n {name} link set eth0 up"),
        format!("-n {name} link set lo up"),
    ] {
        assert!(ip(&words), "ip {words}");
    }
}

impl Drop for Guests {
    fn drop(&mut self) {
        for script in &mut self.scripts {
            let _ = script.kill();
            let _ = script.wait();
        }
        for member in fs::read_dir(self.place.path()).into_iter().flatten().flatten() {
            if let Ok(pid) = fs::read_to_string(member.path().join("zookeeper.pid")) {
                let _ = Command::new("kill").args(["-9", pid.trim()]).status();
            }
        }
    }
}

impl Beginner {
    fn new() -> Self {
        Self::with(Setting::default())
    }

    /// A user in a cloud with this setting.
    fn with(setting: Setting) -> Self {
        let stage = Stage::new(&three_tier::three_tier.model(Default::default()));
        let cloud = CloudServer::start(Setting { takes: Duration::from_millis(100), ..setting });
        fs::write(stage.path().join("clouds.yaml"), cloud.clouds("demo")).unwrap();
        Self { stage, cloud }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(wattle());
        command.args(args).current_dir(self.stage.path()).stdin(Stdio::null());
        for (variable, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("OS_")) {
            command.env_remove(variable);
        }
        apart(&mut command, self.stage.path());
        command
    }

    fn ask(&self, args: &[&str]) -> Ran {
        to_its_end(&mut self.command(args))
    }

    /// Creates a network in the cloud whose addresses are on this machine.
    fn network(&self, name: &str, cidr: &str) {
        let sources =
            CloudConfig { clouds: Some(("clouds.yaml".into(), self.cloud.clouds("demo"))), ..CloudConfig::default() };
        let cloud = Cloud::choose(&sources, None).unwrap();
        let wire = Http::new(&cloud).unwrap();
        let session = Session::new(cloud, std::sync::Arc::new(wire), Duration::from_secs(5));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let make = |path: &'static str, body| {
            runtime.block_on(session.call(Call::new("network", Method::Post, path).body(body))).unwrap()
        };
        let network = make("/networks", json!({ "network": { "name": name } }));
        let id = &network["network"]["id"];
        make("/subnets", json!({ "subnet": { "network_id": id, "ip_version": 4, "cidr": cidr } }));
    }

    /// Does the work of cloud-init on the first `count` servers.
    fn boot(&self, count: usize) -> Guests {
        let place = tempfile::tempdir().unwrap();
        for words in [
            format!("link add {BRIDGE} type bridge"),
            format!("address add {NETWORK}.1/24 dev {BRIDGE}"),
            format!("link set {BRIDGE} up"),
        ] {
            assert!(ip(&words), "ip {words}");
        }
        // The services run as separate users.
        fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let begun = Instant::now();
        let servers = loop {
            let servers = self.cloud.world().servers();
            if servers.len() == count {
                break servers;
            }
            assert!(begun.elapsed() < Duration::from_mins(2), "there are {} servers", servers.len());
            std::thread::sleep(Duration::from_millis(100));
        };
        let mut scripts = Vec::new();
        for server in servers {
            let home = place.path().join(&server.name);
            fs::create_dir(&home).unwrap();
            let script = STANDARD.decode(server.user_data.as_deref().unwrap()).unwrap();
            fs::write(home.join("user_data"), script).unwrap();
            let log = fs::File::create(home.join("log")).unwrap();
            host(&server.name, server.addresses().next().unwrap());
            let script = Command::new("ip")
                .args(["netns", "exec", &server.name, "sh"])
                .arg(home.join("user_data"))
                .env("WATTLE_SPACE_FOLDER", home.join("own"))
                .env("WATTLE_STATE_DIR", &home)
                .stdout(log.try_clone().unwrap())
                .stderr(log)
                .spawn()
                .unwrap();
            scripts.push(script);
        }
        Guests { place, scripts }
    }
}

fn can_run() -> bool {
    let needs = ["/usr/bin/java", "/usr/share/java/zookeeper.jar", "/usr/share/java/netty-handler.jar"];
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let can = is_root && ip("netns list") && needs.iter().all(|file| Path::new(file).exists());
    if !can {
        skipped("deploy: a data space of one's own", "it needs root and the packages that tests/run installs");
    }
    can
}

#[test]
fn whoever_has_no_data_space_gets_one() {
    if !can_run() || machine::alone("space::whoever_has_no_data_space_gets_one") == Alone::Done {
        return;
    }
    let beginner = Beginner::new();
    let deploy = ["deploy", ".", "--yes", "--infrastructure-only", "-P", PASSWORD, "--space", "new"];
    // Of the commands with `--space new`, only `deploy` creates a data space.
    let ran = beginner.ask(&["status", "--space", "new"]);
    assert!(ran.code == Some(2) && ran.err.contains("`wattle space new` makes one"), "{ran}");
    beginner.network("here", &format!("{NETWORK}.0/24"));
    let mut making = beginner.command(&["space", "new", "--network", "here", "--yes"]);
    let mut making = making.stderr(Stdio::piped()).spawn().unwrap();
    let guests = beginner.boot(3);
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = making.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > Duration::from_mins(4) {
            making.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    let said = std::io::read_to_string(making.stderr.take().unwrap()).unwrap();
    let log = || {
        fs::read_dir(guests.place.path()).unwrap().map(|at| fs::read_to_string(at.unwrap().path().join("log")).unwrap())
    };
    assert!(status.success(), "{said}\n{}", log().collect::<String>());
    assert!(said.contains("✓ zookeeper3 created (OS::Nova::Server"), "{said}");
    let address = fs::read_to_string(beginner.stage.path().join("wattle-space/address")).unwrap();
    assert!(address.starts_with(&format!("zookeeper+tls://{NETWORK}.")) && address.contains("?ca=/"), "{address}");
    // Repeated, the command finds nothing to do, and refuses other choices.
    let ran = beginner.ask(&["space", "new"]);
    assert!(ran.code == Some(0) && ran.err.contains(address.trim()), "{ran}");
    let ran = beginner.ask(&["space", "new", "--flavor", "m1.large"]);
    assert!(ran.code == Some(2) && ran.err.contains("was chosen before"), "{ran}");
    // One command deploys into it.
    let ran = beginner.ask(&deploy);
    assert!(ran.code == Some(0) && ran.err.contains("✓ web created"), "{ran}");
    let ran = beginner.ask(&["drift", "--space", address.trim(), "--key", "operator.key"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let ran = beginner.ask(&["destroy", "--yes", "--space", "new", "--key", "operator.key"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(beginner.cloud.world().servers().len(), 3);
    let ran = beginner.ask(&["space", "destroy", "--yes"]);
    assert!(ran.code == Some(0) && ran.out.contains("is gone"), "{ran}");
    assert_eq!(beginner.cloud.world().servers().len(), 0);
    assert!(!beginner.stage.path().join("wattle-space").exists());
    let ran = beginner.ask(&["space", "destroy", "--yes"]);
    assert!(ran.code == Some(2) && ran.err.contains("is not the folder of a data space"), "{ran}");
}

#[test]
fn what_a_data_space_is_to_run_on_is_judged_before_anything_is_made() {
    let beginner = Beginner::new();
    let ran = beginner.ask(&["deploy", "nowhere", "--yes", "--space", "new"]);
    assert!(ran.code == Some(2) && ran.err.contains("nowhere"), "{ran}");
    let ran = beginner.ask(&["space", "new"]);
    assert!(ran.code == Some(2) && ran.err.contains("pass `--yes`"), "{ran}");
    assert!(ran.err.contains("3 servers of the flavor `m1.small` and the image"), "{ran}");
    assert!(ran.err.contains("the image `debian-12`"), "an image is shown by its name: {ran}");
    for (option, wrong, meant) in
        [("--flavor", "m1.smal", "m1.small"), ("--image", "debian-21", "debian-12"), ("--network", "privat", "private")]
    {
        let ran = beginner.ask(&["space", "new", option, wrong]);
        let help = format!("did you mean `{meant}`?");
        assert!(ran.code == Some(2) && ran.err.contains(wrong) && ran.err.contains(&help), "{ran}");
    }
    assert!(!beginner.stage.path().join("wattle-space").exists());
}
