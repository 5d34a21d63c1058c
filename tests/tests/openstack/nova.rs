//! Nova's own filters and weighers place servers like the model of them that placement is compared with.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use wattle_place::{Host, MEMORY, VCPUS};
use wattle_tests::openstack::is_there;

use super::clouds::{Made, made};
use super::one_by_one::{Choice, one_by_one};

/// The hosts chosen by Nova, through `python/scheduler.py`.
fn by_nova(Made { cloud, problem, .. }: &Made) -> Vec<Option<usize>> {
    let group = |server: usize| problem.policies.iter().position(|policy| policy.members.contains(&server));
    let host = |host: &Host| {
        let used = |one: &str| host.total[one] - host.free(one).expect("it is known");
        json!({
            "vcpus": host.total[VCPUS], "vcpus_used": used(VCPUS),
            "memory": host.total[MEMORY], "memory_used": used(MEMORY),
        })
    };
    let hosts: Vec<Value> = cloud.hosts.iter().map(host).collect();
    let servers = problem.servers.iter().enumerate().map(|(number, server)| {
        json!({ "vcpus": server.demand[VCPUS], "memory": server.demand[MEMORY], "group": group(number) })
    });
    let asked = json!({ "hosts": hosts, "servers": servers.collect::<Vec<_>>() });
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/openstack/python");
    // With `-P`, Python does not import the `nova.py` beside the script, which is not Nova.
    let mut python = Command::new("python3")
        .args(["-P", "scheduler.py"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python");
    python.stdin.take().expect("a pipe").write_all(asked.to_string().as_bytes()).expect("it reads");
    let out = python.wait_with_output().expect("it ends");
    assert!(out.status.success(), "{out:?}");
    serde_json::from_slice(&out.stdout).expect("a list")
}

#[test]
fn nova_s_scheduler_places_as_its_model_does_on_a_real_openstack() {
    if !is_there("Nova's scheduler beside the model of it") {
        return;
    }
    for (servers, hosts) in [(40, 20), (200, 100)] {
        for fill in [60, 80, 90, 95, 98] {
            for seed in 0..3 {
                let made = made(servers, hosts, fill, seed);
                let (model, nova) = (one_by_one(&made.cloud, &made.problem, Choice::Nova), by_nova(&made));
                assert!(nova.iter().flatten().count() > servers / 2, "{servers} on {hosts}, {fill} %: {nova:?}");
                assert_eq!(model, nova, "{servers} on {hosts}, {fill} %, {seed}");
            }
        }
    }
}
