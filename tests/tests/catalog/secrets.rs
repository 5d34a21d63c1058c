//! Secrets are passed only where the cloud keeps them, in typed resources as well.

use wattle::author::Parameters as _;
use wattle::check::{Limits, check};
use wattle::prelude::*;
use wattle_catalog::{heat, nova};

#[derive(Parameters)]
struct Settings {
    /// Password of the administrator.
    #[parameter]
    password: Parameter<Secret<String>>,
}

#[test]
fn user_data_of_a_server_without_components_takes_secrets() {
    let mut t = Topology::new("demo");
    let p = Settings::declare(&mut t);
    let server = || nova::Server::new().image("debian-12").flavor("m1.small");
    let script = text!("#!/bin/sh\nprintf 'root:%s' '{}' | chpasswd\n", p.password);
    t.add("by_text", server().user_data(script));
    t.add("by_parameter", server().user_data(p.password).admin_pass(text!("{}!", p.password)));
    let config = t.add("config", heat::CloudConfig::new());
    t.add("by_config", server().user_data(config));
    t.add("plain", server().user_data("#!/bin/sh\n"));
    let found = check(&t.finish(Exports::new()), &Limits::default());
    assert_eq!(found, []);
}
