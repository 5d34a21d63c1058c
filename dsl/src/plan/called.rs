//! Deletions, and creations under another name or in another stack: the author may mean the same thing.

use wattle_heat::desired::Resource;
use wattle_heat::evaluate::Value;

use crate::model::{IndexMap, IndexSet, Name};

use super::group::{around, is_member};
use super::resource::Resources;
use super::{Action, Reason, ResourcePlan};

/// The name of a resource within its own stack.
pub(super) fn own_name(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, own)| own)
}

/// The words for a resource with the same name in another stack.
pub(super) fn moved(name: &str, old: &Resources, new: &Resources) -> Option<String> {
    if is_member(name, new) {
        return None;
    }
    let own = own_name(name);
    let is_it = |other: &&String| own_name(other) == own && !new.contains_key(*other) && !is_member(other, old);
    let from = old.keys().find(is_it)?;
    let stack = |name: &str| match name.rsplit_once('/') {
        Some((stack, _)) => format!("the nested stack `{stack}`"),
        None => "the stack itself".to_owned(),
    };
    Some(format!("it moves from {} to {}, and Heat creates another one there", stack(from), stack(name)))
}

pub(super) fn gone(name: &str, resource: &Resource, old: &Resources, new: &Resources) -> ResourcePlan {
    let own = own_name(name);
    let group = around(name, old).last().map(Name::from);
    let is_it = |other: &&String| own_name(other) == own && !is_member(other, new);
    let to = if group.is_some() { None } else { new.keys().find(is_it) };
    let because = to.map(|to| Reason {
        what: "stack".to_owned(),
        through: Some(format!("`{to}` takes its place")),
        ..Reason::default()
    });
    let mut help = Vec::new();
    if resource.rest.get("deletion_policy").and_then(Value::as_text) == Some("retain") {
        help.push("its deletion policy keeps what it stands for".to_owned());
    }
    ResourcePlan {
        ty: resource.ty().into(),
        action: Action::Delete,
        because: because.into_iter().collect(),
        help,
        notes: Vec::new(),
        group,
    }
}

/// Adds help on keeping a resource that is deleted and created again under another name.
pub(super) fn renamed(old: &Resources, new: &Resources, plans: &mut IndexMap<Name, ResourcePlan>) {
    let gone: Vec<(&String, IndexMap<&str, Value>)> = old
        .iter()
        .filter(|(name, _)| !new.contains_key(*name) && !is_member(name, old))
        .map(|(name, resource)| (name, nameless(resource, own_name(name))))
        .collect();
    let mut taken: IndexSet<&String> = IndexSet::default();
    let comes = |(name, resource): &(&String, &Resource)| {
        !old.contains_key(*name) && !resource.is_only_a_stack() && !is_member(name, new)
    };
    for (name, resource) in new.iter().filter(comes) {
        if gone.iter().any(|(other, _)| own_name(other) == own_name(name)) {
            continue;
        }
        let is = nameless(resource, own_name(name));
        let is_free = |other: &String| !taken.contains(other) && old[other].ty() == resource.ty();
        let same = gone.iter().filter(|(other, was)| is_free(other) && *was == is);
        let mut same: Vec<&String> = same.map(|(other, _)| *other).collect();
        if same.len() > 1 {
            same.retain(|other| last(own_name(other)) == last(own_name(name)));
        }
        if let ([one], Some(plan)) = (same.as_slice(), plans.get_mut(&**name)) {
            taken.insert(one);
            plan.help.push(keeping(own_name(one), own_name(name)));
        }
    }
}

/// The last part of a qualified name.
fn last(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

/// How to keep something that was named `was`.
fn keeping(was: &str, is: &str) -> String {
    match (was.rsplit_once('.'), is.rsplit_once('.')) {
        (Some((before, own)), Some((now, same))) if own == same => {
            format!("if the module `{now}` was called `{before}`, `.moved_from(\"{before}\")` keeps everything in it")
        }
        _ => format!("if it was called `{was}`, `.moved_from(\"{was}\")` keeps it"),
    }
}

/// Properties in which the resource's own name is removed: the user data of a server contains its name.
fn nameless<'r>(resource: &'r Resource, own: &str) -> IndexMap<&'r str, Value> {
    let without = |part: &Value| (part.as_text() == Some(own)).then_some(Value::Null);
    let given = resource.names().filter_map(|name| Some((name, resource.given(name)?)));
    given.map(|(name, value)| (name, value.with(&without))).collect()
}
