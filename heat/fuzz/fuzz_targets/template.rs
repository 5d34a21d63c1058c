//! Any text yields diagnostics and a graph; never a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wattle_heat::{Graph, Loaded};
use wattle_hot::{check, model};

fuzz_target!(|text: &str| {
    let loaded = Loaded::of(text, "template.yaml");
    for diagnostic in check(&loaded) {
        assert!(!diagnostic.message.is_empty());
    }
    let _ = Graph::of(&loaded);
    let _ = model::read(&loaded);
});
