//! A ZooKeeper ensemble.
#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::parts::zookeeper::{Ensemble, Member, Signed};
use wattle_tests::command::{apart, wattle};
use wattle_tests::running::{Ran, Stage, to_its_end};

use crate::stage::{Judges, can_run, down, heat_takes, network, server, up, value};

/// Three members.
#[blueprint]
pub(crate) fn coordination(t: &mut Topology) -> Exports {
    exports(&members(t, Signed::ByItself))
}

/// Whose certificates they have.
#[derive(Parameters)]
pub(crate) struct Ours {
    #[parameter]
    certificate: Parameter<String>,
    #[parameter]
    key: Parameter<Secret<String>>,
}

/// The same with an existing authority.
#[blueprint]
pub(crate) fn certified(t: &mut Topology, p: Ours) -> Exports {
    exports(&members(t, Signed::By { certificate: p.certificate, key: p.key }))
}

fn members(t: &mut Topology, signed: Signed) -> Vec<Member> {
    let network = network(t);
    let servers = ["a", "b", "c"].map(|name| server(t, name, network)).to_vec();
    t.add("zookeeper", Ensemble { servers, signed })
}

fn exports(members: &[Member]) -> Exports {
    Exports::new().entry("connect", members[0].connect).entry("third", members[2].authority).entry("ca", members[0].ca)
}

pub(crate) fn heat(judges: &mut Judges) {
    heat_takes(judges, &coordination.model(Default::default()));
    heat_takes(judges, &certified.model(Default::default()));
}

fn can_be_run() -> bool {
    can_run(
        "parts: ZooKeeper",
        &["/usr/bin/java", "/usr/bin/openssl", "/usr/share/java/zookeeper.jar", "/usr/share/java/netty-handler.jar"],
    )
}

/// The addresses of the members.
fn authorities(stage: &Stage) -> [String; 3] {
    ["a", "b", "c"].map(|server| value(stage, &format!("{server}/zookeeper/authority")))
}

/// Runs `wattle` as an operator of a data space in the ensemble.
fn operator(place: &Path, args: &[&str]) -> Ran {
    let mut command = Command::new(wattle());
    to_its_end(apart(command.args(args).current_dir(place), place))
}

/// The answer of the member to `openssl s_client` with these arguments.
fn shaken(authority: &str, args: &[&str]) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", "printf srvr | timeout 10 openssl s_client -quiet -verify_return_error \"$@\"", "ask"]);
    to_its_end(command.args(["-connect", authority]).args(args))
}

/// The answer to a plain-text request.
fn in_clear(authority: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(authority).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    let _ = stream.write_all(b"srvr");
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said);
    said
}

/// The folder of a component on its server.
fn folder(stage: &Stage, server: &str, component: &str) -> PathBuf {
    let path = value(stage, &format!("{server}/zookeeper-key/path"));
    Path::new(&path).parent().and_then(Path::parent).unwrap().join(component)
}

