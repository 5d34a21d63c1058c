//! Faults in a cloud, a login or a template are reported before anything is created.

use std::path::Path;

use wattle_cloud::{Doing, Rule, Setting};
use wattle_openstack::Method;
use wattle_tests::running::Ran;
use wattle_tests::site::{NOTHING, PASSWORD, Site};

/// Compares the message with a golden, and asserts that no key was created.
pub(crate) fn refused(site: &Site, name: &str, args: &[&str]) {
    let ran = site.deploy(args);
    said(site, name, &ran);
    assert!(!site.path().join("operator.key").exists(), "no key is left behind");
}

/// Compares a message about a fault with a golden.
pub(crate) fn said(site: &Site, name: &str, ran: &Ran) {
    let here = site.path().to_str().expect("text").to_owned();
    let said = format!("{ran}").replace(&here, "<here>").replace(&site.cloud.auth_url(), "<cloud>/identity/v3");
    let host = site.cloud.auth_url();
    let host = host.trim_start_matches("http://").split('/').next().unwrap_or_default();
    let said = said.replace(host, "<host>").replace(&site.space(), "<space>");
    assert_ne!(ran.code, Some(0), "{ran}");
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens"));
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("deploy-{name}"), said));
}

#[test]
fn nothing_is_made_where_something_is_wrong() {
    let site = Site::new();
    refused(&site, "no-such-cloud", &["--cloud", "simulatd"]);
    site.clouds("wrong");
    refused(&site, "wrong-password", &[]);
    let ran = site.ask_at("zookeeper://127.0.0.1:1", &["deploy", ".", "--yes", "-P", PASSWORD]);
    said(&site, "unreachable-space", &ran);
    site.clouds("demo");
    let clouds = site.path().join("clouds.yaml");
    let text = std::fs::read_to_string(&clouds).expect("reads");
    std::fs::write(&clouds, text.replace(&site.cloud.auth_url(), "http://127.0.0.1:1/identity/v3")).expect("writes");
    refused(&site, "unreachable", &[]);
    std::fs::write(&clouds, text.replace("/identity/v3", "/keystone/v3")).expect("writes");
    refused(&site, "no-identity", &[]);
    std::fs::write(&clouds, text.replace("auth:", "compute_endpoint_override: http://127.0.0.1:1/compute\n    auth:"))
        .expect("writes");
    refused(&site, "unreachable-compute", &[]);
    // wattle creates nothing in the image service, but no server without it.
    std::fs::write(&clouds, text.replace("auth:", "image_endpoint_override: http://127.0.0.1:1/image\n    auth:"))
        .expect("writes");
    refused(&site, "unreachable-image", &[]);
    std::fs::write(&clouds, text.replace("auth:", "region_name: elsewhere\n    auth:")).expect("writes");
    refused(&site, "no-region", &[]);
    std::fs::write(&clouds, text.replace("auth:", "cacert: /nowhere/ca.pem\n    auth:")).expect("writes");
    refused(&site, "no-authority", &[]);
    std::fs::remove_file(&clouds).expect("removes");
    refused(&site, "no-clouds", &["--cloud", "simulated"]);
    site.clouds("demo");
    let template = site.path().join("template.yaml");
    let emitted = std::fs::read_to_string(&template).expect("reads");
    let more = "resources:\n  zone: {type: OS::Designate::Zone, properties: {name: a.example., email: a@a.example}}\n  \
                waits: {type: OS::Heat::WaitCondition, properties: {handle: x, timeout: 5}}\n";
    std::fs::write(&template, emitted.replacen("resources:\n", more, 1)).expect("writes");
    refused(&site, "types-beyond", &[]);
    let more = "resources:\n  lan: {type: OS::Neutron::Net, properties: {dhcp_agent_ids: ['7']}}\n  \
                admin: {type: OS::Nova::KeyPair, properties: {name: admin}}\n  \
                other: {type: OS::Nova::KeyPair, properties: {name: other, public_key: x, type: x509}}\n";
    std::fs::write(&template, emitted.replacen("resources:\n", more, 1)).expect("writes");
    refused(&site, "properties-beyond", &[]);
    std::fs::write(&template, emitted).expect("writes");
    site.deployed(&[]);
}

