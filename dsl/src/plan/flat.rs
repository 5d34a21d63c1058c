//! A deployment's resources, those of nested stacks among them.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use wattle_heat::truth;
use wattle_heat::update::Given;

use crate::model::{Name, Value};

use super::expression::{SECRET, Scope, entry};
use super::state::State;

/// A resource as Heat compares it.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) ty: Name,
    pub(super) properties: IndexMap<Name, Value>,
    /// All else that its definition says and that Heat compares, by its key.
    pub(super) rest: IndexMap<&'static str, Value>,
    pub(super) depends_on: BTreeSet<Name>,
    /// Whether it is a nested stack whose resources are here themselves.
    pub(super) is_stack: bool,
}

impl Item {
    /// As Heat's rules of an update see it.
    pub(super) fn given(&self) -> Given<'_> {
        Given { ty: &self.ty, properties: &self.properties }
    }
}

/// Keys of a resource's definition that change in place.
const REST: [&str; 4] = ["metadata", "deletion_policy", "update_policy", "external_id"];

/// The resources of both states by their full names (`NESTED/NAME`). A parameter has a value here if it has one in both,
/// or is in one only: what is known on one side alone would be a difference that is none.
pub(super) fn flat(before: Option<&State>, after: &State) -> (IndexMap<Name, Item>, IndexMap<Name, Item>) {
    let known = |state: &State| -> IndexMap<Name, Option<Value>> {
        let Some(Value::Map(declared)) = state.root().and_then(|(_, root)| entry(root, "parameters")) else {
            return IndexMap::new();
        };
        let value = |(name, declared): (&Name, &Value)| {
            let value = state.parameters.get(name).or_else(|| entry(declared, "default"))?;
            if entry(declared, "hidden").is_some_and(truth::python) {
                let parts = Value::List(vec![Value::Str(name.clone()), value.clone()]);
                return Some(Value::Map([(SECRET.into(), parts)].into_iter().collect()));
            }
            Some(value.clone())
        };
        declared.iter().map(|item| (item.0.clone(), value(item))).collect()
    };
    let (old, new) = (before.map(known).unwrap_or_default(), known(after));
    let both = |own: &IndexMap<Name, Option<Value>>, other: &IndexMap<Name, Option<Value>>| {
        let is_known = |name: &Name| other.get(name).is_none_or(Option::is_some);
        own.iter()
            .filter(|(name, _)| is_known(name))
            .filter_map(|(name, value)| Some((name.clone(), value.clone()?)))
            .collect::<IndexMap<Name, Value>>()
    };
    let resources = |state: &State, parameters| {
        let mut found = IndexMap::new();
        if let Some((file, template)) = state.root() {
            let (file, prefix, compute) = (file.into(), String::new(), after.compute);
            let scope = Scope { files: &state.files, template, file, prefix, parameters, compute, depth: 0 };
            collect(&scope, &mut found);
        }
        found
    };
    (before.map(|state| resources(state, both(&old, &new))).unwrap_or_default(), resources(after, both(&new, &old)))
}

fn collect(scope: &Scope<'_>, found: &mut IndexMap<Name, Item>) {
    let Some(Value::Map(resources)) = entry(scope.template, "resources") else { return };
    for (name, resource) in resources {
        let Some(ty) = entry(resource, "type").and_then(Value::as_str) else { continue };
        let mut rest = IndexMap::new();
        if let Some(condition) = entry(resource, "condition") {
            match scope.condition(condition, 0) {
                Some(false) => continue,
                Some(true) => {}
                None => drop(rest.insert("condition", scope.condition_of(condition))),
            }
        }
        let nested = scope.nested(name, resource);
        let mut item = Item {
            ty: ty.into(),
            properties: IndexMap::new(),
            rest,
            depends_on: BTreeSet::new(),
            is_stack: nested.is_some(),
        };
        if let Some(Value::Map(properties)) = entry(resource, "properties") {
            item.properties = properties.iter().map(|(name, value)| (name.clone(), scope.normal(value))).collect();
        }
        for key in REST {
            item.rest.extend(entry(resource, key).map(|value| (key, scope.normal(value))));
        }
        // What stands for something that is there already is always left there.
        if item.rest.contains_key("external_id") {
            item.rest.shift_remove("deletion_policy");
        }
        if let Some(Value::Str(policy)) = item.rest.get_mut("deletion_policy") {
            *policy = policy.to_lowercase().into();
        }
        match entry(resource, "depends_on") {
            Some(Value::Str(one)) => drop(item.depends_on.insert(one.clone())),
            Some(Value::List(all)) => {
                item.depends_on.extend(all.iter().filter_map(Value::as_str).map(Name::from));
            }
            _ => {}
        }
        found.insert(format!("{}{name}", scope.prefix).into(), item);
        if let Some(nested) = nested {
            collect(&nested, found);
        }
    }
}
