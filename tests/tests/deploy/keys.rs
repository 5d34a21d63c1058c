//! A user without the operator's key, or with another one, gets an error before anything is done.

use wattle_tests::site::{PASSWORD, SHOP, Site};

use super::KEY;
use super::wrong::said;

#[test]
fn without_the_operator_s_key_nothing_is_done() {
    let site = Site::new();
    site.deployed(&[]);
    let place = |name: &str| site.path().join(name);
    let template = std::fs::read_to_string(place("template.yaml")).expect("reads");
    let more = template.replacen("resources:\n", "resources:\n  lan: {type: OS::Neutron::Net}\n", 1);
    std::fs::write(place("template.yaml"), more).expect("writes");
    let other = Site::new();
    other.deployed(&[]);
    std::fs::copy(other.path().join("operator.key"), place("other.key")).expect("copies");
    std::fs::write(place("garbage.key"), "AGE-SECRET-KEY-1\n").expect("writes");
    std::fs::rename(place("operator.key"), place("kept.key")).expect("moves");
    let credentials = std::fs::read(place("credentials.yaml")).expect("reads");
    let deploy = ["deploy", ".", "--yes", "--infrastructure-only", "-P", PASSWORD];
    for (name, key) in [
        ("key-missing", &[][..]),
        ("key-nowhere", &["--key", "nowhere.key"]),
        ("key-other", &["--key", "other.key"]),
        ("key-garbage", &["--key", "garbage.key"]),
    ] {
        let ran = site.ask(&[&deploy[..], key].concat());
        said(&site, name, &ran);
        let ran = site.ask(&[&["destroy", "--yes"][..], key].concat());
        said(&site, &format!("{name}-destroy"), &ran);
        assert_eq!(site.counts(), SHOP, "{name}");
        assert!(!place("operator.key").exists() && !place("nowhere.key").exists(), "{name}: no key is made");
        assert_eq!(std::fs::read(place("credentials.yaml")).expect("reads"), credentials, "{name}");
    }
    let ran = site.ask(
        &[&["adopt", ".", "-P", PASSWORD, "lan=0d1f8a3e-5d56-4a41-8a7b-2f9f0e7f1b11"][..], &["--key", "other.key"]]
            .concat(),
    );
    said(&site, "key-other-adopt", &ran);
    std::fs::rename(place("kept.key"), place("operator.key")).expect("moves");
    site.deployed(&KEY);
}
