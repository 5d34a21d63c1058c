//! A service from an archive.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::parts::service::Service;
use wattle_tests::running::{Stage, http_get};

use crate::stage::{Judges, can_run, down, heat_takes, network, serve, server, up_here, value};

/// The URL of the archive, and its digest.
#[derive(Clone, Deserialize)]
#[serde(default)]
pub(crate) struct Release {
    pub(crate) url: String,
    pub(crate) sha256: String,
}

impl Default for Release {
    fn default() -> Self {
        Self { url: "https://releases.example.com/app.tar.gz".into(), sha256: "0".repeat(64) }
    }
}

/// Chosen when the stack is deployed.
#[derive(Parameters)]
pub(crate) struct Settings {
    /// A secret that only the service knows.
    #[parameter]
    key: Parameter<Secret<String>>,
}

/// A server with the service, and another instance without a port.
#[blueprint]
pub(crate) fn site(t: &mut Topology, p: Settings, release: Release) -> Exports {
    let network = network(t);
    let (host, address) = server(t, "app", network);
    let url: Url = release.url.parse().expect("a URL");
    let service = || Service::new().url(url.clone()).sha256(release.sha256.as_str()).strip(1_u8).user("nobody");
    let app = service()
        .command(["bin/app", "a 'word'", "$HOME"])
        .environment(BTreeMap::from([
            ("LISTEN".to_owned(), text!("{}", address)),
            ("PORT".to_owned(), text!("8080")),
            ("SAYING".to_owned(), text!("it's\n\"so\"")),
        ]))
        .secrets(BTreeMap::from([("KEY".to_owned(), p.key)]))
        .address(address)
        .port(8080_u16);
    let app = t.on(host).run("app", app);
    let worker = service().command(["/bin/sleep", "1d"]).directory("/opt/worker").address(address);
    let worker = t.on(host).run("worker", worker);
    Exports::new().entry("url", text!("http://{}/", app.authority)).entry("worker", worker.authority)
}

pub(crate) fn heat(judges: &mut Judges) {
    heat_takes(judges, &site.model(Release::default()));
}

/// A release whose program prints its configuration.
pub(crate) fn release(version: &str) -> Release {
    let folder = tempfile::tempdir().expect("a folder");
    let bin = folder.path().join("app-1.0/bin");
    fs::create_dir_all(&bin).expect("a folder");
    let app = r#"#!/usr/bin/env python3
import http.server, json, os, sys
version = open("version").read()
def attempt(path):
    try:
        open(path, "w").close()
        return True
    except OSError:
        return False
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = {"environment": dict(os.environ), "uid": os.getuid(), "arguments": sys.argv[1:], "version": version,
                "data": attempt(os.environ["HOME"] + "/written"), "release": attempt("written")}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())
http.server.HTTPServer((os.environ["LISTEN"], int(os.environ["PORT"])), Handler).serve_forever()
"#;
    fs::write(bin.join("app"), app).expect("writes");
    fs::write(folder.path().join("app-1.0/version"), version).expect("writes");
    let tar = "chmod +x app-1.0/bin/app && tar -cf app.tar.gz --gzip app-1.0";
    assert!(Command::new("sh").args(["-c", tar]).current_dir(&folder).status().expect("starts").success());
    let archive = fs::read(folder.path().join("app.tar.gz")).expect("reads");
    let sha256 = Sha256::digest(&archive).iter().map(|byte| format!("{byte:02x}")).collect();
    Release { url: serve(archive), sha256 }
}

const PROGRAMS: [&str; 4] = ["/usr/bin/curl", "/usr/bin/bsdtar", "/usr/bin/jq", "/usr/bin/python3"];

fn answer(stage: &Stage) -> Value {
    let url = format!("http://{}/", value(stage, "app/app/authority"));
    let answer = http_get(&url);
    serde_json::from_str(answer.lines().last().expect("a body")).expect("JSON")
}

