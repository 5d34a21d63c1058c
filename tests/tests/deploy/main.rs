//! `wattle deploy` over a real ZooKeeper, on a simulated cloud over HTTP.

mod adopted;
mod asked;
mod deadline;
mod embedded;
mod faults;
mod foreseen;
mod handed;
mod heat;
mod interrupted;
mod keys;
mod lacking;
mod life;
mod own;
mod placed;
mod plain;
mod planned;
mod requests;
mod shown;
mod space;
mod wrong;

use std::collections::BTreeSet;
use std::time::Duration;

use wattle_cloud::{Doing, Rule, Setting};
use wattle_openstack::Method;
use wattle_tests::site::{NOTHING, PASSWORD, SHOP, Site};

const KEY: [&str; 2] = ["--key", "operator.key"];

#[test]
fn a_shop_is_deployed_changed_repaired_brought_back_and_destroyed() {
    life::life(&Site::new());
}

#[test]
fn a_server_shows_the_new_address_of_its_port() {
    shown::follows_its_port(&Site::embedded(Setting::default()));
}

#[test]
fn whoever_is_killed_leaves_nothing_that_the_next_call_does_not_go_on_with() {
    let site = Site::new();
    for after in [100, 250, 400, 600, 900] {
        let mut deploy = site.begin(&[]);
        std::thread::sleep(Duration::from_millis(after));
        deploy.kill().expect("it runs");
        deploy.wait().expect("it ends");
    }
    // Requests of killed commands may still be in flight for the duration of a lease, so a command waits if it cannot
    // see their result. The killed commands may have created keys, which the operator must name to confirm that they
    // are theirs.
    let own = [("operator.key", "--key"), ("credentials.yaml", "--credentials")];
    let own = own.into_iter().filter(|(file, _)| site.path().join(file).exists());
    let own: Vec<&str> = own.flat_map(|(file, option)| [option, file]).collect();
    site.deployed(&own);
    assert_eq!(site.counts(), SHOP);
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(site.counts(), NOTHING);
}

#[test]
fn two_at_once_are_two_desired_states() {
    let site = Site::new();
    site.deployed(&[]);
    let mut other = site.begin(&[&KEY[..], &["-P", "flavor=m1.large"]].concat());
    let ran = site.deploy(&[&KEY[..], &["-P", "flavor=m1.medium"]].concat());
    let first = other.wait().expect("it ends");
    assert!(ran.code == Some(0) && first.success(), "{ran}");
    // The last request, whichever it was, wins for all servers. When it is repeated, nothing is left to do.
    let there = site.there();
    let flavors: BTreeSet<&str> =
        there["servers"].iter().map(|server| server["flavor"]["name"].as_str().expect("a name")).collect();
    let [flavor] = flavors.iter().collect::<Vec<_>>()[..] else { panic!("{flavors:?}") };
    assert!(["m1.medium", "m1.large"].contains(flavor), "{flavor}");
    let said = site.deployed(&[&KEY[..], &["-P", &format!("flavor={flavor}")]].concat());
    assert!(!said.contains('✓'), "{said}");
    assert_eq!(site.counts(), SHOP);
}

#[test]
fn what_clouds_do_wrong_is_got_over() {
    let site = Site::new();
    {
        let mut world = site.cloud.world();
        world.befall(Rule::next(Method::Post, "/networks", Doing::Lost));
        world.befall(Rule::next(Method::Post, "/routers", Doing::Refused(503, Some(1))));
        world.befall(Rule::next(Method::Post, "/servers", Doing::Refused(429, Some(1))));
        world.befall(Rule { times: 3, ..Rule::next(Method::Get, "/ports", Doing::Refused(500, None)) });
    }
    site.deployed(&[]);
    assert_eq!(site.counts(), SHOP);
}

#[test]
fn what_an_environment_names_is_deployed_with_it() {
    let site = Site::new();
    let template = site.path().join("template.yaml");
    let emitted = std::fs::read_to_string(&template).expect("reads");
    std::fs::write(&template, emitted.replacen("resources:\n", "resources:\n  part: {type: My::Part}\n", 1))
        .expect("writes");
    let other = tempfile::tempdir_in(site.path().parent().expect("a folder")).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(other.path().join(name), text).expect("writes");
    let part = "heat_template_version: 2021-04-16\nresources:\n  lan: {type: OS::Neutron::Net}\n";
    write("part.yaml", part);
    write("environment.yaml", "resource_registry: {My::Part: part.yaml}\n");
    let environment = other.path().join("environment.yaml");
    let environment = ["-e", environment.to_str().expect("text")];
    let said = site.deployed(&environment);
    assert!(said.contains("✓ part/lan created (OS::Neutron::Net"), "{said}");
    assert_eq!(site.there()["networks"].len(), 2);
    // A missing file is reported before anything changes.
    write("environment.yaml", "resource_registry: {My::Part: parts.yaml}\n");
    let ran = site.deploy(&[&KEY[..], &environment].concat());
    assert!(ran.code == Some(2) && ran.err.contains("parts.yaml"), "{ran}");
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && site.counts() == NOTHING, "{ran}");
}

#[test]
fn another_operator_s_key_opens_what_was_deployed() {
    let site = Site::new();
    site.deployed(&[]);
    let former = std::fs::read(site.path().join("operator.key")).expect("reads");
    // As long as any of its resources exists, the stack cannot be deleted from the data space.
    let ran = site.ask(&["seed", "delete", "three_tier", "--yes", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(2), "{ran}");
    assert!(ran.err.contains("`wattle destroy` removes it"), "{ran}");
    let ran = site.ask(&["seed", "rotate", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_ne!(std::fs::read(site.path().join("operator.key")).expect("reads"), former);
    let said = site.deployed(&KEY);
    assert!(!said.contains('✓'), "{said}");
    // The new key also opens earlier deployments.
    site.deployed(&[&KEY[..], &["-P", "flavor=m1.medium"]].concat());
    let ran = site.ask(&["rollback", "--yes", "--infrastructure-only", KEY[0], KEY[1]]);
    assert!(ran.code == Some(0) && ran.err.contains("✓ db changed"), "{ran}");
    let ran = site.ask(&["destroy", "--yes", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(site.counts(), NOTHING);
}

#[test]
fn a_data_space_that_is_away_is_said_and_waited_for() {
    let site = Site::with(Setting { takes: Duration::from_secs(30), ..Setting::default() });
    let mut deploying = site.start(&[]);
    let patience = Duration::from_mins(2);
    deploying.wait_for("✓ web-port created", patience);
    site.zookeeper().kill(1);
    deploying.wait_for("the data space does not answer", patience);
    site.zookeeper().start_again(1);
    deploying.wait_for("the data space answers again", patience);
    deploying.wait_for("✓ app1 created", patience);
}

#[test]
fn software_is_waited_for_until_the_deadline() {
    let site = Site::new();
    site.deployed(&[]);
    // These servers never boot, so no agent ever reports.
    let ran = site.ask(&["deploy", ".", "--yes", "--parameter", PASSWORD, "--deadline", "5s", KEY[0], KEY[1]]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.err.contains("the infrastructure exists, and the software was not done in time"), "{ran}");
    assert!(ran.err.contains("db has never started: no agent of it has come up"), "{ran}");
}