#[test]
fn a_data_space_that_does_not_answer_is_said_before_it_is_given_up() {
    let site = Site::embedded(Setting::default());
    let key = ["--key", "operator.key"];
    for args in [&["ls"][..], &["seed", "apply", ".", "-P", PASSWORD]] {
        let ran = site.ask_at("zookeeper://127.0.0.1:1", &[args, &key].concat());
        let (said, error) = ran.err.split_once("error: ").unwrap_or_else(|| panic!("{ran}"));
        assert_eq!(said, "waiting for the data space at zookeeper://127.0.0.1:1, which does not answer yet\n", "{ran}");
        assert!(error.contains("127.0.0.1:1: connection refused") && error.contains("`--space`"), "{ran}");
        assert_eq!(ran.code, Some(1), "{ran}");
    }
    // A service other than ZooKeeper.
    let cloud = site.cloud.auth_url();
    let host = cloud.trim_start_matches("http://").split('/').next().expect("a host");
    let ran = site.ask_at(&format!("zookeeper://{host}"), &[&["ls"][..], &key].concat());
    let says = format!("{host} accepts connections, but does not answer as a ZooKeeper");
    assert!(ran.code == Some(1) && ran.err.contains(&says), "{ran}");
}

/// `deploy` and `wattle check` give the same verdict on the same values.
#[test]
fn what_heat_would_refuse_is_refused_before_anything_is_made() {
    let site = Site::embedded(Setting::default());
    let key = ["--key", "operator.key"];
    let template = site.path().join("template.yaml");
    let emitted = std::fs::read_to_string(&template).expect("reads");
    let more = "resources:\n  group: {type: OS::Heat::ResourceGroup, properties: {count: {get_param: n}, resource_def: \
                {type: OS::Heat::None}}}\n  disk: {type: OS::Cinder::Volume, properties: {size: {get_param: size}}}\n  \
                lan: {type: OS::Neutron::Subnet, properties: {network: {get_resource: backbone}, cidr: {get_param: cidr}}}\n";
    let with = |n: &str, size: &str, cidr: &str| {
        let more = more.replace("{get_param: n}", n).replace("{get_param: size}", size);
        let more = more.replace("{get_param: cidr}", cidr);
        std::fs::write(&template, emitted.replacen("resources:\n", &more, 1)).expect("writes");
    };
    with("-1", "0", "10.9.0.0/33");
    let ran = site.deploy(&key);
    assert!(ran.code == Some(2) && ran.err.contains("3 things are wrong in `template.yaml`"), "{ran}");
    assert!(ran.err.contains("10.9.0.0/33"), "{ran}");
    assert_eq!(site.counts(), NOTHING);
    with("1", "1", "10.9.0.0/24");
    site.deployed(&key);
}

#[test]
fn a_token_that_ends_meanwhile_is_said_once() {
    let site = Site::new();
    let token = site.at_cloud(async |session| session.token().await.expect("a token").token.reveal().to_owned());
    let clouds = format!(
        "clouds: {{simulated: {{auth_type: token, auth: {{auth_url: '{}', token: {token}, project_name: demo, \
         project_domain_id: default}}}}}}\n",
        site.cloud.auth_url()
    );
    std::fs::write(site.path().join("clouds.yaml"), clouds).expect("writes");
    {
        let ended = |path: &str, after| Rule {
            after,
            times: u32::MAX,
            ..Rule::next(Method::Post, path, Doing::Refused(401, None))
        };
        let mut world = site.cloud.world();
        // The first login succeeds, and later ones are refused.
        world.befall(ended("/auth/tokens", 1));
        world.befall(ended("/networking/", 0));
    }
    let ran = site.deploy(&[]);
    assert_eq!(ran.code, Some(1), "{ran}");
    // The command does not retry ten times.
    assert!(!ran.err.contains("cannot determine what exists,"), "{ran}");
    let said = ran.err.matches("does not accept the token").count();
    assert_eq!(said, 2, "when it happens, and at the end: {ran}");
    assert!(ran.err.contains(" failed as `"), "{ran}");
    assert!(ran.err.contains("`openstack token issue") && !ran.err.contains("the password in"), "{ran}");
}
