//! The places of the references for which lowering has made decisions.

use std::collections::HashMap;

use wattle::extended::KEY;
use wattle::lower::{Decision, Reader as Referring};
use wattle::model::{Expr, Source};

use super::{Reader, pairs};
use wattle_heat::Loaded;
use wattle_heat::template::{Context, Step, walk};
use wattle_heat::yaml::{Node, Tree};

/// A reference: its possible names in decisions, and its place.
type Found = (Vec<String>, Source);

/// The decisions of lowering the model of a template, each with the place of its reference in the template. If the
/// reference is elsewhere, in the value that fulfils a forward reference or in a condition, the decision gets the place of
/// the value that leads to it.
pub fn placed(loaded: &Loaded, decisions: Vec<Decision>) -> Vec<Decision> {
    let mut reader = Reader::new(loaded);
    reader.software();
    let mut places: HashMap<String, (Source, Vec<Found>)> = HashMap::new();
    let mut used: HashMap<(String, String), usize> = HashMap::new();
    let place = |mut decision: Decision| {
        let key = format!("{:?}", decision.reader);
        let (whole, found) =
            places.entry(key.clone()).or_insert_with(|| reader.references_of(&decision.reader, &decision.at));
        let next = used.entry((key, decision.reference.clone())).or_default();
        let same = found.iter().filter(|(names, _)| names.contains(&decision.reference));
        decision.at = same.map(|(_, at)| at).nth(*next).unwrap_or(whole).clone();
        *next += 1;
        decision
    };
    decisions.into_iter().map(place).collect()
}

impl Reader<'_> {
    /// The place of a value, and all references in it as decisions name them.
    fn references_of(&self, reader: &Referring, at: &Source) -> (Source, Vec<Found>) {
        let mut found = Vec::new();
        let nodes = self.nodes_of(reader);
        for (node, context) in &nodes {
            self.references_in(self.unguarded(node), *context, &mut found);
        }
        (nodes.first().map_or_else(|| at.clone(), |(node, _)| self.at(node.span)), found)
    }

    fn references_in(&self, node: &Node, context: Context, found: &mut Vec<Found>) {
        walk(node, self.template.version(), context, &mut |node, call, _| {
            let Some(_) = call else { return Step::Into };
            let value = self.own_value(node);
            let names = wattle::lower::names_of(&value);
            if names.is_empty() {
                return Step::Into;
            }
            found.push((names, self.at(node.span)));
            // The path into an attribute is part of the reference. Functions that compute the path are not.
            if matches!(value, Expr::Function { .. }) { Step::Into } else { Step::Over }
        });
    }

    /// The nodes that contain references.
    fn nodes_of(&self, reader: &Referring) -> Vec<(Node, Context)> {
        let resource = |name: &str| self.template.resources.get(name);
        let value = |node: Option<&Node>| node.map(|node| (node.clone(), Context::Value)).into_iter().collect();
        let output = |name: &str| {
            let output = self.template.outputs.get(name);
            let condition = output.and_then(|output| output.condition.clone()).map(|node| (node, Context::Condition));
            let value = output.and_then(|output| output.value.clone()).map(|node| (node, Context::Value));
            condition.into_iter().chain(value).collect()
        };
        match reader {
            Referring::Input { component, input } => {
                let inputs = self.written.get(component).and_then(|written| written.node.get("inputs"));
                value(
                    inputs
                        .and_then(|inputs| pairs(inputs).find(|(name, ..)| **name == **input).map(|(_, _, node)| node)),
                )
            }
            Referring::Property { resource: name, property } => {
                let Some(written) = resource(name) else { return Vec::new() };
                let own = written.properties.as_ref().and_then(|properties| properties.get(property));
                match (own, &**property) {
                    (Some(node), _) => value(Some(node)),
                    (None, "condition") => {
                        written.condition.iter().map(|node| (node.clone(), Context::Condition)).collect()
                    }
                    (None, "metadata") => written.metadata.iter().flat_map(own_metadata).collect(),
                    (None, setting) => value(written.node.get(setting)),
                }
            }
            Referring::Export(name) | Referring::Output(name) => output(name),
            Referring::Requirement(name) => {
                let all = self.stack.and_then(|stack| stack.get("requirements"));
                value(all.and_then(|all| pairs(all).find(|(known, ..)| **known == **name).map(|(_, _, node)| node)))
            }
        }
    }
}

/// The author's own metadata, without wattle's.
fn own_metadata(metadata: &Node) -> Vec<(Node, Context)> {
    let Tree::Map(pairs) = &*metadata.tree else { return vec![(metadata.clone(), Context::Value)] };
    let own = pairs.iter().filter(|pair| pair.key.tree.as_text() != Some(KEY));
    own.map(|pair| (pair.value.clone(), Context::Value)).collect()
}
