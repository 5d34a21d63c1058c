//! Services missing from the catalogue of a simulated cloud, and expiring tokens, as a process of its own.

use wattle_tests::cloud::CloudProcess;
use wattle_tests::site::{SHOP, Site};

#[test]
fn a_service_that_the_catalogue_lacks_is_named_before_anything_is_made() {
    for service in ["compute", "network", "image"] {
        let site = Site::at(CloudProcess::start(&["--without", service]), "demo");
        let ran = site.deploy(&[]);
        assert_eq!(ran.code, Some(1), "{ran}");
        let says = format!("the cloud `simulated` has no service of the type `{service}` with the interface `public`");
        assert!(ran.err.contains(&says) && ran.err.contains("help"), "{ran}");
        assert!(!site.path().join("operator.key").exists());
    }
    // What nothing is needed of may be missing.
    let site = Site::at(CloudProcess::start(&["--without", "block-storage"]), "demo");
    site.deployed(&[]);
    assert_eq!(site.counts().first(), Some(&SHOP[0]));
}

#[test]
fn a_token_that_ends_is_replaced() {
    let site = Site::at(CloudProcess::start(&["--token", "2s"]), "demo");
    site.deployed(&[]);
    assert_eq!(site.counts(), SHOP);
}
