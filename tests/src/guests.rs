//! Services for servers that boot in the lab: [`crate::openstack::boots`].

#![expect(clippy::missing_panics_doc, reason = "helpers for tests fail by panicking")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use crate::command::{said, wattle_agent};

/// The address at which guests reach the lab.
pub const LAB: &str = "10.77.0.1";

/// The name of that address, as the resolver of the guests' subnets knows it.
pub const LAB_NAME: &str = "files.lab.example";

/// The parameters by which servers download the agent of the tests, with their values. The process serves it until it ends.
pub fn agent_by_url(folder: &Path) -> [(&'static str, String); 2] {
    let agent = folder.join("agent");
    fs::copy(wattle_agent(), &agent).expect("copies");
    said(Command::new("strip").arg(&agent));
    let sum = said(Command::new("sha256sum").arg(&agent));
    let sum = sum.split_whitespace().next().expect("a sum");
    let url = serve(fs::read(&agent).expect("reads"));
    [("wattle_agent_url", url), ("wattle_agent_sha256", sum.to_owned())]
}

/// Serves these bytes for any request until the process ends.
fn serve(bytes: Vec<u8>) -> String {
    let listener = TcpListener::bind((LAB, 0)).expect("listens");
    let url = format!("http://{}/wattle-agent", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", bytes.len());
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&bytes));
        }
    });
    url
}
