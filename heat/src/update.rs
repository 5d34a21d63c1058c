//! What an update of a stack does to a resource: by its schema, and by what its class adds.
//!
//! What lives here: the rules of one resource whose properties differ. What must not: which resources differ, and what
//! one that is replaced does to others.

use wattle_model::names;

use crate::desired::Resource;
use crate::resource::Change;

/// What Heat does to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It changes in place.
    Update,
    /// It stays, and so do its identity and its addresses, but what was on it is gone.
    Rebuild,
    /// Another one takes its place.
    Replace,
    /// The update fails.
    Refuse,
}

/// What an update does to a resource, and how another answer could be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What Heat does.
    pub action: Action,
    /// What else could be done.
    pub help: Vec<String>,
    /// What a change in place brings about, or leaves undone, that its words do not say.
    pub notes: Vec<String>,
}

/// What becomes of a resource some of whose properties differ.
pub fn verdict(before: &Resource, after: &Resource, changed: &[&str]) -> Verdict {
    let change = &Change { before: before.compared(), after: after.compared(), changed };
    let class = after.class();
    let without_notes = |action, help| Verdict { action, help, notes: Vec::new() };
    if let Some(name) = class.immutable.iter().find(|name| change.has(name)) {
        let help =
            format!("Heat never changes `{name}` of such a resource: give it another name, and Heat creates a new one");
        return without_notes(Action::Refuse, vec![help]);
    }
    let fixed = |name: &&str| after.schema(name).is_some_and(|property| !property.updatable);
    let fixed: Vec<&str> = changed.iter().copied().filter(fixed).collect();
    // One that is replaced is made anew, whatever could be done to the one that is there.
    if let Some(help) = (class.replaces)(change) {
        return without_notes(Action::Replace, help);
    }
    if !fixed.is_empty() {
        let names = names::list(fixed.iter().copied(), "and");
        let them = if fixed.len() == 1 { "it" } else { "them" };
        let help = format!("Heat cannot change {names} in place: leave {them} as it was");
        return without_notes(Action::Replace, vec![help]);
    }
    if let Some(help) = (class.refuses)(change) {
        return without_notes(Action::Refuse, vec![help]);
    }
    if let Some(name) = changed.iter().find(|name| is_needed(after, name)) {
        let help = format!("the service refuses that Heat takes `{name}` away: say what it is to be instead");
        return without_notes(Action::Refuse, vec![help]);
    }
    let mut notes = (class.notes)(change);
    let ignored: Vec<&str> = class.ignores.iter().copied().filter(|name| change.has(name)).collect();
    if !ignored.is_empty() {
        let names = names::list(ignored, "and");
        notes.push(format!("Heat takes note of {names}, and changes nothing in the service"));
    }
    match (class.rebuilds)(change) {
        Some(help) => Verdict { action: Action::Rebuild, help: vec![help], notes },
        None => Verdict { action: Action::Update, help: Vec::new(), notes },
    }
}

/// Whether Heat takes a property away and its service refuses that. Who speaks to the service without Heat can take it away.
pub fn is_needed(after: &Resource, property: &str) -> bool {
    after.class().needed.contains(&property) && after.compared().value(property).is_none()
}

/// Whether another value of a property alone makes another resource, as it is: with the policies that it has.
///
/// What Heat refuses because of the values before and after is not in it: a volume that shrinks, say.
pub fn replaces(resource: &Resource, property: &str) -> bool {
    let (given, changed) = (resource.compared(), [property]);
    let change = &Change { before: given, after: given, changed: &changed };
    let class = resource.class();
    class.immutable.contains(&property)
        || resource.schema(property).is_some_and(|schema| !schema.updatable)
        || (class.replaces)(change).is_some()
}

/// Whether Heat takes another value of a property and does nothing about it.
pub fn is_ignored(resource: &Resource, property: &str) -> bool {
    let (given, changed) = (resource.compared(), [property]);
    let class = resource.class();
    class.ignores.contains(&property) || (class.disregards)(&Change { before: given, after: given, changed: &changed })
}

/// Properties of which a policy beside them says what another value does. What [`replaces`] and [`is_ignored`] say of them differs
/// from template to template.
pub fn varies(resource: &Resource) -> &'static [&'static str] {
    resource.class().varies
}

/// Whether Heat replaces such a resource on every update.
pub fn is_always_replaced(resource: &Resource) -> bool {
    (resource.class().always_replaced)(resource.compared())
}

/// Whether Heat updates such a resource on every update, and that does something.
pub fn is_always_updated(resource: &Resource) -> bool {
    (resource.class().always_updated)(resource.compared())
}

/// Whether a change of its metadata replaces such a resource.
pub fn is_replaced_by_metadata(resource: &Resource) -> bool {
    resource.class().replaced_by_metadata
}

/// Whether another one in the place of such a resource is referred to as it was: by the name that it is given.
pub fn keeps_reference(before: &Resource, after: &Resource) -> bool {
    let name = after.compared().text("name");
    let is_named = before.ty() == after.ty() && after.class().referred_by_name;
    is_named && name.is_some() && name == before.compared().text("name")
}
