//! What an update of a stack does to a resource: by its schema, and by what its class adds.
//!
//! What lives here: the rules of one resource whose properties differ. What must not: which resources differ, and what
//! one that is replaced does to others.

use wattle_model::{Name, Schema, names};

use crate::classes;

pub use crate::properties::compared;
pub use crate::resource::{Change, Given};

/// What Heat does to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It changes in place.
    Update,
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
}

/// What becomes of a resource some of whose properties differ.
pub fn verdict(change: &Change<'_>, schema: Option<&Schema>) -> Verdict {
    let class = classes::of(change.after.ty);
    if let Some(name) = class.immutable.iter().find(|name| change.has(name)) {
        let help = format!("Heat never changes `{name}` of such a resource: give it another name, and it is made anew");
        return Verdict { action: Action::Refuse, help: vec![help] };
    }
    if let Some(help) = (class.replaces)(change) {
        return Verdict { action: Action::Replace, help };
    }
    let fixed = |name: &&Name| {
        schema.is_some_and(|schema| schema.properties.get(*name).is_some_and(|property| !property.updatable))
    };
    let fixed: Vec<&str> = change.changed.iter().filter(fixed).map(|name| &**name).collect();
    if fixed.is_empty() {
        return Verdict { action: Action::Update, help: Vec::new() };
    }
    let names = names::list(fixed.iter().copied(), "and");
    let them = if fixed.len() == 1 { "it" } else { "them" };
    let help = format!("Heat cannot change {names} in place: leave {them} as it was");
    Verdict { action: Action::Replace, help: vec![help] }
}

/// Whether Heat replaces such a resource on every update.
pub fn is_always_replaced(resource: Given<'_>) -> bool {
    (classes::of(resource.ty).always_replaced)(resource)
}

/// Whether Heat updates such a resource on every update, and that does something.
pub fn is_always_updated(resource: Given<'_>) -> bool {
    (classes::of(resource.ty).always_updated)(resource)
}

/// Whether a change of its metadata replaces such a resource.
pub fn is_replaced_by_metadata(ty: &str) -> bool {
    classes::of(ty).replaced_by_metadata
}

/// Whether another one in the place of such a resource is referred to as it was: by the name that it is given.
pub fn keeps_reference(before: Given<'_>, after: Given<'_>) -> bool {
    let name = after.text("name");
    before.ty == after.ty && classes::of(after.ty).referred_by_name && name.is_some() && name == before.text("name")
}
