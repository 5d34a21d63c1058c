//! `wattle deploy --hosts`: servers are placed on hosts, and running ones stay.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use wattle::author::Blueprint as _;
use wattle::diagram;
use wattle_cloud::Setting;
use wattle_openstack::Method;
use wattle_openstack::session::Call;
use wattle_tests::command::{apart, wattle};
use wattle_tests::running::{Ran, to_its_end};
use wattle_tests::site::{PASSWORD, Site};

use crate::KEY;

fn site(is_admin: bool) -> Site {
    let site = Site::with(Setting { is_admin, takes: Duration::from_millis(200), ..Setting::default() });
    policies(&site, "{apart: [app1, app2], by: rack}");
    let picture = diagram::of(&three_tier::three_tier.model(Default::default())).without_texts().to_json();
    fs::write(site.path().join("graph.json"), picture).expect("writes");
    site
}

/// Adds these policies to the emitted template.
fn policies(site: &Site, policies: &str) {
    let path = site.path().join("template.yaml");
    let emitted = fs::read_to_string(&path).expect("reads");
    let without: String =
        emitted.lines().filter(|line| !line.starts_with("  placement:")).map(|line| format!("{line}\n")).collect();
    let placement = format!(
        "resources:\n  placement: {{type: 'OS::Heat::Value', properties: {{value: policies}}, metadata: {{wattle.placement: {{policies: [{policies}]}}}}}}\n"
    );
    fs::write(path, without.replacen("resources:\n", &placement, 1)).expect("writes");
}

/// Runs `wattle hosts` beside the stack.
fn hosts(site: &Site) -> Ran {
    let mut command = Command::new(wattle());
    command.args(["hosts", "--cloud", "simulated"]).current_dir(site.path());
    to_its_end(apart(&mut command, site.path()))
}

/// Writes the output of `wattle hosts` to `cloud.yaml`.
fn read_hosts(site: &Site) -> String {
    let ran = hosts(site);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(ran.err, "`compute-5` is left out: it is disabled: new disks\n");
    fs::write(site.path().join("cloud.yaml"), &ran.out).expect("writes");
    ran.out
}

fn plan(site: &Site, more: &[&str]) -> Ran {
    site.ask(&[&["plan", ".", "-P", PASSWORD, "--hosts", "cloud.yaml"][..], &KEY, more].concat())
}

/// The number of replaced servers.
fn replaced(plan: &Ran) -> usize {
    plan.out.matches("(OS::Nova::Server): is replaced").count()
}

/// The host of each server in a table.
fn said(text: &str) -> BTreeMap<String, String> {
    let rows = text.lines().skip_while(|line| !line.starts_with("SERVER")).skip(1).take_while(|line| !line.is_empty());
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    };
    rows.filter_map(row).collect()
}

const EMPTY: &str = "\
# The hosts of the cloud `simulated`, as `wattle hosts` has read them.
places:
  az2: {is: zone}
  nova: {is: zone}
  r1: {is: rack, in: nova}
  r2: {is: rack, in: nova}
  r3: {is: rack, in: az2}
defaults: {allocation: {vcpus: 4}, largest: {vcpus: 16}, traits: [COMPUTE_NODE, HW_CPU_X86_AVX2]}
hosts:
  compute-1: {in: r1, vcpus: 16, memory: 65024 MiB, disk: 1000 GiB}
  compute-2: {in: r1, vcpus: 16, memory: 65024 MiB, disk: 1000 GiB}
  compute-3: {in: r2, vcpus: 16, memory: 65024 MiB, disk: 1000 GiB, traits: [CUSTOM_DB2]}
  compute-4: {in: r3, vcpus: 16, memory: 65024 MiB, disk: 1000 GiB, traits: [CUSTOM_DB2]}
flavors:
  m1.large: {vcpus: 4, memory: 8 GiB, disk: 80 GiB}
  m1.medium: {vcpus: 2, memory: 4 GiB, disk: 40 GiB}
  m1.small: {vcpus: 1, memory: 2 GiB, disk: 20 GiB}
  m1.tiny: {vcpus: 1, memory: 512 MiB, disk: 1 GiB}
";

