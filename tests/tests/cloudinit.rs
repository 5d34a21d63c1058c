//! From a template to running software: what `emit` wrote goes through Heat's own engine, cloud-init on several hosts,
//! the agent and a real ZooKeeper.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use wattle::author::Blueprint;
use wattle::lower::{Options, lower};
use wattle_tests::lab::{BRIDGE, Lab, until};
use wattle_tests::oracle;

const PASSWORD: &str = "db_password=s3:cr\"et\\ 'x";

/// What the blueprint emits, in a folder.
fn emit(folder: &Path) -> PathBuf {
    fs::create_dir_all(folder).expect("there is room for a folder");
    let lowered = lower(&three_tier::three_tier.model(Default::default()), &Options::default());
    let template = oracle::write(&lowered, folder, false);
    lowered.seed.write(File::create(folder.join("seed.yaml")).expect("a new file")).expect("a seed is written");
    template
}

/// The user data of each server, as Nova would get it from Heat.
fn user_data(environments: &[&Path], given: &[&str], template: &Path) -> BTreeMap<String, String> {
    let stack = oracle::create(environments, given, template);
    assert_eq!(stack["status"], "CREATE_COMPLETE", "{stack:#}");
    let servers = stack["servers"].as_object().expect("servers");
    let sent = |server: &Value| server["userdata"].as_str().expect("user data").to_owned();
    servers.iter().map(|(name, server)| (name.clone(), sent(server))).collect()
}

/// The identity at the end of user data.
fn identity(user_data: &str) -> Value {
    serde_json::from_str(user_data.trim_end().lines().last().expect("lines")).expect("the identity is JSON")
}

fn network(user_data: &str) -> String {
    identity(user_data)["networks"]["backbone"].as_str().expect("the network's identity").to_owned()
}

fn output(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("a command starts");
    let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}:\n{}{}", told(&output.stdout), told(&output.stderr));
    told(&output.stdout)
}

/// A program of the hosts' Debian.
fn in_debian(lab: &Lab, arguments: &[&str]) -> Command {
    let mut command = Command::new("chroot");
    command.arg(lab.root()).args(arguments);
    command
}

