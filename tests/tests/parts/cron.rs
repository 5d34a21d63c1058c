//! Jobs that run on a schedule.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::Deserialize;
use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::parts::cron::Job;
use wattle_tests::running::Stage;
use wattle_tests::skip::everything;

use crate::stage::{Judges, can_run, heat_takes, network, server, up, value};

/// When the jobs run.
#[derive(Clone, Deserialize)]
#[serde(default)]
pub(crate) struct Times {
    schedule: String,
}

impl Default for Times {
    fn default() -> Self {
        Self { schedule: "* * * * *".into() }
    }
}

/// Chosen when the stack is deployed.
#[derive(Parameters)]
pub(crate) struct Settings {
    /// A secret that only the job knows.
    #[parameter]
    key: Parameter<Secret<String>>,
}

/// A job that prints its input and ends, and one that does not end.
#[blueprint]
pub(crate) fn jobs(t: &mut Topology, p: Settings, times: Times) -> Exports {
    let network = network(t);
    let (host, address) = server(t, "jobs", network);
    let job = || Job::new().schedule(times.schedule.as_str());
    let tell = r#"echo "$0"; printf '%s\n' "$(id -un)" "$1" "$KEY" "$ADDRESS" "$(env)" >told.new; mv told.new told"#;
    let tell = job()
        .command(["/bin/sh", "-c", tell, "it's told", "50% $HOME"])
        .user("nobody")
        .environment(BTreeMap::from([("ADDRESS".to_owned(), text!("{}", address))]))
        .secrets(BTreeMap::from([("KEY".to_owned(), p.key)]));
    let tell = t.on(host).run("tell", tell);
    let stay = job().command(["/bin/sh", "-c", "echo begun >>runs; exec sleep 1d"]).user("root");
    let stay = t.on(host).run("stay", stay);
    Exports::new().entry("tell", tell.data).entry("stay", stay.data)
}

pub(crate) fn heat(judges: &mut Judges) {
    heat_takes(judges, &jobs.model(Times::default()));
}

const PROGRAMS: [&str; 3] = ["/usr/sbin/cron", "/usr/bin/jq", "/usr/bin/flock"];

fn file(folder: &str, name: &str) -> Option<String> {
    fs::read_to_string(format!("{folder}/{name}")).ok()
}

#[test]
fn they_run_each_minute() {
    if !can_run("parts: a job by `wattle up`", &PROGRAMS) || !everything("parts: a job by `wattle up`") {
        return;
    }
    let before = fs::read_dir("/etc/cron.d").expect("a folder").count();
    let stage = up(&jobs.model(Times::default()), "it's secret");
    let [tell, stay] = ["tell", "stay"].map(|job| value(&stage, &format!("jobs/{job}/data")));
    let end = Instant::now() + Duration::from_secs(150);
    let mut times = 0;
    while times < 2 {
        assert!(Instant::now() < end, "ran {times} times: {:?}", file(&tell, "../log"));
        if let Some(reported) = file(&tell, "told") {
            let lines: Vec<&str> = reported.lines().collect();
            assert_eq!(lines[..3], ["nobody", "50% $HOME", "it's secret"]);
            assert!(lines[3].starts_with("127.") || lines[3].starts_with("10."), "{reported}");
            assert!(lines.contains(&format!("HOME={tell}").as_str()), "{reported}");
            assert!(!reported.contains("WATTLE_RUN_DIR") && !reported.contains("secrets="), "{reported}");
            fs::remove_file(format!("{tell}/told")).expect("removes");
            times += 1;
        }
        sleep(Duration::from_millis(200));
    }
    assert_eq!(file(&tell, "../log").expect("a log"), "it's told\nit's told\n");
    assert_eq!(file(&stay, "runs").expect("runs"), "begun\n", "it has not begun again");
    assert_eq!(stage.processes("sleep 1d").len(), 1);
    assert_eq!(fs::read_dir("/etc/cron.d").expect("a folder").count(), before, "the machine's own cron knows nothing");

    let down = stage.run(&["down"]);
    assert_eq!((down.code, down.err.as_str()), (Some(0), ""), "{down}");
    assert_eq!(stage.processes(""), Vec::<i32>::new());
    assert_eq!(stage.files_with("it's secret"), Vec::<String>::new());
}

#[test]
fn what_cron_would_leave_out_is_a_failure() {
    if !can_run("parts: a job without a time", &PROGRAMS) {
        return;
    }
    for (schedule, said) in [
        ("61 * * * *", "cron does not take the schedule `61 * * * *`: bad minute"),
        ("* * * * * root", "it has five fields"),
        ("@reboot", "is a service"),
    ] {
        let stage = Stage::new(&jobs.model(Times { schedule: schedule.into() }));
        let up = stage.run(&["up", "--until-done", "--parameter", "key=x"]);
        assert_eq!(up.code, Some(1), "{up}");
        assert!(up.out.contains(said) || up.err.contains(said), "{schedule}: {up}");
    }
}

/// A real server has systemd and cron. Here, both are in a mount namespace.
#[test]
fn on_a_server_it_is_a_file_of_cron_d() {
    if !can_run("parts: a job on a server of its own", &PROGRAMS) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let recipes = concat!(env!("CARGO_MANIFEST_DIR"), "/../catalog/recipes");
    let script = r#"
        mkdir bin table run run/job srv etc
        mount --bind srv /srv
        mount --bind table /etc/cron.d
        mount -t tmpfs run /run
        mkdir -p /run/systemd/system /run/lock
        printf '#!/bin/sh\necho "$*" >>%s/asked\n' "$PWD" >bin/systemctl
        chmod +x bin/systemctl
        PATH=$PWD/bin:$PATH
        export WATTLE_RUN_DIR="$PWD/run/job" heat_outputs_path="$PWD/output"
        export schedule='@daily' user=nobody command='["echo", "a b"]'
        unset WATTLE_STATE_DIR
        sh "$recipes/cron.sh"
        sh "$recipes/cron.sh"
        [ "$(cat output.data)" = /srv/job/data ]
        [ "$(cat /etc/cron.d/*)" = "@daily nobody '/srv/job/job'" ]
        [ "$(ls -A /etc/cron.d)" = wattle-part-job ]
        grep -qx 'enable --now --quiet cron.service' asked
        # What cron would run.
        printf '#!/bin/sh\nshift\nexec "$@"\n' >bin/systemd-cat
        chmod +x bin/systemd-cat
        [ "$(sh /srv/job/job)" = 'a b' ]
        sh "$recipes/cron-remove.sh"
        [ -z "$(ls -A /etc/cron.d)" ]
    "#;
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "bash", "-euxc", script]).current_dir(folder.path());
    let output = command.env("recipes", recipes).output().expect("starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