#[test]
fn it_runs_with_what_it_is_given() {
    if !can_run("parts: a service from an archive", &PROGRAMS) {
        return;
    }
    let first = release("1");
    let stage = up_here(&site.model(first.clone()), "it's secret");
    let reported = answer(&stage);
    let environment = &reported["environment"];
    assert_eq!(environment["SAYING"], "it's\n\"so\"");
    assert_eq!(environment["KEY"], "it's secret");
    assert_eq!(reported["arguments"], serde_json::json!(["a 'word'", "$HOME"]));
    assert_ne!(reported["uid"], 0);
    assert_eq!((&reported["data"], &reported["release"]), (&true.into(), &false.into()), "it writes to its data only");
    assert_eq!(reported["version"], "1");
    // The recipe's own settings are not passed to the service.
    for name in ["secrets", "sha256", "WATTLE_RUN_DIR", "heat_outputs_path"] {
        assert!(environment.get(name).is_none(), "{environment:#}");
    }
    let worker = value(&stage, "app/worker/authority");
    assert!(worker.starts_with("127."), "{worker}");
    assert!(stage.path().join(".wattle/servers/app/state/opt/worker/bin/app").exists());
    assert_eq!(stage.processes("sleep 1d").len(), 1);

    // The next release replaces this one, and keeps its data.
    let second = release("2");
    stage.emit(&site.model(second));
    let again =
        stage.run(&["up", "--detach", "--until-done", "--network", "loopback", "--parameter", "key=it's secret"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(answer(&stage)["version"], "2");
    let url = format!("http://{}/", value(&stage, "app/app/authority"));
    down(&stage, &[&url]);
    assert_eq!(stage.files_with("it's secret"), Vec::<String>::new());
}

#[test]
fn another_digest_is_a_failure() {
    if !can_run("parts: a service from another archive", &PROGRAMS) {
        return;
    }
    let stage = Stage::new(&site.model(Release { sha256: "A".repeat(64), ..release("1") }));
    let up = stage.run(&["up", "--until-done", "--network", "loopback", "--parameter", "key=x"]);
    assert_eq!(up.code, Some(1), "{up}");
    let said = format!("and should have {}", "a".repeat(64));
    assert!(up.out.contains(&said) || up.err.contains(&said), "{up}");
    let folder = stage.path().join(".wattle/servers/app/state/app");
    assert!(!folder.join("release").exists() && !folder.join("archive").exists(), "nothing of it stays");
}

/// A real server has systemd, which checks the unit. Here, there is only the folder of units.
#[test]
fn on_a_server_it_is_a_unit_that_systemd_takes() {
    if !can_run("parts: a service on a server of its own", &[&PROGRAMS[..], &["/usr/bin/systemd-analyze"]].concat()) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let recipes = concat!(env!("CARGO_MANIFEST_DIR"), "/../catalog/recipes");
    let script = r#"
        not() { if "$@"; then exit 1; fi; }
        mkdir bin units srv disk app-1
        mount --bind srv /srv
        mount --bind units /etc/systemd/system
        mount -t tmpfs run /run
        mkdir -p /run/systemd/system /run/lock /run/app
        printf '#!/bin/sh\necho "$*" >>%s/asked\n' "$PWD" >bin/systemctl
        chmod +x bin/systemctl
        PATH=$PWD/bin:$PATH
        printf '#!/bin/sh\necho "$*"\n' >app-1/run
        chmod +x app-1/run
        tar -cf app.tar app-1
        export url="file://$PWD/app.tar" sha256="$(sha256sum app.tar | cut -d ' ' -f 1)" strip=1 user=daemon
        export command='["./run", "100% \"$HOME\""]' address=127.0.0.1 start_within=1 directory="$PWD/disk/app"
        export WATTLE_RUN_DIR=/run/app heat_outputs_path="$PWD/output"
        unset WATTLE_STATE_DIR
        sh "$recipes/service.sh"
        unit=/etc/systemd/system/wattle-part-app.service
        grep -qx "RequiresMountsFor=/srv/app $directory" $unit
        grep -qx 'restart wattle-part-app.service' asked
        systemd-analyze verify --recursive-errors=no $unit 2>said
        not grep -q 'wattle-part-app' said
        # What it starts.
        eval "set -- $(sed -n 's/^ExecStart=//p' $unit)"
        [ "$("$@")" = '100% "$HOME"' ]
        # That it would say so.
        sed -i 's/^Restart=.*/Restart=whenever/' $unit
        systemd-analyze verify --recursive-errors=no $unit 2>said || true
        grep -q whenever said
        sh "$recipes/remove.sh"
        [ -z "$(ls -A units)" ]
        grep -qx 'disable --now --quiet wattle-part-app.service' asked
    "#;
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "bash", "-euxc", script]).current_dir(folder.path());
    let output = command.env("recipes", recipes).output().expect("starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
