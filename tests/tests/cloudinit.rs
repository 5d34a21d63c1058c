//! From a template to running software: Heat's own engine, cloud-init on several hosts, the agent and a real ZooKeeper
//! process the emitted files.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use wattle::author::Blueprint;
use wattle::lower::{Options, lower};
use wattle_tests::command::{wattle, wattle_agent};
use wattle_tests::lab::{BRIDGE, Lab, until};
use wattle_tests::oracle;
use wattle_tests::skip::{everything, skipped};

const PASSWORD: &str = "db_password=s3:cr\"et\\ 'x";

/// Emits the blueprint to a folder.
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
    let reported = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}:\n{}{}", reported(&output.stdout), reported(&output.stderr));
    reported(&output.stdout)
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
    // systemd itself checks the unit, in a tree that contains the unit's programs.
    let programs = lab.folder().join("programs");
    let put = |path: &str, from: &Path| {
        let to = programs.join(path);
        fs::create_dir_all(to.parent().expect("a file lies in a folder")).expect("there is room for a folder");
        fs::copy(from, to).expect("there is room for a file");
    };
    put("etc/systemd/system/wattle-agent.service", &unit);
    put("usr/local/lib/wattle/fetch-agent", &lab.written(1, "/usr/local/lib/wattle/fetch-agent"));
    put("usr/local/bin/wattle", Path::new("/bin/true"));
    output(&mut verify(&lab, &programs));
    let wrong = fs::read_to_string(&unit).expect("a unit").replace("Restart=on-failure", "Restart=whenever");
    fs::write(programs.join("etc/systemd/system/wattle-agent.service"), wrong).expect("there is room for a file");
    let refused = verify(&lab, &programs).output().expect("a command starts");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("whenever"), "{refused:?}");
}

/// `systemd-analyze verify` of the unit in `programs`, which is overlaid on the hosts' Debian.
fn verify(lab: &Lab, programs: &Path) -> Command {
    let work = tempfile::tempdir_in(lab.folder()).expect("there is room for a folder").keep();
    let mut verify = Command::new("unshare");
    verify.args([
        "--mount",
        "sh",
        "-euc",
        "mount -t overlay overlay -o \"lowerdir=$1,upperdir=$2,workdir=$3\" \"$1/mnt\"; \
        exec chroot \"$1/mnt\" systemd-analyze verify --recursive-errors=no wattle-agent.service",
        "verify",
    ]);
    verify.arg(lab.root()).arg(programs).arg(work);
    verify
}

/// Replaces the agent: prints its environment to the console, and ends the machine once cloud-init has finished.
const TELLING_AGENT: &str = r#"#!/bin/sh
{
    echo "AGENT: $(cat /proc/$PPID/comm) starts $*"
    echo "AGENT: $(systemctl is-active wattle-agent.service), $(systemctl is-enabled wattle-agent.service)"
    while cloud-init status | grep -q running; do sleep 1; done
    echo "AGENT: cloud-init is $(cloud-init status)"
} >/dev/ttyS0 2>&1
exec systemctl poweroff
"#;

#[test]
fn systemd_itself_starts_the_agent() {
    if !everything("a virtual machine with systemd") {
        return;
    }
    let emulator = Command::new("qemu-system-x86_64").arg("--version").stdout(Stdio::null()).status();
    if !emulator.is_ok_and(|status| status.success()) {
        skipped("a virtual machine with systemd", "it needs Debian's package qemu-system-x86");
        return;
    }
    let Some(lab) = Lab::start(1) else { return };
    let template = emit(lab.folder());
    let given = ["wattle_space=zookeeper://127.0.0.1:2181", PASSWORD];
    let servers = user_data(&[&lab.folder().join("environment.yaml")], &given, &template);
    let folder = lab.folder().join("vm");
    let programs = folder.join("files/usr/local/bin");
    fs::create_dir_all(&programs).expect("there is room for a folder");
    fs::write(folder.join("user-data"), &servers["db"]).expect("there is room for a file");
    let agent = programs.join("wattle");
    fs::write(&agent, TELLING_AGENT).expect("there is room for a file");
    fs::set_permissions(&agent, PermissionsExt::from_mode(0o755)).expect("the file is ours");
    let machine = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/cloudinit/vm"))
        .args([&folder, lab.root()])
        .status()
        .expect("a script runs");
    let console = String::from_utf8_lossy(&fs::read(folder.join("console.log")).unwrap_or_default()).into_owned();
    assert!(machine.success(), "{console}");
    let reported: Vec<&str> = console.lines().filter_map(|line| line.trim_end().strip_prefix("AGENT: ")).collect();
    let starts = "systemd starts agent --identity /etc/wattle/identity.json";
    assert_eq!(reported, [starts, "active, enabled", "cloud-init is status: done"], "{console}");
}

