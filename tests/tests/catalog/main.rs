//! The catalog before the real Heat: every type that it has, with what the type requires and with all that it takes.

mod types;

use std::fmt::Write;
use std::fs;

use wattle::check::{Limits, Severity, check};
use wattle::lower::{Options, lower};
use wattle::prelude::*;
use wattle_tests::oracle::{self, Oracle};

/// Heat's refusals, one a line: what a value generator cannot know. `UPDATE=1` writes them.
const REFUSED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/catalog/refused.txt");

#[test]
fn heat_takes_every_type() {
    let mut oracle = Oracle::start();
    let folder = tempfile::tempdir().expect("a folder");
    let mut refused = String::new();
    for case in types::all() {
        for (what, add) in [("required", case.required), ("every", case.every)] {
            let mut t = Topology::new("demo");
            add(&mut t);
            let model = t.finish(Exports::new());
            for finding in check(&model, &Limits::default()) {
                assert_ne!(finding.severity, Severity::Error, "{} {what}: {finding:?}", case.ty);
            }
            let answer = oracle.validate(&oracle::write(&lower(&model, &Options::default()), folder.path(), true));
            if answer["ok"] != true {
                let _ = writeln!(refused, "{} {what}: {}", case.ty, answer["message"].as_str().unwrap_or_default());
            }
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(REFUSED, &refused).expect("a file");
    }
    assert_eq!(refused, fs::read_to_string(REFUSED).unwrap_or_default(), "as Heat refuses; look at each line");
}