#[test]
fn members_agree_by_tls_and_speak_nothing_else() {
    if !can_be_run() {
        return;
    }
    let stage = up(&coordination.model(Default::default()), "");
    let members = authorities(&stage);
    let hosts = value(&stage, "b/zookeeper/connect");
    assert_eq!(hosts, members.join(","));
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("ca.pem"), value(&stage, "c/zookeeper/ca") + "\n").unwrap();
    let ca = place.path().join("ca.pem").display().to_string();

    // An operator who trusts the authority writes at one member, and reads it at another.
    let seed = Stage::new(&hello::hello.model(Default::default()));
    for file in ["seed.yaml", "environment.yaml"] {
        fs::copy(seed.path().join(file), place.path().join(file)).unwrap();
    }
    let space = |member: &str| format!("zookeeper+tls://{member}");
    let ran = operator(place.path(), &["seed", "apply", ".", "--space", &space(&members[0]), "--ca", "ca.pem"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    for member in [&members[2], &hosts] {
        let ran = operator(place.path(), &["ls", "--space", &space(member), "--ca", "ca.pem", "--key", "operator.key"]);
        assert!(ran.code == Some(0) && ran.out.contains("greeting  (not written)"), "{ran}");
    }
    let ran = operator(place.path(), &["ls", "--space", &format!("zookeeper://{hosts}")]);
    assert!(ran.code != Some(0), "{ran}");

    let modes: Vec<u32> = ["a", "b", "c"]
        .iter()
        .flat_map(|server| {
            let (key, member) = (folder(&stage, server, "zookeeper-key"), folder(&stage, server, "zookeeper"));
            [key.clone(), key.join("key.pem"), member.join("server.pem")]
        })
        .map(|file| fs::metadata(file).unwrap().permissions().mode() & 0o777)
        .collect();
    assert_eq!(modes, [0o700, 0o600, 0o600].repeat(3));
    // Each key is only on its own server, and the authority's key only on the first one.
    let key = |server| fs::read_to_string(folder(&stage, server, "zookeeper-key").join("key.pem")).unwrap();
    assert!(key("a") != key("b") && key("b") != key("c"));
    assert!(!folder(&stage, "b", "zookeeper-authority").exists());

    for (server, member) in ["a", "b", "c"].iter().zip(&members) {
        let host = member.rsplit_once(':').unwrap().0;
        let shown = shaken(member, &["-CAfile", &ca, "-verify_ip", host]);
        assert!(shown.out.contains("Mode: "), "{shown}");
        let other = members.iter().find(|other| *other != member).unwrap().rsplit_once(':').unwrap().0;
        let shown = shaken(member, &["-CAfile", &ca, "-verify_ip", other]);
        assert!(!shown.out.contains("Mode: ") && shown.err.contains("mismatch"), "{server}: {shown}");
        // Neither clients nor members get a plain-text connection. Only the leader listens on one of these ports.
        assert!(TcpStream::connect(format!("{host}:2181")).is_err(), "{server}");
        for port in ["2281", "2888", "3888"] {
            let place = format!("{host}:{port}");
            if port == "2888" && TcpStream::connect(&place).is_err() {
                continue;
            }
            let said = String::from_utf8_lossy(&in_clear(&place)).into_owned();
            assert!(!said.contains("Mode") && said.len() < 20, "{place}: {said}");
        }
        let stranger = shaken(&format!("{host}:3888"), &["-CAfile", &ca]);
        assert!(
            stranger.err.contains("certificate required") || stranger.err.contains("bad certificate"),
            "{stranger}"
        );
    }
    down(&stage, &members.each_ref().map(String::as_str));
}

#[test]
fn an_authority_that_is_there_signs_for_members() {
    if !can_be_run() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let ran = operator(place.path(), &["ca", "new"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let stage = Stage::new(&certified.model(Default::default()));
    let files = ["certificate=ca.pem", "key=ca.key"].map(|file| {
        let (name, file) = file.split_once('=').unwrap();
        format!("{name}={}", place.path().join(file).display())
    });
    let up = ["up", "--detach", "--until-done", "--parameter-file", &files[0], "--parameter-file", &files[1]];
    let ran = stage.run(&up);
    assert_eq!(ran.code, Some(0), "{ran}");
    let members = authorities(&stage);
    // Operators knew this authority before any member existed.
    let space = format!("zookeeper+tls://{}", members.join(","));
    let ran = operator(place.path(), &["ls", "--space", &space, "--ca", "ca.pem"]);
    assert!(ran.err.contains("holds no stack"), "{ran}");
    let other = tempfile::tempdir().unwrap();
    assert_eq!(operator(other.path(), &["ca", "new"]).code, Some(0));
    let ran = operator(other.path(), &["ls", "--space", &space, "--ca", "ca.pem"]);
    assert!(ran.code == Some(1) && ran.err.contains("certificate"), "{ran}");
    down(&stage, &members.each_ref().map(String::as_str));
}
