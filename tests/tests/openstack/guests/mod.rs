//! Servers that boot: QEMU, cloud-init, the agent, and recipes on a real system.

mod by_hand;
mod images;
mod shop;
mod silent;
mod space;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::Value;
use wattle::model::Model;
use wattle_tests::guests::{self, LAB};
use wattle_tests::openstack::Named;
use wattle_tests::running::Ran;
use wattle_tests::site::{NOTHING, Site};

use super::KEY;

/// The timeout of a deployment: each server boots without KVM.
const LONGEST: Duration = Duration::from_mins(40);

/// The timeout until a rebooted server works again.
const REBOOT: Duration = Duration::from_mins(15);

/// Cloud-init's possible data sources.
const CONFIG_DRIVE: &str = "DataSourceConfigDrive [net,ver=2][source=/dev/sr0]";
const METADATA_SERVICE: &str = "DataSourceOpenStackLocal [net,ver=2]";

/// A stack whose servers boot.
struct Guests {
    site: Site<Named>,
}

impl Guests {
    fn new(model: &Model) -> Self {
        Self { site: Site::with_space_at(model, Named, &Named::password(), LAB) }
    }

    /// Deploys the stack, including its software.
    fn deployed(&self, options: &[&str]) -> Ran {
        let ran = self.site.ask_patiently(&[&["deploy", ".", "--yes"], options].concat(), LONGEST);
        assert_eq!(ran.code, Some(0), "{ran}");
        ran
    }

    /// The address of a server on its network.
    fn address(&self, server: &str) -> String {
        let (id, there) = (self.site.server(server), self.site.there());
        let server = there["servers"].iter().find(|server| server["id"] == *id).expect("it is there");
        let networks = server["addresses"].as_object().expect("networks");
        let all = networks.values().filter_map(Value::as_array).flatten();
        let fixed =
            all.filter(|address| address["OS-EXT-IPS:type"] == "fixed").find_map(|address| address["addr"].as_str());
        fixed.expect("an address").to_owned()
    }

    /// Runs a command on a server.
    fn ran_on(&self, server: &str, command: &str) -> Output {
        let mut ssh = Command::new("ssh");
        ssh.arg("-i").arg(lab().join("image/key")).args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=20"]);
        // Each new server has another host key.
        ssh.args(["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"]);
        ssh.arg(format!("root@{}", self.address(server))).arg(command).output().expect("ssh runs")
    }

    /// The output of a command on a server, if the server is reachable and the command succeeds.
    fn on(&self, server: &str, command: &str) -> Option<String> {
        let ran = self.ran_on(server, command);
        ran.status.success().then(|| String::from_utf8_lossy(&ran.stdout).trim().to_owned())
    }

    /// The data source of cloud-init on a server.
    fn source(&self, server: &str) -> String {
        self.on(server, "jq -r .v1.datasource /run/cloud-init/status.json").expect("cloud-init has run")
    }

    /// The part of a server's timeline since its kernel started that concerns its agent.
    fn beginning(&self, server: &str) -> String {
        let began = "systemctl show -p InactiveExitTimestampMonotonic -p ExecMainStartTimestampMonotonic wattle-agent; \
                     journalctl --no-pager -o short-monotonic -u wattle-agent | head -n 6; systemd-analyze time | head -n 1; \
                     systemd-analyze blame | grep -E 'cloud-|ifup|networking|wait-online'";
        self.on(server, began).expect("it can be asked")
    }

    fn destroyed(&self) {
        let ran = self.site.ask_patiently(&["destroy", "--yes", KEY[0], KEY[1]], LONGEST);
        assert_eq!(ran.code, Some(0), "{ran}");
        assert_eq!(self.site.counts(), NOTHING);
    }
}

/// The folder of the lab.
fn lab() -> PathBuf {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/.cache/openstack");
    std::env::var_os("OPENSTACK_LAB_DIR").map_or_else(|| own.into(), PathBuf::from)
}

/// The options that make servers download the agent of the tests.
fn agent_by_url(folder: &Path) -> Vec<String> {
    let given = guests::agent_by_url(folder).into_iter();
    given.flat_map(|(name, value)| ["-P".to_owned(), format!("{name}={value}")]).collect()
}
