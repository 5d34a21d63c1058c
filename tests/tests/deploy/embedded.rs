//! A full life cycle over the embedded store.

use std::time::Duration;

use wattle::plan::SETTINGS;
use wattle_cloud::Setting;
use wattle_tests::site::{NOTHING, PASSWORD, SHOP, Site};
use wattle_tests::skip::everything;

use super::KEY;

fn site() -> Site {
    Site::embedded(Setting { takes: Duration::from_millis(500), ..Setting::default() })
}

#[test]
fn a_shop_lives_over_the_embedded_store() {
    let mut site = site();
    let set = |apps: &str| std::fs::write(site.path().join(SETTINGS), format!("apps: {apps}\n")).expect("writes");
    set("2");
    site.deployed(&KEY);
    assert_eq!(site.counts(), SHOP);
    set("3");
    site.deployed(&[&KEY[..], &["-P", "flavor=m1.large"]].concat());
    let ran = site.ask(&["rollback", "--yes", "--infrastructure-only", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    // The settings are rolled back as well.
    let ran = site.ask(&["plan", ".", "--cloud", "simulated", "-P", PASSWORD, KEY[0], KEY[1]]);
    assert!(ran.out.contains("~ apps: 2 -> 3"), "{ran}");
    set("2");
    // The store runs in another process, which may have to restart from its log.
    site.store().stop();
    site.store().start();
    let said = site.deployed(&KEY);
    assert!(!said.contains('✓'), "{said}");
    let said = site.deployed(&[&KEY[..], &["-P", "flavor=m1.medium"]].concat());
    assert!(said.contains("✓ db changed"), "{said}");
    let ran = site.ask(&["rollback", "--yes", "--infrastructure-only", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && ran.err.contains("✓ db changed"), "{ran}");
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && site.counts() == NOTHING, "{ran}");
}

/// A vault may hand out a value only once.
#[test]
fn a_command_that_gives_a_parameter_runs_once() {
    let site = Site::embedded(Setting::default());
    let command = ["--parameter-from", "db_password=echo x >>runs; echo battery-horse"];
    let said = site.deployed(&[&KEY[..], &command].concat());
    assert_eq!(std::fs::read_to_string(site.path().join("runs")).expect("it ran"), "x\n");
    assert!(!said.contains("battery-horse"), "{said}");
}

/// One command works, the other one watches, and the last request wins.
#[test]
fn who_comes_second_is_told_who_works() {
    let site = site();
    let mut first = site.start(&KEY);
    first.wait_for("\u{2713} ", Duration::from_mins(2));
    let second = site.deploy(&[&KEY[..], &["-P", "flavor=m1.medium"]].concat());
    assert_eq!(second.code, Some(0), "{second}");
    let reported = "another `wattle deploy` is running and has been notified; this one watches";
    assert!(format!("{second}").contains(reported), "{second}");
    assert_eq!(first.ended(), Some(0), "{}", first.said());
    assert!(site.there()["servers"].iter().all(|server| server["flavor"]["name"] == "m1.medium"));
}

/// After each kill, the next command waits until no request of the killed one can arrive any more.
#[test]
fn a_shop_lives_over_the_embedded_store_whoever_is_killed() {
    if !everything("a life over the embedded store with kills") {
        return;
    }
    let site = site();
    for after in [300, 700, 1_500] {
        let mut deploy = site.begin(&KEY);
        std::thread::sleep(Duration::from_millis(after));
        deploy.kill().expect("it runs");
        deploy.wait().expect("it ends");
    }
    site.deployed(&KEY);
    assert_eq!(site.counts(), SHOP);
    // The same in the middle of a change: dropping a process kills it.
    let change = [&KEY[..], &["-P", "flavor=m1.medium"]].concat();
    let mut deploy = site.start(&change);
    deploy.wait_for("✓ db changed", Duration::from_mins(2));
    drop(deploy);
    site.deployed(&change);
    assert_eq!(site.counts(), SHOP);
    assert!(site.there()["servers"].iter().all(|server| server["flavor"]["name"] == "m1.medium"));
    let mut destroy = site.start_alone(&["destroy", "--yes", KEY[0], KEY[1]]);
    destroy.wait_for("deleted (", Duration::from_mins(2));
    drop(destroy);
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && site.counts() == NOTHING, "{ran}");
}
