//! Hosts set up by real cloud-init: see `tests/cloudinit/lab`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;

use crate::skip::skipped;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/cloudinit");

/// Several hosts, and a bridge between them on which a test has an address. All of it is removed when dropped.
#[derive(Debug)]
pub struct Lab {
    id: String,
    folder: TempDir,
    root: PathBuf,
    children: Vec<Child>,
}

/// Counts the labs of this process.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// The address of the bridge, where services outside of the hosts can listen.
pub const BRIDGE: &str = "127.1.0.254";

impl Lab {
    /// Creates so many hosts, none of them booted. Where that is impossible, reports it and returns `None`.
    ///
    /// # Panics
    /// The root file system or the network of the hosts cannot be created.
    pub fn start(hosts: usize) -> Option<Self> {
        if let Some(missing) = missing() {
            skipped("hosts for cloud-init", &format!("they need {missing}"));
            return None;
        }
        let root = Command::new(format!("{SCRIPTS}/root")).stderr(Stdio::inherit()).output().expect("a script runs");
        assert!(root.status.success(), "the root file system of the hosts cannot be made");
        let root = String::from_utf8(root.stdout).expect("a path").trim_end().into();
        let id = format!("wl{}n{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = tempfile::Builder::new().prefix("cloudinit-").tempdir().expect("there is room for a folder");
        let lab = Self { id, folder, root, children: Vec::new() };
        let made = lab.script("net").arg(hosts.to_string()).status().expect("a script runs");
        assert!(made.success(), "the network of the hosts cannot be made");
        Some(lab)
    }

    fn script(&self, request: &str) -> Command {
        let mut command = Command::new(format!("{SCRIPTS}/lab"));
        command.arg(request).arg(&self.id).stdin(Stdio::null());
        command
    }

    /// The address of a host, counted from 1.
    pub fn address(host: usize) -> String {
        format!("127.1.0.{host}")
    }

    /// A folder for the test's own files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Debian as every host finds it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a file that a host wrote.
    pub fn written(&self, host: usize, path: &str) -> PathBuf {
        self.folder.path().join(format!("host{host}/upper{path}"))
    }

    /// The text of a file that a host wrote; empty if there is none.
    pub fn text(&self, host: usize, path: &str) -> String {
        fs::read(self.written(host, path)).map_or(String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Puts a file into a host that has not booted yet, as an image could contain it.
    ///
    /// # Panics
    /// The file cannot be written.
    pub fn put(&self, host: usize, path: &str, from: &Path) {
        let to = self.written(host, path);
        fs::create_dir_all(to.parent().expect("a file lies in a folder")).expect("there is room for a folder");
        fs::copy(from, to).expect("there is room for a file");
    }

    /// Boots a host whose OpenStack metadata gives it the name `name` and the network with the identity `network`.
    ///
    /// # Panics
    /// The boot cannot be started.
    pub fn boot(&mut self, host: usize, name: &str, network: &str, user_data: &str) {
        let dir = self.folder.path().join(format!("host{host}"));
        let drive = dir.join("drive/openstack/latest");
        fs::create_dir_all(&drive).expect("there is room for a folder");
        let meta_data = json!({
            "uuid": format!("00000000-0000-4000-8000-{host:012}"), "name": name, "hostname": format!("{name}.novalocal"),
            "availability_zone": "nova", "launch_index": 0,
        });
        let network_data = json!({
            "links": [{"id": "tap0", "type": "ovs", "mtu": 1500, "ethernet_mac_address": format!("fa:16:3e:00:00:{host:02x}")}],
            "networks": [{"id": "network0", "type": "ipv4", "link": "tap0", "network_id": network,
                "ip_address": Self::address(host), "netmask": "255.255.0.0", "routes": []}],
            "services": [],
        });
        let write = |name: &str, text: &str| fs::write(drive.join(name), text).expect("there is room for a file");
        write("user_data", user_data);
        write("meta_data.json", &meta_data.to_string());
        write("network_data.json", &network_data.to_string());
        let mut command = self.script("boot");
        command.arg(host.to_string()).arg(&dir).arg(&self.root).arg(name);
        self.children.push(command.spawn().expect("a script runs"));
    }

    /// Returns cloud-init's status once it has finished on a host, and the console output.
    ///
    /// # Panics
    /// It takes more than two minutes.
    pub fn booted(&self, host: usize) -> (String, String) {
        let console = || {
            let log = self.folder.path().join(format!("host{host}/boot.log"));
            String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned()
        };
        until(Duration::from_mins(2), || !self.text(host, "/opt/lab/cloud-init").is_empty())
            .unwrap_or_else(|| panic!("cloud-init is not through with host {host}:\n{}", console()));
        (self.text(host, "/opt/lab/cloud-init"), console())
    }

    /// A command on the network of a host (0: on the bridge), with the file system of this machine.
    pub fn command(&self, host: usize, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = self.script("exec");
        command.arg(host.to_string()).arg(program);
        command
    }

    /// Starts a command on the network of a host, which ends with the lab together with all its processes.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn spawn(&mut self, host: usize, program: impl AsRef<std::ffi::OsStr>, set: impl FnOnce(&mut Command)) {
        let mut command = self.script("run");
        command.arg(host.to_string()).arg(program);
        set(&mut command);
        self.children.push(command.spawn().expect("a script runs"));
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = self.script("down").status();
    }
}

/// A missing requirement, if any.
fn missing() -> Option<&'static str> {
    let works = |program: &str, arguments: &[&str]| {
        let quiet = || Stdio::null();
        let status = Command::new(program).args(arguments).stdin(quiet()).stdout(quiet()).stderr(quiet()).status();
        status.is_ok_and(|status| status.success())
    };
    if !works("sh", &["-c", "[ $(id -u) = 0 ]"]) {
        Some("root")
    } else if !works("debootstrap", &["--version"]) {
        Some("Debian's package debootstrap")
    } else if !works("ip", &["-V"]) {
        Some("Debian's package iproute2")
    } else if !works("mke2fs", &["-V"]) {
        Some("Debian's package e2fsprogs")
    } else if !works("unshare", &["--mount", "--uts", "--ipc", "--pid", "--net", "--fork", "true"]) {
        Some("a kernel that gives out namespaces")
    } else {
        None
    }
}

/// Waits until `is_so`; returns `None` if it takes longer than `patience`.
pub fn until(patience: Duration, mut is_so: impl FnMut() -> bool) -> Option<()> {
    let start = Instant::now();
    while !is_so() {
        if start.elapsed() > patience {
            return None;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Some(())
}