/// The agent's digest, as operators compute it.
fn sha256(file: &Path) -> String {
    let reported = output(Command::new("sha256sum").arg(file));
    reported.split_whitespace().next().expect("a digest").to_owned()
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
        until(Duration::from_mins(1), || lab.text(host, LOG).contains(text))
            .unwrap_or_else(|| panic!("host {host} does not say `{text}`:\n{}", lab.text(host, LOG)));
    };
    waited(1, &format!("wattle: what {url} holds is not the agent of the SHA-256 {}\n", "0".repeat(64)));
    assert!(!lab.written(1, "/usr/local/bin/wattle").exists());
    waited(2, "this is the agent: agent --identity /etc/wattle/identity.json\n");
    // The agent's unit retries a refused download, because the content at the URL may be fixed.
    until(Duration::from_secs(30), || lab.text(1, LOG).matches("is not the agent").count() > 1).expect("a second try");
    // Each try keeps a file while it downloads.
    let is_empty = || fs::read_dir(lab.written(1, "/usr/local/bin")).expect("a folder").count() == 0;
    until(Duration::from_secs(30), is_empty).expect("what was refused is not kept");
}

/// Serves a folder's files on port 8000 of the bridge.
fn serve(lab: &mut Lab, folder: &Path) {
    lab.spawn(0, "python3", |http| {
        http.args(["-m", "http.server", "--bind", BRIDGE, "--directory"]).arg(folder).arg("8000");
        http.stdout(Stdio::null()).stderr(Stdio::null());
    });
}

/// Starts a ZooKeeper on the bridge, which ends with the lab. Returns the address of the data space, and its
/// certificate authority.
fn zookeeper(lab: &Lab) -> (String, PathBuf) {
    let folder = lab.folder().join("zookeeper");
    fs::create_dir(&folder).expect("there is room for a folder");
    let mut start = lab.command(0, concat!(env!("CARGO_MANIFEST_DIR"), "/zookeeper/zkd"));
    start.arg("start").arg(&folder);
    wattle_tests::zookeeper::secure(&mut start, &folder, BRIDGE);
    start.env("ZK_OWNER", std::process::id().to_string()).env("ZK_ADDRESS", BRIDGE);
    let hosts = wattle_tests::zookeeper::secure_hosts(output(&mut start).trim());
    (format!("zookeeper+tls://{hosts}"), folder.join("ca.pem"))
}

