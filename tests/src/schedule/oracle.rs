//! Computes the results of a topology, without running it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use wattle_runtime::space::FailureKind;

use super::topology::{Behaviour, Component, Topology, Wire};

/// `sha256:HEX`.
pub(super) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold("sha256:".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

/// The possible root components, and the kinds of their failures. More than one where several needs of a component
/// fail: which of them it learns first is random.
pub(super) type Roots = BTreeSet<(String, String)>;

/// The result of one component.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// The causes of its failure, if it fails.
    pub(super) roots: Roots,
    /// The values of its outputs; missing ones fail with it.
    pub(super) values: BTreeMap<String, Value>,
    /// Its inputs, if it gets to read them.
    pub(super) inputs: Option<BTreeMap<String, Value>>,
    /// Whether its recipe is started if it has not finished before.
    pub(super) starts: bool,
    /// Whether that depends on its past: a component that only follows a failure in order stays done if it was, and is
    /// unchanged.
    pub(super) is_open: bool,
    /// The values that its outputs keep then, as far as they are known.
    pub(super) kept: BTreeMap<String, Value>,
}

impl Outcome {
    pub(super) fn is_done(&self) -> bool {
        self.roots.is_empty()
    }
}

/// A kind of failure, as the data space writes it.
pub(super) fn kind(kind: FailureKind) -> String {
    json!(kind).as_str().expect("INVARIANT: kinds are words").to_owned()
}

/// The value of an output, from the recipe and its inputs.
pub(super) fn value(name: &str, version: usize, output: &str, inputs: &BTreeMap<String, Value>) -> Value {
    let text = json!([name, version, output, inputs]).to_string();
    digest(text.as_bytes())["sha256:".len()..][..16].into()
}

/// The address of a server on its network.
pub(super) fn address(server: &str) -> String {
    format!("10.0.0.{}", &server[1..])
}

/// The results of each component in the model, by number. Servers that are not `booted` do nothing.
pub(super) fn outcomes(topology: &Topology, booted: &[bool]) -> BTreeMap<usize, Outcome> {
    let mut outcomes: BTreeMap<usize, Outcome> = BTreeMap::new();
    for (at, component) in topology.present() {
        let outcome = if booted[component.server] {
            let mut outcome = one(topology, booted, (at, component), true, &outcomes);
            let order: Vec<usize> = component.after.iter().copied().chain(topology.before(at)).collect();
            let reads = component.inputs.iter().flat_map(|input| read_of(&input.wire));
            if order.iter().copied().chain(reads).any(|of| outcomes[&of].is_open) {
                outcome.is_open = true;
            } else if order.iter().any(|of| !outcomes[of].is_done()) {
                let otherwise = one(topology, booted, (at, component), false, &outcomes);
                outcome.is_open = otherwise.is_done() && otherwise.inputs.is_some();
                outcome.kept = otherwise.values;
            }
            outcome
        } else {
            // Its dependents wait in vain.
            Outcome::default()
        };
        outcomes.insert(at, outcome);
    }
    outcomes
}

/// The fate of an awaited thing.
enum Awaited {
    Value(Value),
    Fails(Roots),
    Never,
}

/// The components that a wire reads from.
fn read_of(wire: &Wire) -> Vec<usize> {
    match wire {
        Wire::Entry(component, _) | Wire::Text(component, _) => vec![*component],
        Wire::List(parts) => parts.iter().map(|(component, _)| *component).collect(),
        Wire::Constant(_) | Wire::Attribute(_) | Wire::NoAttribute(_) => Vec::new(),
    }
}

