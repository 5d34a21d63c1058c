//! An agent that is killed at any point and restarted.

use std::thread::sleep;
use std::time::SystemTime;

use wattle_tests::chance::Chance;
use wattle_tests::zookeeper::ZooKeeper;

use crate::ends::{hold, records};
use crate::play::{One, Play};
use crate::stack::Stack;

const KILLS: usize = 20;

/// Twelve components on the server whose agent is killed. Every fourth one reads from another server, which reads from
/// the component before it.
fn play() -> Play {
    Play::of(&[
        "a/one say",
        "a/two say < a/one",
        "a/three say",
        "b/one say < a/three",
        "a/four say < b/one",
        "a/five say",
        "a/six say",
        "a/seven say < a/six",
        "b/two say < a/seven",
        "a/eight say < b/two",
        "a/nine say",
        "a/ten say",
        "a/eleven say < a/ten",
        "b/three say < a/eleven",
        "a/twelve say < b/three",
    ])
}

/// Random choices from a new seed each time, unless `WATTLE_TEST_SEED` is set.
fn chance() -> Chance {
    let given = std::env::var("WATTLE_TEST_SEED").ok().and_then(|text| text.parse().ok());
    let seed = given.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        u64::from(now.subsec_nanos())
    });
    println!("WATTLE_TEST_SEED={seed}");
    Chance::new(seed)
}

fn kill_at_random_points(mut stack: Stack) {
    let mut random = chance();
    stack.start("b");
    let mut met = vec![0; stack.play.acts.len()];
    let mut points = Vec::new();
    for _ in 0..KILLS {
        let begun = stack.log("a").matches("begins a revision").count();
        stack.start("a");
        // Some kills come in the first moments of the process; the others wait until the log shows that the agent has
        // reached the data space.
        if random.below(4) > 0 {
            stack.until("the agent works", || stack.log("a").matches("begins a revision").count() > begun);
        }
        sleep(random.millis(0, 250));
        stack.kill("a");
        let mut finished = 0;
        for (one, met) in stack.play.acts.iter().zip(&mut met).filter(|(one, _)| one.server == "a") {
            let kinds = records(&stack, one);
            let started = kinds.iter().filter(|kind| *kind == "started").count();
            match kinds.last().map(String::as_str) {
                // A kill counts only if the component had been started again since the previous one.
                Some("started") => *met = started,
                Some("finished") => finished += 1,
                _ => {}
            }
        }
        points.push(finished);
    }
    println!("finished at each kill, of 12: {points:?}; met while they ran: {met:?}");
    let said = stack.log("a").len();
    stack.start("a");
    // The status may be that of a previous agent, so the log of the last agent counts.
    let is_of_last = |component: &str| stack.log("a")[said..].contains(&format!("done component=\"{component}\""));
    let own: Vec<String> = stack.play.acts.iter().filter(|one| one.server == "a").map(One::path).collect();
    stack.until("the last agent ends", || own.iter().all(|path| is_of_last(path) && stack.is_done(path)));
    stack.settle();
    hold(&stack, None);
    // A component ran again only if a kill came before its end was recorded.
    for (one, met) in stack.play.acts.iter().zip(met) {
        let kinds = records(&stack, one);
        let started = kinds.iter().filter(|kind| *kind == "started").count();
        assert_eq!(started, 1 + met, "{}: {kinds:?}", one.path());
        assert!(stack.counted("ended", &one.path()) <= 1 + met, "{}", one.path());
    }
}

#[test]
fn embedded() {
    kill_at_random_points(Stack::embedded(play()));
}

#[test]
fn zookeeper() {
    let zookeeper = ZooKeeper::start(1);
    kill_at_random_points(Stack::at(&zookeeper.address(), "killed", play()));
}