/// The entries in `wattle ls --format json`, with the address of each server replaced by its name.
fn entries(listed: &str, addresses: &BTreeMap<String, String>) -> Value {
    let mut text = listed.to_owned();
    for (server, address) in addresses {
        text = text.replace(address, server);
    }
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The stack's servers, in the order of their declaration and of the lab's hosts. `wattle up` runs on another host.
const SERVERS: [&str; 4] = ["db", "app1", "app2", "web"];
const ALONE: usize = 5;

#[test]
fn three_tier_comes_to_the_same_as_on_one_machine() {
    let Some(mut lab) = Lab::start(ALONE) else { return };
    let out = lab.folder().join("three_tier");
    let template = emit(&out);
    let (environment, credentials) = (out.join("environment.yaml"), out.join("credentials.yaml"));
    let password = lab.folder().join("password.yaml");
    let text = json!({"parameters": {"db_password": "s3:cr\"et\\ 'x"}}).to_string();
    fs::write(&password, text).expect("there is room for a file");
    start_alone(&lab, &out, &password);
    lab.boot(ALONE, "alone", "none", ALONE_USER_DATA);

    let (space, ca) = zookeeper(&lab);
    let served = lab.folder().join("served");
    fs::create_dir(&served).expect("there is room for a folder");
    fs::copy(wattle_agent(), served.join("wattle")).expect("there is room for a file");
    serve(&mut lab, &served);
    let mut apply = lab.command(0, wattle());
    apply.args(["seed", "apply", "--space", &space, "--ca"]).arg(&ca).arg("--environment").arg(&password).arg(&out);
    output(&mut apply);

    // Two of the servers download the agent; the image of the others contains it.
    let url = format!("wattle_agent_url=http://{BRIDGE}:8000/wattle");
    let sha256 = format!("wattle_agent_sha256={}", sha256(wattle_agent()));
    let environments = [&*environment, &*credentials, &*password];
    let fetching = user_data(&environments, &[&url, &sha256], &template);
    let having = user_data(&environments, &[], &template);
    let mut addresses = BTreeMap::new();
    for (i, server) in SERVERS.into_iter().enumerate().rev() {
        let host = i + 1;
        let fetches = server.starts_with("app");
        let sent = if fetches { &fetching } else { &having }[server].clone();
        if !fetches {
            lab.put(host, "/usr/local/bin/wattle", wattle_agent());
        }
        // The lab's addresses differ from those that the simulated cloud assigns.
        let port = identity(&sent)["values"]["web-port.fixed_ips.0.ip_address"].as_str().map(str::to_owned);
        let sent = port.map_or(sent.clone(), |address| sent.replace(&address, &Lab::address(host)));
        lab.boot(host, server, &network(&sent), &sent);
        addresses.insert(server.to_owned(), Lab::address(host));
    }
    let operator = |arguments: &[&str]| {
        let mut command = lab.command(0, wattle());
        command.args(arguments).args(["--space", &space, "--ca"]).arg(&ca).arg("--key").arg(out.join("operator.key"));
        command
    };
    let patience = "10m";
    let url = operator(&["get", "web/nginx/url", "--wait", "--timeout", patience]).output().expect("a command starts");
    if !url.status.success() {
        let logs: Vec<String> = (1..=SERVERS.len()).map(|host| lab.text(host, LOG)).collect();
        let status = operator(&["status", "--why"]).output().expect("a command starts");
        panic!("{}\n{}", String::from_utf8_lossy(&status.stdout), logs.join("\n----\n"));
    }
    let url = String::from_utf8_lossy(&url.stdout).trim().to_owned();
    assert_eq!(url, format!("http://{}:80/", Lab::address(4)));
    let asked = output(lab.command(0, "python3").args(["-c", ASK, &url]));
    let answer: Value = serde_json::from_str(&asked).expect("JSON");
    assert_eq!(answer["products"].as_array().map(Vec::len), Some(3), "{answer}");
    assert_eq!(answer["products"][0], json!({"name": "hurdle", "price": 4900}));

    // Waits until everything is done: nginx's entry need not be the last one written.
    let done = || output(&mut operator(&["status", "--format", "json"])).matches("\"done\"").count() >= 5;
    until(Duration::from_mins(1), done).expect("every component is done");
    let here = entries(&output(&mut operator(&["ls", "--format", "json"])), &addresses);
    assert_same(&lab, &here);
    for host in 1..=SERVERS.len() {
        let (status, console) = lab.booted(host);
        assert!(status.contains("status: done"), "{status}\n{console}");
    }
}

/// Prints the response of a URL.
const ASK: &str = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode())";

/// `wattle up` of the same seed on a separate host, which has its own 127.0.0.0/8.
const ALONE_USER_DATA: &str = "#cloud-config
runcmd:
  - |
    exec >/opt/up.log 2>&1
    trap 'touch /opt/ended' EXIT
    set -eux
    ip address add 127.0.0.1/8 dev lo
    wattle up --detach --until-done --environment /opt/password.yaml /opt/three_tier
    wattle ls --dir /opt/three_tier --format json >/opt/entries.json
    wattle down /opt/three_tier
";

fn start_alone(lab: &Lab, out: &Path, password: &Path) {
    lab.put(ALONE, "/usr/local/bin/wattle", wattle());
    lab.put(ALONE, "/opt/password.yaml", password);
    for file in ["seed.yaml", "template.yaml", "environment.yaml"] {
        lab.put(ALONE, &format!("/opt/three_tier/{file}"), &out.join(file));
    }
}

/// Asserts that `wattle up` has led to the same entries as `here`.
fn assert_same(lab: &Lab, here: &Value) {
    let ended = until(Duration::from_mins(10), || lab.written(ALONE, "/opt/ended").exists());
    let log = || lab.text(ALONE, "/opt/up.log");
    assert!(ended.is_some(), "`wattle up` did not come to its end:\n{}", log());
    let listed = lab.text(ALONE, "/opt/entries.json");
    let mut addresses = BTreeMap::new();
    let raw: Value = serde_json::from_str(&listed).unwrap_or_else(|error| panic!("{error}: {listed}\n{}", log()));
    for server in SERVERS {
        let own = &raw["entries"][format!("{server}/server/networks.backbone.0")]["value"];
        // The address of `web` is that of a port; only nginx's URL shows it.
        let url =
            raw["entries"]["web/nginx/url"]["value"].as_str().map(|url| url[7..].trim_end_matches(":80/").to_owned());
        addresses.insert(server.to_owned(), own.as_str().map(str::to_owned).or(url).expect("an address"));
    }
    let there = entries(&listed, &addresses);
    assert_eq!(&there, here);
    assert!(here["entries"].as_object().expect("entries").len() >= 9, "{here:#}");
}
