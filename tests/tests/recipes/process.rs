//! The end of a run, and the processes that it leaves behind.

use std::time::{Duration, Instant};

use wattle::model::Type;
use wattle_runtime::recipe::{Runner as _, Tools, end_former};
use wattle_runtime::space::FailureKind;

use crate::stage::{Stage, line_of, names, runs, secret, until};

const SOON: Duration = Duration::from_millis(400);

#[tokio::test]
async fn what_outlives_its_deadline_is_killed_with_all_that_it_started() {
    let stage = Stage::shell(
        r#"
        trap '' TERM
        cd "$WATTLE_STATE_DIR"
        # A grandchild, one that ignores the request, and one that left the group.
        sh -c 'sh -c "echo \$\$ >grandchild; exec sleep 1000"; true' &
        sh -c 'trap "" TERM; echo $$ >stubborn; while :; do sleep 1; done' &
        setsid -w sh -c 'echo $$ >apart; exec sleep 1001' &
        # Two that are nobody's children: one by the book, and one that cleared its environment and closed all.
        (setsid sh -c 'echo $$ >detached; exec sleep 1003' &)
        (setsid env -i PATH="$PATH" sh -c 'echo $$ >cleared; exec sleep 1004 >/dev/null 2>&1' &)
        echo unpacking hunter2
        while :; do sleep 1002 & wait $!; done
        "#,
    )
    .input("password", secret(Type::STR), "hunter2")
    .deadline(SOON);
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.kind, FailureKind::Deadline);
    let started = "it still ran after 0.4 s, its deadline, at `sleep 1";
    assert!(broken.message.starts_with(started), "{}", broken.message);
    assert!(broken.message.ends_with(" before that, it printed: unpacking ***"), "{}", broken.message);
    assert_eq!(broken.log, ["unpacking ***"]);
    let mut names = vec!["grandchild", "stubborn", "apart", "detached"];
    if has_cgroups().await {
        names.push("cleared");
    }
    for name in names {
        assert!(!runs(&line_of(&stage.path(name)).await), "{name}");
    }
}

/// Whether runs get control groups here. Without them, a process that has detached itself and cleared its environment
/// cannot be found.
async fn has_cgroups() -> bool {
    let stage = Stage::shell("sleep 0.5; cat /proc/self/cgroup");
    stage.run_clean().await.unwrap();
    stage.log.text().contains("/wattle-")
}

#[tokio::test]
async fn a_recipe_may_end_by_itself_when_its_time_is_over() {
    let stage = Stage::shell("trap 'echo tidying; exit 0' TERM; sleep 1000 & wait").deadline(SOON);
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!((broken.kind, broken.log), (FailureKind::Deadline, vec!["tidying".to_owned()]));
}

#[tokio::test]
async fn a_run_that_is_dropped_is_killed() {
    let stage = Stage::shell(
        "cd \"$WATTLE_STATE_DIR\"; sleep 1000 & echo $! >child; setsid -w sleep 1001 & echo $$ >self; wait",
    );
    let pids = tokio::select! {
        result = stage.run() => panic!("{result:?}"),
        pids = async { [line_of(&stage.path("child")).await, line_of(&stage.path("self")).await] } => pids,
    };
    for pid in pids {
        assert!(!runs(&pid));
    }
    assert_eq!(names(&stage.job.directory), ["files"]);
}

#[tokio::test]
async fn services_outlive_the_recipe_and_do_not_hold_it_up() {
    let stage = Stage::shell(
        "(trap '' PIPE; echo up; sleep 0.5; echo still here; exec sleep 1000) & echo $! >\"$WATTLE_STATE_DIR/service\"",
    );
    let began = Instant::now();
    stage.run_clean().await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(30));
    let service = line_of(&stage.path("service")).await;
    assert!(runs(&service));
    // The service's output still goes to the log.
    until(|| stage.log.text().contains("still here")).await;
    // Later runs do not touch the service either.
    let stage = stage.file("recipes/it.sh", "true");
    stage.run_clean().await.unwrap();
    assert!(runs(&service));
    kill(&service);
}