#[test]
fn an_administrator_reads_the_hosts_and_servers_go_where_the_placement_says() {
    let site = site(true);
    assert_eq!(read_hosts(&site), EMPTY);
    let ran = site.deploy(&["--hosts", "cloud.yaml", "--admin"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let first = site.standing();
    assert_eq!(said(&ran.out), first, "{ran}");
    assert!(ran.err.contains("4 servers on "), "{ran}");
    let rack = |host: &str| if ["compute-1", "compute-2"].contains(&host) { "r1".to_owned() } else { host.to_owned() };
    assert_ne!(rack(&first["app1"]), rack(&first["app2"]), "{first:?}");
    assert!(read_hosts(&site).contains("used: {disk: "));

    // `status` shows the hosts, too.
    let ran = site.ask(&[&["status", "--format", "json"][..], &KEY].concat());
    let status: Value = serde_json::from_str(&ran.out).expect("JSON");
    let places = |key: &str| -> BTreeMap<String, String> {
        let servers = status["servers"].as_object().expect("servers").iter();
        servers.map(|(name, one)| (name.clone(), one["place"][key].as_str().unwrap_or("-").to_owned())).collect()
    };
    assert_eq!(places("host"), first, "{ran}");
    let racks = BTreeMap::from([("compute-1", "r1"), ("compute-2", "r1"), ("compute-3", "r2"), ("compute-4", "r3")]);
    let expected: BTreeMap<String, String> =
        first.iter().map(|(name, host)| (name.clone(), racks[&**host].to_owned())).collect();
    assert_eq!(places("rack"), expected, "{ran}");
    let ran = site.ask(&[&["status"][..], &KEY].concat());
    let line = ran.out.lines().find(|line| line.starts_with("web ")).unwrap_or_else(|| panic!("{ran}"));
    assert_eq!(line.split_whitespace().nth(1), Some(&*first["web"]), "{ran}");

    // Running servers stay where they are, whether or not the plan queries the cloud, and even if someone has moved
    // them.
    for more in [&[][..], &["--cloud", "simulated"], &["--admin"], &["--admin", "--cloud", "simulated"]] {
        let ran = plan(&site, more);
        assert_eq!(
            (ran.code, ran.out.matches("runs there").count(), said(&ran.out)),
            (Some(0), 4, first.clone()),
            "{ran}"
        );
    }
    let web = site.server("web");
    let to = if first["web"] == "compute-2" { "compute-1" } else { "compute-2" };
    site.at_cloud(async |session| {
        let call = Call::new("compute", Method::Post, format!("/servers/{web}/action"));
        session
            .call(call.body(json!({ "os-migrateLive": { "host": to, "block_migration": "auto" } })))
            .await
            .expect("moves");
    });
    let ran = plan(&site, &["--admin", "--cloud", "simulated"]);
    assert_eq!((ran.code, said(&ran.out)["web"].as_str()), (Some(0), to), "{ran}");

    // Without `--hosts`, the plan would replace every server, and says how to avoid that.
    let ran = site.ask(&[&["plan", ".", "-P", PASSWORD][..], &KEY].concat());
    assert!(ran.code == Some(4) && replaced(&ran) == 4, "{ran}");
    assert!(ran.err.contains("were placed on hosts before: `--hosts FILE` leaves them where they run"), "{ran}");

    // If running servers violate a policy, the plan reports that, and only `--move` moves them.
    policies(&site, "{apart: [app1, app2], by: rack}, {zone: az2, servers: [web]}");
    let ran = plan(&site, &["--admin", "--cloud", "simulated"]);
    assert!(ran.code == Some(1) && ran.err.contains("error[W1608]") && ran.err.contains("`--move`"), "{ran}");
    let options = ["--admin", "--move", "--cloud", "simulated"];
    let ran = plan(&site, &options);
    assert!(ran.code == Some(4) && ran.out.contains(&format!("moves from {to}")), "{ran}");
    assert!(ran.out.contains("web (OS::Nova::Server): is replaced") && replaced(&ran) == 1, "{ran}");
    let ran = plan(&site, &[&options[..], &["--format", "json"]].concat());
    let json: Value = serde_json::from_str(&ran.out).expect("JSON");
    let servers = json["placement"]["servers"].as_array().expect("servers");
    let moved: Vec<&Value> = servers.iter().filter(|one| one.get("leaves").is_some()).collect();
    assert_eq!((moved.len(), &moved[0]["server"], &moved[0]["leaves"]), (1, &json!("web"), &json!(to)), "{ran}");
    let ids = |site: &Site| ["db", "app1", "app2"].map(|name| site.server(name));
    let before = ids(&site);
    let ran = site.deploy(
        &[&KEY[..], &["--credentials", "credentials.yaml", "--hosts", "cloud.yaml", "--admin", "--move"]].concat(),
    );
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!((site.standing()["web"].as_str(), ids(&site)), ("compute-4", before), "{ran}");
}

#[test]
fn without_an_administrators_rights_there_are_zones_and_groups_and_they_stay() {
    let site = site(false);
    let ran = hosts(&site);
    assert!(ran.code == Some(1) && ran.out.is_empty() && ran.err.matches("error").count() == 1, "{ran}");
    assert!(ran.err.contains("the hosts of the cloud `simulated` are shown to its administrators only"), "{ran}");
    fs::write(site.path().join("cloud.yaml"), EMPTY).expect("writes");
    policies(&site, "{apart: [app1, app2]}");
    let ran = site.deploy(&["--hosts", "cloud.yaml"]);
    assert!(ran.code == Some(0) && ran.out.contains("Nova chooses the host"), "{ran}");
    let zones = || {
        let there = site.there();
        let zones: Vec<Value> =
            there["servers"].iter().map(|server| server["OS-EXT-AZ:availability_zone"].clone()).collect();
        zones
    };
    let first = (zones(), ["db", "app1", "app2", "web"].map(|name| site.server(name)));
    // Without `--admin`, their hosts are not known, and nothing changes.
    let ran = plan(&site, &["--cloud", "simulated"]);
    assert_eq!((ran.code, ran.out.matches("it is not known where").count()), (Some(0), 4), "{ran}");
    let ran = site.deploy(&[&KEY[..], &["--credentials", "credentials.yaml", "--hosts", "cloud.yaml"]].concat());
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!((zones(), ["db", "app1", "app2", "web"].map(|name| site.server(name))), first);
    // Servers are not moved without a list of hosts.
    let ran = plan(&site, &["--move"]);
    assert!(ran.code == Some(2) && ran.err.contains("--admin"), "{ran}");
}

#[test]
fn what_is_wrong_with_hosts_is_said_before_anything_is_made() {
    let site = site(true);
    fs::write(site.path().join("cloud.yaml"), EMPTY.replace("in: r2", "in: r22")).expect("writes");
    let ran = site.deploy(&["--hosts", "cloud.yaml", "--admin"]);
    assert!(ran.code == Some(1) && ran.err.contains("which is not a place in the file"), "{ran}");
    assert!(ran.err.contains("the servers of `three_tier` were not placed, and nothing was done"), "{ran}");
    assert!(site.there()["servers"].is_empty() && !site.path().join("operator.key").exists());
}
