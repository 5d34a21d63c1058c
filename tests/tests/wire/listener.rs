//! An attacker's store that records TLS traffic.

use std::io::{BufRead as _, BufReader};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::pretender::Pretender;

/// Accepts TLS connections, and forwards the plain text.
const UNVEIL: &str = "
import socket, ssl, sys, threading
pem, host, port = sys.argv[1], *sys.argv[2].rsplit(':', 1)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(pem)
server = socket.create_server(('127.0.0.1', 0))
print(server.getsockname()[1], flush=True)
def pass_on(one, other):
    try:
        while said := one.recv(65536):
            other.sendall(said)
    except OSError:
        pass
    other.close()
def serve(client):
    try:
        client = context.wrap_socket(client, server_side=True)
    except (OSError, ssl.SSLError):
        return
    behind = socket.create_connection((host, int(port)))
    threading.Thread(target=pass_on, args=(client, behind), daemon=True).start()
    pass_on(behind, client)
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
";

/// An attacker's store with a valid certificate, which records messages.
pub(crate) struct Listener {
    python: Child,
    port: String,
    behind: Pretender,
}

impl Listener {
    pub(crate) fn start(pem: &Path) -> Self {
        let behind = Pretender::start(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let mut python = Command::new("python3");
        python.args(["-c", UNVEIL]).arg(pem).arg(behind.host());
        let mut python = python.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(python.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { python, port: port.trim().to_owned(), behind }
    }

    /// The address of the data space that it impersonates.
    pub(crate) fn space(&self) -> String {
        format!("zookeeper+tls://127.0.0.1:{}", self.port)
    }

    /// The received passwords of `name`; empty if there are none yet.
    pub(crate) fn heard_so_far(&self, name: &str) -> Vec<String> {
        let heard = self.behind.heard();
        let mark = format!("{name}:");
        let after = heard.split(&mark).skip(1);
        let mut found: Vec<String> = after.map(|rest| rest.chars().take(64).collect()).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The same, but there must be at least one.
    pub(crate) fn heard(&self, name: &str) -> Vec<String> {
        let found = self.heard_so_far(name);
        assert!(!found.is_empty(), "no login was heard: {:?}", self.behind.heard());
        found
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.python.kill();
        let _ = self.python.wait();
    }
}