/// The results of one component; if it is not `ordered`, as if none of its predecessors had failed.
fn one(
    topology: &Topology,
    booted: &[bool],
    (at, component): (usize, &Component),
    ordered: bool,
    outcomes: &BTreeMap<usize, Outcome>,
) -> Outcome {
    let me = topology.full(at);
    let mut outcome = Outcome::default();
    if let Some(before) = topology.before(at)
        && ordered
        && !outcomes[&before].is_done()
    {
        outcome.roots.clone_from(&outcomes[&before].roots);
        return outcome;
    }
    let wait = || Roots::from([(me.clone(), kind(FailureKind::Wait))]);
    let after = component.after.iter().map(|before| {
        if !booted[topology.components[*before].server] {
            Awaited::Never
        } else if !ordered || outcomes[before].is_done() {
            Awaited::Value(Value::Null)
        } else {
            Awaited::Fails(outcomes[before].roots.clone())
        }
    });
    let after: Vec<Awaited> = after.collect();
    let inputs: Vec<(String, Vec<Awaited>)> = component
        .inputs
        .iter()
        .map(|input| (input.name.clone(), parts(topology, booted, &input.wire, outcomes)))
        .collect();
    // Of several awaited things, the first failure is reported.
    let together = |awaited: &mut dyn Iterator<Item = &Awaited>| {
        let (mut roots, mut never) = (Roots::new(), false);
        for one in awaited {
            match one {
                Awaited::Value(_) => {}
                Awaited::Fails(of) => roots.extend(of.iter().cloned()),
                Awaited::Never => never = true,
            }
        }
        // A timeout failure occurs when this component's own wait ends.
        let late = roots.iter().any(|(_, of)| *of == kind(FailureKind::Wait));
        if (never && roots.is_empty()) || late {
            roots.extend(wait());
        }
        roots
    };
    let recipe = &component.recipe;
    if recipe.chef {
        outcome.roots = together(&mut after.iter());
        outcome.starts = outcome.roots.is_empty();
        // A component that finished before awaits them together, for comparison.
        let read = |name: &String| recipe.reads.contains(name);
        let read = inputs.iter().filter(|(name, _)| read(name)).flat_map(|(_, parts)| parts);
        let compared = together(&mut after.iter().chain(read));
        // One after the other.
        for name in &recipe.reads {
            if outcome.roots.is_empty() {
                let (_, parts) = inputs.iter().find(|(of, _)| of == name).expect("INVARIANT: it reads what it has");
                outcome.roots = together(&mut parts.iter());
            }
        }
        if !outcome.roots.is_empty() {
            outcome.roots.extend(compared);
        }
    } else {
        outcome.roots = together(&mut after.iter().chain(inputs.iter().flat_map(|(_, parts)| parts)));
        outcome.starts = outcome.roots.is_empty();
    }
    if !outcome.roots.is_empty() {
        return outcome;
    }
    let read: BTreeMap<String, Value> = component
        .inputs
        .iter()
        .zip(&inputs)
        .filter(|(input, _)| recipe.reads.contains(&input.name))
        .map(|(input, (_, parts))| (input.name.clone(), whole(&input.wire, parts)))
        .collect();
    let values = component
        .outputs
        .iter()
        .map(|output| (output.name.clone(), value(&component.name, recipe.version, &output.name, &read)));
    let values: BTreeMap<String, Value> = values.collect();
    outcome.inputs = Some(read);
    let has_outputs = !values.is_empty();
    let failing = match recipe.behaviour {
        Behaviour::Fine | Behaviour::Early => None,
        Behaviour::EarlyAndFails | Behaviour::Fails => Some(FailureKind::Recipe),
        Behaviour::Hangs => Some(FailureKind::Deadline),
        Behaviour::WrongType => has_outputs.then_some(FailureKind::Type),
        Behaviour::Forgets => has_outputs.then_some(FailureKind::Unwritten),
        Behaviour::TooLarge => has_outputs.then_some(FailureKind::Size),
    };
    match failing {
        None => outcome.values = values,
        Some(of) => {
            outcome.roots.insert((me, kind(of)));
            if recipe.behaviour == Behaviour::EarlyAndFails {
                outcome.values = values.into_iter().take(1).collect();
            }
        }
    }
    outcome
}

fn parts(topology: &Topology, booted: &[bool], wire: &Wire, outcomes: &BTreeMap<usize, Outcome>) -> Vec<Awaited> {
    let entry = |component: usize, output: usize| {
        let of = &topology.components[component];
        if !booted[of.server] {
            return Awaited::Never;
        }
        match outcomes[&component].values.get(&of.outputs[output].name) {
            Some(value) => Awaited::Value(value.clone()),
            None => Awaited::Fails(outcomes[&component].roots.clone()),
        }
    };
    let attribute = |server: usize, value: Option<String>| {
        let name = &topology.servers[server].name;
        match value {
            _ if !booted[server] => Awaited::Never,
            Some(value) => Awaited::Value(value.into()),
            None => Awaited::Fails(Roots::from([(format!("{name}/server"), kind(FailureKind::Input))])),
        }
    };
    match wire {
        Wire::Constant(value) => vec![Awaited::Value(json!(value))],
        Wire::Entry(component, output) | Wire::Text(component, output) => vec![entry(*component, *output)],
        Wire::List(parts) => parts.iter().map(|(component, output)| entry(*component, *output)).collect(),
        Wire::Attribute(server) => vec![attribute(*server, Some(address(&topology.servers[*server].name)))],
        Wire::NoAttribute(server) => vec![attribute(*server, None)],
    }
}

fn whole(wire: &Wire, parts: &[Awaited]) -> Value {
    let value = |part: &Awaited| match part {
        Awaited::Value(value) => value.clone(),
        Awaited::Fails(_) | Awaited::Never => Value::Null,
    };
    match wire {
        Wire::List(_) => parts.iter().map(value).collect(),
        Wire::Text(..) => format!("<{}7", value(&parts[0]).as_str().unwrap_or_default()).into(),
        _ => value(&parts[0]),
    }
}

/// What distinguishes a component from a changed one.
#[derive(Debug, PartialEq)]
pub(super) struct Key {
    /// Its declaration.
    pub(super) declared: String,
    /// Its inputs.
    read: String,
}

pub(super) fn key(component: &Component, outcome: &Outcome) -> Key {
    let names: Vec<&String> = component.inputs.iter().map(|input| &input.name).collect();
    // The type of an input is that of its source.
    let types: Vec<u8> = component
        .inputs
        .iter()
        .map(|input| match input.wire {
            Wire::Constant(_) => 0,
            Wire::List(_) => 1,
            _ => 2,
        })
        .collect();
    Key { declared: json!([component.recipe, names, types]).to_string(), read: json!(outcome.inputs).to_string() }
}
