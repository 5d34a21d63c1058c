//! Fingerprints, which tell whether a component is the same as when it finished.

use std::collections::BTreeMap;

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use wattle_model::{IndexMap, Name, Type, Value};

use crate::hex;
use crate::server_plan::PlannedComponent;

#[derive(PartialEq, Serialize)]
struct Declared<'a> {
    tool: &'static str,
    recipe: &'a str,
    files: BTreeMap<&'a str, &'a str>,
    inputs: BTreeMap<&'a str, (&'a Type, &'a [Name])>,
    outputs: BTreeMap<&'a str, (&'a Type, &'a [Name], bool)>,
    values: BTreeMap<&'a str, serde_json::Value>,
}

/// The fingerprint of a component's declaration, recipe and inputs. The readers of its outputs, its deadline and its
/// teardown are not included.
///
/// # Panics
/// Never: a plan can always be written as JSON.
pub fn fingerprint(planned: &PlannedComponent, values: &IndexMap<Name, Value>) -> String {
    let text = serde_json::to_vec(&declared(planned, values)).expect("INVARIANT: a plan is JSON");
    hex(&Sha256::digest(&text))
}

/// Whether two components have the same fingerprint when given the same values.
pub fn may_be_same(one: &PlannedComponent, other: &PlannedComponent) -> bool {
    let nothing = IndexMap::default();
    declared(one, &nothing) == declared(other, &nothing)
}

fn declared<'a>(planned: &'a PlannedComponent, values: &'a IndexMap<Name, Value>) -> Declared<'a> {
    Declared {
        tool: planned.recipe.tool.name(),
        recipe: &planned.recipe.entry,
        files: planned.recipe.files.iter().map(|(path, digest)| (&**path, &**digest)).collect(),
        inputs: planned.inputs.iter().map(|(name, input)| (&**name, (&input.ty, &*input.path))).collect(),
        outputs: planned
            .outputs
            .iter()
            .map(|(name, output)| (&**name, (&output.declared.ty, &*output.declared.path, output.declared.early)))
            .collect(),
        values: values.iter().map(|(name, value)| (&**name, sorted(value))).collect(),
    }
}

/// The order of a map's keys does not matter.
fn sorted(value: &Value) -> serde_json::Value {
    match value {
        Value::List(values) => values.iter().map(sorted).collect(),
        Value::Map(values) => {
            let values: BTreeMap<_, _> = values.iter().map(|(name, value)| (name.to_string(), sorted(value))).collect();
            values.into_iter().collect()
        }
        other => serde_json::to_value(other).expect("INVARIANT: what the data space holds is JSON"),
    }
}
