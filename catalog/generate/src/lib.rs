//! Generates the typed catalog from the schemas of Heat's engine.
//!
//! What lives here: reading the schemas (`schema`), tables of what they lack (`references`, `exceptions`), names
//! (`naming`), the content of the output (`plan`), its documentation (`docs`) and text (`render`), and example values of
//! everything for the tests (`samples`). What must not: anything that a blueprint needs. `wattle import`, which writes
//! blueprints, reads the plan, so that both use the same names.

mod docs;
mod exceptions;
pub mod naming;
pub mod plan;
mod references;
mod render;
mod samples;
pub mod schema;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::schema::Types;

/// The folders that contain only generated files.
pub const FOLDERS: [&str; 2] = ["catalog/src/heat", "tests/tests/catalog/types"];

/// Every generated file, by its path below the workspace.
///
/// # Errors
/// If `json` is not the output of `tests/heat/dump_types.py`.
///
/// # Panics
/// If the tables of this crate lack something in Heat's schemas, or `rustfmt` is missing.
pub fn files(json: &str) -> Result<Vec<(PathBuf, String)>, serde_json::Error> {
    let types: Types = serde_json::from_str::<Types>(json)?.with_effects();
    let services = plan::services(&types);
    let [catalog, tests] = FOLDERS.map(PathBuf::from);
    let mut files = vec![
        (catalog.join("mod.rs"), render::modules(&types.heat, &services)),
        (catalog.join("references.rs"), render::references(&types.heat)),
        (tests.join("mod.rs"), samples::modules(&types.heat, &services)),
    ];
    for service in &services {
        let name = format!("{}.rs", service.name);
        files.push((catalog.join(&name), render::service(&types.heat, service)));
        files.push((tests.join(&name), samples::service(&types.heat, service)));
    }
    for (_, text) in &mut files {
        *text = formatted(text);
    }
    Ok(files)
}

/// `text` as formatted by rustfmt with the workspace's settings.
fn formatted(text: &str) -> String {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt starts: it comes with the toolchain");
    let mut input = rustfmt.stdin.take().expect("INVARIANT: a pipe");
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = rustfmt.wait_with_output().expect("rustfmt ends");
    writer.join().expect("INVARIANT: it does not panic").expect("rustfmt reads");
    assert!(output.status.success(), "rustfmt refuses what was generated");
    String::from_utf8(output.stdout).expect("INVARIANT: Rust is UTF-8")
}

#[cfg(test)]
mod tests {
    use indexmap::IndexMap;

    use super::*;
    use crate::schema::Property;

    /// The path to each property, and to the items of each list: `OS::Neutron::Port.fixed_ips[].subnet`.
    fn paths(at: &str, properties: &IndexMap<String, Property>, all: &mut Vec<String>) {
        for (name, property) in properties {
            let (mut at, mut property) = (format!("{at}.{name}"), property);
            all.push(at.clone());
            while property.t == schema::PropertyType::List {
                at += "[]";
                all.push(at.clone());
                let Some(item) = &property.item else { break };
                property = item;
            }
            paths(&at, &property.keys, all);
        }
    }

    #[test]
    fn no_table_speaks_of_what_heat_does_not_have() {
        let types: Types =
            serde_json::from_str(include_str!("../../../heat/schemas/resource-types.json")).expect("Heat's types");
        let mut known: Vec<String> = types.types.keys().cloned().collect();
        for (ty, schema) in &types.types {
            paths(ty, &schema.props, &mut known);
        }
        let named = exceptions::paths().into_iter().chain(samples::paths()).chain(references::types());
        let unknown: Vec<String> = named.filter(|path| !known.contains(path)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        let in_words = references::in_words().filter(|end| !known.iter().any(|path| path.ends_with(end)));
        assert_eq!(in_words.collect::<Vec<_>>(), [""; 0]);
    }
}