#[test]
fn cloud_init_and_systemd_take_what_is_emitted() {
    let Some(mut lab) = Lab::start(1) else { return };
    let template = emit(lab.folder());
    let environment = lab.folder().join("environment.yaml");
    let given = ["wattle_space=zookeeper://127.0.0.1:2181", PASSWORD];
    let servers = user_data(&[&environment], &given, &template);
    assert_eq!(servers.len(), 4);
    for (name, sent) in &servers {
        let mut schema = Command::new("unshare");
        schema.args([
            "--mount",
            "sh",
            "-euc",
            "mount --bind \"$1\" \"$2/mnt\"; exec chroot \"$2\" \
            cloud-init schema --annotate --config-file /mnt/user-data",
            "schema",
        ]);
        let folder = lab.folder().join(format!("schema-{name}"));
        fs::create_dir(&folder).expect("there is room for a folder");
        fs::write(folder.join("user-data"), sent).expect("there is room for a file");
        let said = output(schema.arg(&folder).arg(lab.root()));
        assert!(said.starts_with("Valid cloud-config"), "{name}: {said}");
    }
    let web = &servers["web"];
    lab.boot(1, "web", &network(web), web);
    let (status, console) = lab.booted(1);
    assert!(status.contains("status: done"), "{status}");
    for complaint in ["WARNING", "ERROR", "Traceback"] {
        assert!(!console.contains(complaint), "{console}");
    }
    let unit = lab.written(1, "/etc/systemd/system/wattle-agent.service");
    assert!(lab.written(1, "/etc/systemd/system/multi-user.target.wants/wattle-agent.service").is_symlink());
    assert_eq!(serde_json::from_str::<Value>(&lab.text(1, "/etc/wattle/identity.json")).ok(), Some(identity(web)));
    let mode =
        |path| std::os::unix::fs::MetadataExt::mode(&fs::metadata(lab.written(1, path)).expect("it was written"));
    assert_eq!(mode("/etc/wattle/identity.json") & 0o777, 0o600);
    // systemd itself judges the unit, in a root in which its programs exist.
    let mut verify = Command::new("unshare");
    verify.args([
        "--mount",
        "sh",
        "-euc",
        "mount -t overlay overlay -o \"lowerdir=$1:$2\" \"$2/mnt\"; \
        exec chroot \"$2/mnt\" systemd-analyze verify --recursive-errors=yes wattle-agent.service",
        "verify",
    ]);
    let programs = lab.folder().join("programs");
    for (path, from) in
        [("etc/systemd/system/wattle-agent.service", &*unit), ("usr/local/bin/wattle", Path::new("/bin/true"))]
    {
        let to = programs.join(path);
        fs::create_dir_all(to.parent().expect("a folder")).expect("there is room for a folder");
        fs::copy(from, to).expect("there is room for a file");
    }
    let fetch = programs.join("usr/local/lib/wattle");
    fs::create_dir_all(&fetch).expect("there is room for a folder");
    fs::copy(lab.written(1, "/usr/local/lib/wattle/fetch-agent"), fetch.join("fetch-agent")).expect("there is room");
    let said = verify.arg(&programs).arg(lab.root()).output().expect("a command starts");
    let said = format!("{}{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert!(!said.contains("wattle-agent"), "{said}");
    assert!(output(&mut in_debian(&lab, &["systemd-analyze", "--version"])).starts_with("systemd "));
}

/// The agent's digest, as an operator gives it.
fn sha256(file: &Path) -> String {
    let told = output(Command::new("sha256sum").arg(file));
    told.split_whitespace().next().expect("a digest").to_owned()
}

const LOG: &str = "/var/log/wattle-agent.service.log";

#[test]
fn only_the_agent_that_was_meant_is_taken() {
    let Some(mut lab) = Lab::start(2) else { return };
    let template = emit(lab.folder());
    let environment = lab.folder().join("environment.yaml");
    let served = lab.folder().join("served");
    fs::create_dir(&served).expect("there is room for a folder");
    let agent = served.join("wattle");
    fs::write(&agent, "#!/bin/sh\necho \"this is the agent: $*\"\n").expect("there is room for a file");
    let right = sha256(&agent);
    let url = format!("http://{BRIDGE}:8000/wattle");
    serve(&mut lab, &served);
    let given = ["wattle_space=zookeeper://127.0.0.1:2181", PASSWORD];
    let given = [given[0], given[1], &format!("wattle_agent_url={url}"), &format!("wattle_agent_sha256={right}")];
    let sent = user_data(&[&environment], &given, &template).remove("db").expect("a server");
    let wrong = sent.replace(&right, &"0".repeat(64));
    assert_ne!(sent, wrong);
    lab.boot(1, "db", &network(&sent), &wrong);
    lab.boot(2, "db", &network(&sent), &sent);
    let waited = |host, text: &str| {
        until(Duration::from_secs(60), || lab.text(host, LOG).contains(text))
            .unwrap_or_else(|| panic!("host {host} does not say `{text}`:\n{}", lab.text(host, LOG)));
    };
    waited(1, &format!("wattle: what {url} holds is not the agent of the SHA-256 {}\n", "0".repeat(64)));
    assert!(!lab.written(1, "/usr/local/bin/wattle").exists());
    waited(2, "this is the agent: agent --identity /etc/wattle/identity.json\n");
    // What was refused is tried again, for what the URL holds may be mended.
    until(Duration::from_secs(30), || lab.text(1, LOG).matches("is not the agent").count() > 1).expect("a second try");
    let left = fs::read_dir(lab.written(1, "/usr/local/bin")).expect("a folder");
    assert_eq!(left.count(), 0, "what was refused is not kept");
}

/// Serves a folder's files at port 8000 of the bridge.
fn serve(lab: &mut Lab, folder: &Path) {
    lab.spawn(0, "python3", |http| {
        http.args(["-m", "http.server", "--bind", BRIDGE, "--directory"]).arg(folder).arg("8000");
        http.stdout(Stdio::null()).stderr(Stdio::null());
    });
}