#[tokio::test]
async fn services_of_a_run_whose_end_nobody_remembers_end_with_the_next() {
    let stage = Stage::shell(
        "cd \"$WATTLE_STATE_DIR\"; (setsid sh -c 'echo $$ >marked; exec sleep 1000' >/dev/null 2>&1 &)
        (setsid env -i PATH=\"$PATH\" sh -c 'echo $$ >cleared; exec sleep 1001 >/dev/null 2>&1' &)
        until [ -s marked ] && [ -s cleared ]; do sleep 0.01; done",
    );
    stage.run().await.unwrap();
    let mut services = vec![line_of(&stage.path("marked")).await];
    let cleared = line_of(&stage.path("cleared")).await;
    if has_cgroups().await {
        services.push(cleared);
    } else {
        kill(&cleared);
    }
    assert!(services.iter().all(|pid| runs(pid)));
    let stage = stage.file("recipes/it.sh", "true");
    stage.run_clean().await.unwrap();
    for pid in services {
        assert!(!runs(&pid));
    }
}

#[tokio::test]
async fn all_that_a_recipe_says_is_heard() {
    let stage = Stage::shell("seq 100000; exit 3");
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.log.last().unwrap(), "100000");
}

#[tokio::test]
async fn a_flood_of_lines_is_cut_in_the_log_and_not_in_the_failure() {
    let stage = Stage::shell("seq 10; seq -f 'a line that says nothing %.0f' 1000000; seq 40; exit 3");
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.log, (1..=40).map(|number| number.to_string()).collect::<Vec<_>>());
    let log = stage.log.text();
    assert!(log.contains("lines are left out here: the recipe prints more than 64 KiB a second"));
    let lines = log.lines().count();
    assert!((10_000..500_000).contains(&lines), "{lines}");
}

#[tokio::test]
async fn a_flood_of_output_does_not_grow_the_agent() {
    let stage = Stage::shell(
        "head -c 60000000 /dev/zero | tr '\\0' x; echo; yes $(seq 1000) | head -c 40000000; echo; echo end; exit 1",
    )
    .input("password", secret(Type::STR), "hunter2");
    let before = resident();
    let broken = stage.run_clean().await.unwrap_err();
    assert_eq!(broken.log.last().unwrap(), "end");
    let grown = resident().saturating_sub(before);
    assert!(grown < 16 << 20, "{grown} bytes");
}

#[tokio::test]
async fn what_a_killed_agent_left_running_is_ended_before_the_next_run() {
    let stage = Stage::shell(
        "cd \"$WATTLE_STATE_DIR\"; sleep 1000 & echo $! >child
        (setsid sh -c 'echo $$ >detached; exec sleep 1001' &); echo $$ >self; wait",
    );
    let (job, tools) = (stage.job.clone(), Tools::new().state_in(stage.root.path().to_owned()));
    let mut run = Box::pin(async move { tools.run(&job).await });
    let pids = tokio::select! {
        result = &mut run => panic!("{result:?}"),
        pids = async {
            let [child, detached, own] = ["child", "detached", "self"].map(|name| stage.path(name));
            [line_of(&child).await, line_of(&detached).await, line_of(&own).await]
        } => pids,
    };
    // A forgotten value is never dropped, as in a killed process.
    std::mem::forget(run);
    assert!(pids.iter().all(|pid| runs(pid)));
    assert_eq!(names(&stage.job.directory), ["files", "pid", "run"]);
    // A record about another process with the same number does not end this one.
    let record = stage.job.directory.join("pid");
    let text = std::fs::read_to_string(&record).unwrap();
    let mut other: serde_json::Value = serde_json::from_str(&text).unwrap();
    other.as_object_mut().unwrap().remove("cgroup");
    other["leader"]["started"] = 1.into();
    other["run"] = "another".into();
    std::fs::write(&record, other.to_string()).unwrap();
    end_former(&stage.job.directory).unwrap();
    assert!(pids.iter().all(|pid| runs(pid)));
    std::fs::write(&record, text).unwrap();
    end_former(&stage.job.directory).unwrap();
    assert!(pids.iter().all(|pid| !runs(pid)));
    assert_eq!(names(&stage.job.directory), ["files"]);
}

fn kill(pid: &str) {
    assert!(std::process::Command::new("kill").args(["-9", pid]).status().unwrap().success());
}

/// The memory use of this process in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}
