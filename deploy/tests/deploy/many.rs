//! The time for many resources.

use std::time::Duration;

use wattle_converge::Target as _;

use crate::desk::{Desk, deployment};

/// The CPU time of this thread, independent of other work on the machine.
fn processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|text| text.parse().ok());
    nanos.map_or(Duration::ZERO, Duration::from_nanos)
}

/// A text that all servers share, and groups of them in nested stacks, as in lowered templates.
fn template(parts: usize) -> (String, String) {
    let mut root = format!(
        "resources:\n  net: {{type: OS::Neutron::Net}}\n  text: {{type: OS::Heat::Value, properties: {{value: '{}'}}}}\n",
        "#!/bin/sh ".repeat(800)
    );
    for part in 0..parts {
        root.push_str(&format!(
            "  part{part}: {{type: part.yaml, properties: {{net: {{get_resource: net}}, text: {{get_attr: [text, value]}}}}}}\n"
        ));
    }
    let mut part = "parameters: {net: {type: string}, text: {type: string}}\nresources:\n".to_owned();
    for server in 0..125 {
        part.push_str(&format!(
            "  port{server}: {{type: OS::Neutron::Port, properties: {{network: {{get_param: net}}}}}}
  web{server}:
    type: OS::Nova::Server
    properties:
      {{flavor: m1, image: i, networks: [{{port: {{get_resource: port{server}}}}}], user_data_format: RAW,
       user_data: {{list_join: ['', [{{get_param: text}}, {{server: web{server}, net: {{get_resource: port{server}}}}}]]}}}}\n"
        ));
    }
    (root, part)
}

/// Measures, and fails only if something grows faster than allowed.
#[test]
fn time_grows_with_the_number_of_resources() {
    let (few, many) = (measured(2), measured(10));
    assert!(many < few * 20, "{few:?} and {many:?}");
}

fn measured(parts: usize) -> Duration {
    let (root, part) = template(parts);
    let begin = processor();
    let target = deployment(&root, &[("part.yaml", &part)]);
    let read = processor().saturating_sub(begin);
    let mut desk = Desk::new();
    desk.reach(&target);
    let all = processor().saturating_sub(begin);
    assert_eq!(target.resources().len(), parts * 250 + 1);
    let text = desk.property("part0/web7", "user_data").to_string();
    assert!(
        text.ends_with(&format!(r#"{{\"net\": \"{}\", \"server\": \"web7\"}}""#, desk.phys("part0/port7"))),
        "{text}"
    );
    println!("{} resources: {read:?} to read, {all:?} with the engine", parts * 250 + 1);
    all
}

/// Run by `cargo test --release -p wattle-deploy --test deploy -- --ignored --nocapture`.
#[test]
#[ignore = "it measures"]
fn time_of_ten_thousand_resources() {
    measured(40);
}
