//! An emitted stack, its operator, and its servers' agents as real processes.

use std::fs;
use std::net::{IpAddr, UdpSocket};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use wattle::author::Blueprint as _;
use wattle_tests::command::{apart, wattle, wattle_agent};
use wattle_tests::running::{Ran, Stage, to_its_end};

/// An address of this machine other than the loopback.
pub(crate) fn address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    // Connecting a UDP socket sends nothing.
    socket.connect("198.51.100.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

/// The lowered example `hello`.
pub(crate) struct Place {
    stage: Stage,
    agents: Vec<Child>,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { stage: Stage::new(&hello::hello.model(Default::default())), agents: Vec::new() }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.stage.path().join(name)
    }

    /// Runs a command of the operator.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let mut command = Command::new(wattle());
        apart(command.args(args).current_dir(self.stage.path()), self.stage.path());
        to_its_end(&mut command)
    }

    /// A parameter that `seed apply` has written for Heat.
    pub(crate) fn parameter(&self, parameter: &str) -> String {
        let text = fs::read_to_string(self.at("credentials.yaml")).unwrap();
        let found = text.lines().find_map(|line| line.trim_start().strip_prefix(&format!("{parameter}: ")));
        serde_json::from_str(found.unwrap_or_else(|| panic!("there is no {parameter} in {text}"))).unwrap()
    }

    /// The identity of a server, from its user data.
    pub(crate) fn identity(&self, server: &str) -> Value {
        json!({
            "stack": "hello",
            "server": server,
            "space": self.parameter("wattle_space"),
            "ca": self.parameter("wattle_space_ca"),
            "credential": self.parameter(&format!("\"{server}\"")),
        })
    }

    /// A server's agent with this identity.
    pub(crate) fn agent(&self, identity: &Value) -> Command {
        let server = identity["server"].as_str().unwrap();
        let folder = self.at(server);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("identity.json"), identity.to_string()).unwrap();
        let mut command = Command::new(wattle_agent());
        apart(&mut command, self.stage.path());
        command.arg("agent").arg("--identity").arg(folder.join("identity.json"));
        command.arg("--state").arg(folder.join("agent")).env("WATTLE_STATE_DIR", folder.join("state"));
        command.stdin(Stdio::null());
        command
    }

    /// Starts the agents of all servers with their user data.
    pub(crate) fn start(&mut self) {
        for server in ["alice", "bob"] {
            let mut agent = self.agent(&self.identity(server));
            self.agents.push(agent.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        }
    }

    /// Kills the agents.
    pub(crate) fn stop(&mut self) {
        for mut agent in self.agents.drain(..) {
            let _ = agent.kill();
            let _ = agent.wait();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.stop();
    }
}
