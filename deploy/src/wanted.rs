//! The wanted state of a resource, once everything that it refers to exists.

use std::collections::BTreeMap;

use wattle_converge::{Effect, Wanted};
use wattle_heat::desired::Resource;
use wattle_heat::update;
use wattle_model::{IndexMap, Name, Resource as Model, Value};

use crate::answers::{Standing, Things};
use crate::deployment::Inner;
use crate::digest::canonical;
use crate::random::{self, RANDOM};
use crate::signals::{self, CONDITION, HANDLE, Waits};
use crate::user_data;

/// The wanted state of the resource `name`, given the things that exist.
///
/// # Errors
///
/// The wanted state cannot be computed.
pub(crate) fn wanted(inner: &Inner, name: &str, things: Things<'_, '_>) -> Result<Wanted, String> {
    let entry = inner.entry(name).ok_or_else(|| format!("there is no resource `{name}`"))?;
    let resource = entry.resource.resolved(&Standing::new(inner, things))?;
    let kind = resource.made_by();
    let properties = resource.only_given()?;
    let Digests { fixed, free, varying } = digests(inner, &resource)?;
    let properties = match kind {
        Model::SERVER => user_data::settled(&resource, properties)?,
        RANDOM => random::with_value(&inner.key, name, &resource, properties)?,
        HANDLE => signals::with_secret(&inner.key, name, properties),
        _ => properties,
    };
    let properties = Value::Map(properties);
    let is_shown = |need: &&Name| {
        let shown = inner.entry(need).map(|entry| entry.resource.made_by());
        shown.is_some_and(|shown| inner.resource_types.shows(kind).contains(&shown))
    };
    Ok(Wanted {
        kind: kind.into(),
        fixed,
        free,
        varying,
        shows: entry.needs.iter().filter(is_shown).cloned().collect(),
        exclusive: inner.resource_types.exclusive(kind, &properties),
        turns: inner.resource_types.turns(kind, &properties),
        drains: inner.resource_types.drains(kind)
            && (kind != Model::SERVER || user_data::agent(&entry.resource).is_some()),
        corrects: false,
        patience: if kind == CONDITION { Waits::patience(&properties) } else { inner.resource_types.patience(kind) },
        properties,
    })
}

/// The digests for comparing a resource. Ignored properties are in none of them, unless they vary.
struct Digests {
    /// Of the properties whose change requires a replacement.
    fixed: Name,
    /// Of those that change in place.
    free: Name,
    /// Of each property whose effect the template determines.
    varying: BTreeMap<Name, (Name, Effect)>,
}

fn digests(inner: &Inner, resource: &Resource) -> Result<Digests, String> {
    let kind = resource.made_by();
    let others = inner.resource_types.fixed(kind);
    let change = |name: &str| {
        let is_ignored = update::is_ignored(resource, name);
        match update::replaces(resource, name) || others.contains(&name) && !is_ignored {
            true => Effect::Replace,
            false if is_ignored => Effect::Noted,
            false => Effect::InPlace,
        }
    };
    let digest = |what: &str, value: &Value| inner.key.digest(&[what, kind, &canonical(value)]);
    let mut given = resource.beyond_defaults()?;
    let mut of = |name: &&str| {
        let value = given.shift_remove(*name).unwrap_or(Value::Null);
        (Name::from(*name), (digest(name, &value), change(name)))
    };
    let varying = update::varies(resource).iter().map(&mut of).collect();
    let (mut fixed, mut free) = (IndexMap::default(), IndexMap::default());
    for (name, value) in given {
        match change(&name) {
            Effect::Replace => drop(fixed.insert(name, value)),
            Effect::InPlace => drop(free.insert(name, value)),
            Effect::Noted => {}
        }
    }
    Ok(Digests { fixed: digest("fixed", &Value::Map(fixed)), free: digest("free", &Value::Map(free)), varying })
}
