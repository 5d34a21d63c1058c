//! Deploying the infrastructure of W(N): Heat, and the engine without Heat.
//!
//! `cargo bench -p wattle-tests --bench deploy [-- N...]` prints the tables of `docs/benchmarks.md`. Heat's engine runs
//! with convergence in one process, and its resources exist as soon as they are requested: no request leaves the
//! process. The engine without Heat has a ZooKeeper, and sends requests to the simulated cloud over HTTP, where servers
//! are ready at once, too.
//!
//! The timeout for Heat is 40 minutes, or `WATTLE_HEAT_MINUTES`: if it has not finished by then, its progress is
//! reported.
//!
//! Where `WATTLE_OPENSTACK` is set, both use the real services that `OS_*` select, compared to a bare client:
//! `tests/openstack/lab exec env WATTLE_OPENSTACK=1 cargo bench -p wattle-tests --bench deploy`.

mod bare;
mod own;
mod real;

use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use wattle_cloud::Setting;
use wattle_openstack::clouds::CloudConfig;
use wattle_tests::cloud::CloudServer;

use own::{Own, Took};

/// How many times fast measurements are repeated; the median counts.
const TIMES: usize = 3;

fn main() {
    let wanted: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let or = |sizes: &[usize]| if wanted.is_empty() { sizes.to_vec() } else { wanted.clone() };
    if wattle_tests::openstack::is_named() {
        return real::compared(&or(&[20, 100]));
    }
    println!(
        "| tiers | resources | Heat | without Heat | ratio | writing requests a resource | reading requests a resource |"
    );
    println!("|---|---|---|---|---|---|---|");
    for size in or(&[100, 1_000]) {
        let template = template(size, "one");
        let mut own: Vec<Took> = (0..TIMES).map(|_| without_heat(&template)).collect();
        own.sort_by_key(|took| took.time);
        let Took { time, writes, reads } = own[TIMES / 2];
        // Heat takes minutes for many tiers: print the first results now.
        eprintln!("W({size}) without Heat: {time:?}, {writes} writing and {reads} reading requests");
        let heat = heat(&template);
        let resources = u32::try_from(2 * size + 3).expect("not that many");
        let per = |count: u32| f64::from(count) / f64::from(resources);
        let time = time.as_secs_f64();
        let (heat, ratio) = match heat {
            Heat::Complete(heat) => {
                let heat = heat.as_secs_f64();
                (format!("{heat:.1} s"), format!("{:.1}", heat / time))
            }
            Heat::Incomplete(there) => {
                let least = patience();
                let minutes = least.as_secs() / 60;
                let ratio = format!("more than {:.0}", least.as_secs_f64() / time);
                (format!("not complete in {minutes} min: {there} of {resources}"), ratio)
            }
            Heat::Failed(after, there, why) => {
                let minutes = after.as_secs() / 60;
                (format!("failed after {minutes} min, with {there} of {resources}: {why}"), "none".to_owned())
            }
        };
        let (writes, reads) = (per(writes), per(reads));
        println!("| {size} | {resources} | {heat} | {time:.1} s | {ratio} | {writes:.2} | {reads:.2} |");
    }
}

/// The infrastructure of W(N), with these tags on its servers.
fn template(tiers: usize, tagged: &str) -> String {
    let mut text = "heat_template_version: 2021-04-16\nresources:\n  net: {type: OS::Neutron::Net}\n  \
                    subnet: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 10.0.0.0/16}}\n  \
                    group: {type: OS::Neutron::SecurityGroup}\n"
        .to_owned();
    for tier in 0..tiers {
        text += &format!(
            "  port{tier}: {{type: OS::Neutron::Port, properties: {{network: {{get_resource: net}}, fixed_ips: [{{subnet: \
             {{get_resource: subnet}}}}], security_groups: [{{get_resource: group}}]}}}}\n  server{tier}: {{type: \
             OS::Nova::Server, properties: {{image: debian-12, flavor: m1.small, networks: [{{port: {{get_resource: \
             port{tier}}}}}], metadata: {{tier: {tagged}}}, user_data_format: RAW, user_data: '#!/bin/sh'}}}}\n"
        );
    }
    text
}

/// Heat's result.
enum Heat {
    Complete(Duration),
    /// It was not finished, and this many of its resources were complete.
    Incomplete(usize),
    /// It failed after this time, with this many resources complete, for this reason.
    Failed(Duration, usize, String),
}

/// The timeout for Heat.
fn patience() -> Duration {
    let minutes = std::env::var("WATTLE_HEAT_MINUTES").ok().and_then(|minutes| minutes.parse().ok());
    Duration::from_mins(minutes.unwrap_or(40))
}

fn heat(template: &str) -> Heat {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("template.yaml");
    std::fs::write(&path, template).expect("writes");
    let out = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/heat/run"))
        .args(["create.py", "--no-limits", "--timeout", &patience().as_secs().to_string()])
        .arg(&path)
        .output()
        .expect("runs");
    let said: Value = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&out.stderr)));
    let Some(seconds) = said["seconds"].as_f64() else { panic!("{}", said["message"]) };
    let after = Duration::from_secs_f64(seconds);
    let resources = said["resources"].as_object().expect("resources");
    let there = resources.values().filter(|one| one["status"] == "CREATE_COMPLETE").count();
    match &said["status"] {
        status if *status == "CREATE_COMPLETE" => Heat::Complete(after),
        _ if said["error"] == "Timeout" => Heat::Incomplete(there),
        _ => Heat::Failed(after, there, said["message"].as_str().unwrap_or_default().to_owned()),
    }
}

fn without_heat(template: &str) -> Took {
    let cloud = CloudServer::start(Setting { takes: Duration::ZERO, ..Setting::default() });
    let clouds = format!(
        "clouds: {{simulated: {{auth: {{auth_url: '{}', username: demo, password: demo, project_name: demo, user_domain_id: \
         default, project_domain_id: default}}}}}}",
        cloud.auth_url()
    );
    Own::new(&CloudConfig { clouds: Some(("clouds.yaml".into(), clouds)), ..CloudConfig::default() }).deploy(template)
}
