//! Common code of the tests of parts.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use wattle::check::{Limits, check};
use wattle::lower::{Lowered, lower};
use wattle::model::Model;
use wattle::prelude::*;
use wattle_catalog::nova;
use wattle_catalog::parts::network::{PrivateNet, PrivateNetwork};
use wattle_tests::native;
use wattle_tests::openstack::RealHeat;
use wattle_tests::oracle::{Oracle, write};
use wattle_tests::running::{self, Stage};
use wattle_tests::skip::{is_root, skipped};

/// What decides whether Heat accepts a model.
pub(crate) struct Judges {
    pub(crate) oracle: Oracle,
    real: Option<RealHeat>,
}

impl Judges {
    /// With Heat's engine, which validates.
    pub(crate) fn new() -> Self {
        Self { oracle: Oracle::start(), real: None }
    }

    /// Also with a Heat that creates stacks.
    pub(crate) fn with_real_heat() -> Self {
        Self { real: Some(RealHeat::new()), ..Self::new() }
    }
}

/// Asserts that a model has no diagnostics and that Heat accepts it in either lowering; returns its template, and
/// Heat's answer.
pub(crate) fn heat_takes(judges: &mut Judges, model: &Model) -> (Lowered, Value) {
    assert_eq!(check(model, &native::limits()), []);
    if let Some(heat) = &judges.real {
        heat.lives(model, &Default::default());
    }
    let oracle = &mut judges.oracle;
    native::heat_takes(oracle, model);
    assert_eq!(check(model, &Limits::default()), []);
    let lowered = lower(model, &Default::default());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let answer = oracle.validate(&write(&lowered, folder.path(), false));
    assert_eq!(answer["ok"], true, "Heat refuses `{}`: {}: {}", model.stack, answer["error"], answer["message"]);
    (lowered, answer)
}

/// Whether software can be installed and run here; if not, the test is skipped, and reports it.
pub(crate) fn can_run(test: &str, programs: &[&str]) -> bool {
    let missing: Vec<_> = programs.iter().filter(|program| !Path::new(program).exists()).collect();
    if !is_root() || !missing.is_empty() {
        skipped(test, &format!("it needs root and the packages that tests/run installs; missing: {missing:?}"));
        return false;
    }
    true
}

/// A network for the servers of a test.
pub(crate) fn network(t: &mut Topology) -> PrivateNet {
    t.add("inside", PrivateNetwork { cidr: "10.0.0.0/24", external: "public" })
}

/// A server on it, with its address.
pub(crate) fn server(t: &mut Topology, name: &str, network: PrivateNet) -> (nova::Server, Attribute<IpAddr>) {
    let server = nova::Server::new().image("debian-12").flavor("m1.small").network(network.net);
    let server = t.add(name, server);
    (server, server.address(network.net))
}

/// An export of the stage's stack.
pub(crate) fn value(stage: &Stage, entry: &str) -> String {
    let got = stage.ask(&["get", entry]);
    assert_eq!(got.code, Some(0), "{got}");
    got.out.trim_end().to_owned()
}

/// Brings a stack up in the background, with all of its parameters named `*password` set to `password`.
pub(crate) fn up(model: &Model, password: &str) -> Stage {
    up_in("auto", model, password)
}

/// The same, in the machine's own network, in which its servers reach the test's listeners on the loopback interface.
pub(crate) fn up_here(model: &Model, password: &str) -> Stage {
    up_in("loopback", model, password)
}

fn up_in(network: &str, model: &Model, password: &str) -> Stage {
    let stage = Stage::new(model);
    let passwords: Vec<String> = model.parameters.keys().map(|name| format!("{name}={password}")).collect();
    let mut args = vec!["up", "--detach", "--until-done", "--network", network];
    args.extend(passwords.iter().flat_map(|password| ["--parameter", password]));
    let up = stage.run(&args);
    assert_eq!(up.code, Some(0), "{up}");
    stage
}

/// Takes it down, and checks that nothing listens at `urls` any more.
pub(crate) fn down(stage: &Stage, urls: &[&str]) {
    let authorities: Vec<String> = urls.iter().map(|url| authority(url)).collect();
    assert!(authorities.iter().all(|authority| TcpStream::connect(authority).is_ok()), "{authorities:?}");
    let down = stage.run(&["down"]);
    assert_eq!((down.code, down.err.as_str()), (Some(0), ""), "{down}");
    assert_eq!(stage.processes(""), Vec::<i32>::new());
    for authority in authorities {
        assert!(TcpStream::connect(&authority).is_err(), "somebody still listens at {authority}");
    }
}

/// `HOST:PORT` of a URL.
pub(crate) fn authority(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('/').next().expect("a host");
    rest.rsplit('@').next().expect("a host").to_owned()
}

/// Runs a client program with its own environment, and returns its output.
pub(crate) fn client(program: &str, environment: &[(&str, &str)], args: &[&str]) -> String {
    let ran = running::to_its_end(Command::new(program).args(args).envs(environment.iter().copied()));
    assert_eq!(ran.code, Some(0), "{program} {args:?}: {ran}");
    ran.out.trim_end().to_owned()
}

/// A server behind a proxy: answers each request with `word`, until the test ends.
pub(crate) fn upstream(word: &'static str) -> String {
    serve(word.into())
}

/// A web server that answers each request with `body`, until the test ends.
pub(crate) fn serve(body: Vec<u8>) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            // A client that is still writing when its connection is closed may lose the response. A proxy that only
            // checks for a listener sends nothing.
            let mut head = BufReader::new(&stream).lines().map_while(Result::ok);
            if head.any(|line| line.is_empty()) {
                let _ = write!(stream, "HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
                let _ = stream.write_all(&body);
            }
        }
    });
    format!("http://{address}/")
}
