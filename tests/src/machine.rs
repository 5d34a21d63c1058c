//! Machines for tests that would change the networks of this one.
//!
//! A machine with surroundings: a network namespace connected to another one with a web server and a resolver. Changes
//! to it affect nothing else, and vanish with it.

#![expect(clippy::missing_panics_doc, reason = "errors panic in test support")]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::skip::skipped;

/// Its own mounts, `/run`, `/sys`, and interfaces. `resolv.conf` is writable.
const MACHINE: &str = "set -e
mount --make-rprivate /
mount -t tmpfs none /run
mkdir -p /run/netns
mount -t sysfs none /sys
echo nameserver 203.0.113.1 >/run/resolv.conf
mount --bind /run/resolv.conf /etc/resolv.conf
ip link set lo up
ip netns add world
ip link add eth0 mtu 1400 type veth peer name world mtu 1400 netns world
ip address add 203.0.113.2/24 dev eth0
ip link set eth0 up
ip -n world address add 203.0.113.1/24 dev world
ip -n world address add 192.0.2.80/32 dev lo
ip -n world link set world up
ip -n world link set lo up
ip route add default via 203.0.113.1
echo ready
exec sleep 600";

/// Resolves `www.example.test` to 192.0.2.80, and reports over HTTP who requested what. Arguments: `dns` or `http`,
/// address, port, and an interface if it is for this one only.
const SERVICE: &str = r#"
import http.server, socket, struct, sys
kind, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
if kind == "http":
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(f"{port}: {self.path} for {self.client_address[0]}".encode())
    server = http.server.ThreadingHTTPServer((address, port), Handler)
    print("ready", flush=True)
    server.serve_forever()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if len(sys.argv) > 4:
    s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, sys.argv[4].encode())
s.bind((address, port))
print("ready", flush=True)
while True:
    query, client = s.recvfrom(512)
    end, labels = 12, []
    while query[end]:
        labels.append(query[end + 1:end + 1 + query[end]].decode())
        end += query[end] + 1
    kind = struct.unpack(">H", query[end + 1:end + 3])[0]
    is_known = ".".join(labels) == "www.example.test" and kind == 1
    record = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 5, 4) + socket.inet_aton("192.0.2.80")
    head = query[:2] + b"\x81\x80" + struct.pack(">HHHH", 1, int(is_known), 0, 0)
    s.sendto(head + query[12:end + 5] + (record if is_known else b""), client)
"#;

/// Its own interfaces, processes and names of `ip netns`.
const ALONE: &str = "set -e
mkdir -p /run/netns
mount -t tmpfs none /run/netns
ip link set lo up
exec \"$@\"";

/// Where [`alone`] has returned.
#[derive(Debug, PartialEq, Eq)]
pub enum Alone {
    /// In the isolated process: run the test.
    Here,
    /// In the original process: the test has run.
    Done,
}

/// Runs the test of this binary with this name in a process with its own interfaces, processes and names of network
/// namespaces. They end with it, even if it is killed, so that they never disturb the next run.
///
/// # Panics
/// The test fails there.
#[must_use]
pub fn alone(test: &str) -> Alone {
    const VARIABLE: &str = "WATTLE_TEST_ALONE";
    if std::env::var_os(VARIABLE).is_some_and(|name| name == test) {
        return Alone::Here;
    }
    let mut command = Command::new("unshare");
    command.args(["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", ALONE, "sh"]);
    command.arg(std::env::current_exe().expect("this binary is a file")).args(["--exact", test, "--nocapture"]);
    let child = command.env(VARIABLE, test).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("starts");
    let output = child.wait_with_output().expect("ends");
    let said = String::from_utf8_lossy(&output.stdout);
    // The test harness does not fail for an unknown test name.
    assert!(output.status.success() && said.contains("1 passed"), "{test}: {said}");
    Alone::Done
}

/// A machine with surroundings.
pub struct Machine {
    keeper: Child,
    services: Vec<Child>,
}

impl Machine {
    /// Creates one with a web server (`http://www.example.test/`) and a resolver (203.0.113.1) outside; its own address
    /// is 203.0.113.2. Returns `None` where that is impossible, and reports that the test is skipped.
    pub fn new(what: &str) -> Option<Self> {
        if !crate::running::can_make_networks() {
            skipped(what, "it needs root, iproute2, nftables and a kernel that gives out namespaces");
            return None;
        }
        let mut command = Command::new("unshare");
        let mut keeper = ready(command.args(["--mount", "--net", "sh", "-c", MACHINE]));
        if keeper.try_wait().expect("waits").is_some() {
            skipped(what, "no machine with an outside can be made here");
            return None;
        }
        let mut machine = Self { keeper, services: Vec::new() };
        machine.serve(&["ip", "netns", "exec", "world"], &["http", "192.0.2.80", "80"]);
        machine.serve(&["ip", "netns", "exec", "world"], &["dns", "203.0.113.1", "53"]);
        Some(machine)
    }

    /// Starts a service of the machine: `dns` or `http`, address, port, and an interface if it is for this one only.
    pub fn service(&mut self, args: &[&str]) {
        self.serve(&[], args);
    }

    fn serve(&mut self, place: &[&str], args: &[&str]) {
        let mut words = self.enter();
        words.extend(place.iter().map(|word| (*word).to_owned()));
        let mut command = Command::new(&words[0]);
        let mut child = ready(command.args(&words[1..]).args(["python3", "-c", SERVICE]).args(args));
        assert!(child.try_wait().expect("waits").is_none(), "{args:?} does not start");
        self.services.push(child);
    }

    /// The command prefix that runs a program on it.
    pub fn enter(&self) -> Vec<String> {
        let pid = self.keeper.id();
        vec!["nsenter".into(), format!("--mount=/proc/{pid}/ns/mnt"), format!("--net=/proc/{pid}/ns/net")]
    }

    /// Runs a script on it, and returns the output.
    pub fn run(&self, script: &str) -> String {
        let words = self.enter();
        let output = Command::new(&words[0]).args(&words[1..]).args(["sh", "-c", script]).output().expect("starts");
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Its complete network configuration.
    pub fn state(&self) -> String {
        self.run(
            "ip -oneline link | sed 's/qdisc.*//'; ip -oneline -4 address; ip -4 route show table all; ip rule; \
             nft list ruleset; grep -H . /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv4/conf/*/forwarding \
             /proc/sys/net/ipv4/conf/*/route_localnet; find /run | sort; cat /etc/resolv.conf",
        )
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        for child in self.services.iter_mut().chain([&mut self.keeper]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Starts a command and waits until it prints a line or ends.
fn ready(command: &mut Command) -> Child {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("starts");
    let mut line = String::new();
    let said = BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line);
    if said.is_ok_and(|length| length == 0) {
        let _ = child.wait();
    }
    child
}
