//! The effect of applying a seed on a data space, including interrupted applications.

mod broken_off;
mod deployed;
mod imports;
mod late_rights;
mod refused;
mod revisions;
mod secrets;
mod standing;
mod two_operators;

use std::sync::Arc;

use serde_json::json;
use wattle::author::{Blueprint, Exports, Topology};
use wattle::lower::Seed;
use wattle::model::Model;
use wattle::prelude::*;
use wattle_catalog::nova;
use wattle_runtime::seed::Options;
use wattle_runtime::space::{ServerPlan, Space};
use wattle_runtime::store::{Memory, Store};
use wattle_tests::random::Anything;
use wattle_tests::seeds::options;

pub(crate) fn memory() -> Arc<dyn Store> {
    Arc::new(Memory::new())
}

pub(crate) fn three_tier(apps: usize) -> Model {
    three_tier::three_tier.model(serde_json::from_value(json!({ "apps": apps })).expect("settings"))
}

pub(crate) fn server(t: &mut Topology, name: &str) -> nova::Server {
    t.add(name, nova::Server::new().image("debian-12").flavor("m1.small"))
}

/// A stack that exports an entry, a constant, and both in one text.
pub(crate) fn exporter(parts: &[&str]) -> Model {
    let mut t = Topology::new("exporter");
    let host = server(&mut t, "host");
    let mut last = None;
    for part in parts {
        last = Some(t.on(host).run(*part, Anything::new().texts([*part])));
    }
    let last = last.expect("a part");
    let exports = Exports::new().entry("text", last.text).entry("joined", text!("{}:{}", last.text, last.count));
    t.finish(exports.entry("number", last.count))
}

/// A stack that imports from [`exporter`]: each of `readers` is a server and the exports that it reads.
pub(crate) fn importer(readers: &[(&str, &[&'static str])]) -> Model {
    let mut t = Topology::new("importer");
    for (name, exports) in readers {
        let host = server(&mut t, name);
        let texts = exports.iter().map(|name| text!("{}", t.import(Export::<String>::new("exporter", name))));
        let texts = texts.collect::<Vec<_>>();
        t.on(host).run("part", Anything::new().texts(texts));
    }
    t.finish(Exports::new())
}

pub(crate) async fn plan(store: &Arc<dyn Store>, stack: &str, server: &str) -> ServerPlan {
    Space::new(Arc::clone(store), stack).plan(server).await.expect("reads").expect("a plan")
}

/// Options with credentials for all of `seeds`.
pub(crate) fn options_for(seeds: &[&Seed]) -> Options {
    let mut all = options(seeds[0]);
    seeds.iter().for_each(|seed| all.credentials.complete(seed, &all.key));
    all
}
