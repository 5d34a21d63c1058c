//! The author of a template, or of a folder that is handed over, cannot obtain the user's secrets by it.

use std::fs;
use std::os::unix::fs::symlink;

use wattle_tests::site::{NOTHING, PASSWORD, SHOP, Site};

use super::KEY;

#[test]
fn a_template_brings_no_key_to_servers_and_nothing_that_links_lead_to() {
    let site = Site::new();
    site.deployed(&[]);
    let path = |name: &str| site.path().join(name);
    let template = fs::read_to_string(path("template.yaml")).expect("reads");
    let elsewhere = tempfile::tempdir().expect("a folder");
    fs::write(elsewhere.path().join("id_rsa"), "SSHSECRET").expect("writes");
    symlink(elsewhere.path().join("id_rsa"), path("notes.txt")).expect("links");
    symlink("operator.key", path("settings.txt")).expect("links");
    for (file, why) in [
        ("operator.key", "which no template may contain"),
        ("./credentials.yaml", "which no template may contain"),
        ("settings.txt", "which no template may contain"),
        ("notes.txt", "a link leads to it out of the folder"),
    ] {
        let more =
            format!("resources:\n  leak: {{type: OS::Heat::Value, properties: {{value: {{get_file: {file}}}}}}}\n");
        fs::write(path("template.yaml"), template.replacen("resources:\n", &more, 1)).expect("writes");
        for args in
            [&["deploy", ".", "--yes", "-P", PASSWORD][..], &["seed", "apply", ".", "-P", PASSWORD], &["plan", "."]]
        {
            let ran = site.ask(&[args, &KEY].concat());
            assert!(ran.code != Some(0) && ran.err.contains(why), "{file}, {args:?}: {ran}");
        }
        let ran = site.ask(&["lower", "template.yaml", "--out", "lowered", "--stack", "leaky"]);
        assert!(ran.code != Some(0) && !path("lowered").exists(), "{file}: {ran}");
    }
    assert_eq!(site.counts(), SHOP);
}

#[test]
fn a_cloud_that_lies_in_the_folder_gets_no_password_that_is_kept_at_home() {
    let site = Site::new();
    let home = tempfile::tempdir().expect("a folder");
    let config = home.path().join("openstack");
    fs::create_dir(&config).expect("makes");
    let own = "clouds: {simulated: {auth: {auth_url: 'https://own.example', username: demo}}}";
    fs::write(config.join("clouds.yaml"), own).expect("writes");
    fs::write(config.join("secure.yaml"), "clouds: {simulated: {auth: {password: demo}}}").expect("writes");
    let handed = fs::read_to_string(site.path().join("clouds.yaml")).expect("reads").replace("password: demo,", "");
    fs::write(site.path().join("clouds.yaml"), handed).expect("writes");
    let deploy = ["deploy", ".", "--yes", "--infrastructure-only", "-P", PASSWORD];
    let ran = site.ask_with(&deploy, &[("XDG_CONFIG_HOME", home.path().to_str().expect("text"))]);
    assert!(ran.code == Some(2) && ran.err.contains("the cloud `simulated` has no `password`"), "{ran}");
    // An environment for another cloud does not provide the password either.
    let environment = [("OS_CLOUD", "simulated"), ("OS_AUTH_URL", "https://own.example/v3"), ("OS_PASSWORD", "demo")];
    let ran = site.ask_with(&deploy, &environment);
    assert!(ran.code == Some(2) && ran.err.contains("the cloud `simulated` has no `password`"), "{ran}");
    site.clouds("demo");
    assert_eq!(site.counts(), NOTHING);
}
