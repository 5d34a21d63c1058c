//! A resource as it is wanted, once all that it refers to is there.

use wattle_converge::Wanted;
use wattle_heat::desired::Resource;
use wattle_heat::update;
use wattle_model::{IndexMap, Name, Resource as Model, Value};

use crate::answers::{Standing, Things};
use crate::deployment::Inner;
use crate::digest::canonical;
use crate::random::{self, RANDOM};
use crate::user_data;

/// The resource called `name` where these things are there.
///
/// # Errors
///
/// Why it cannot be said what is wanted.
pub(crate) fn wanted(inner: &Inner, name: &str, things: Things<'_, '_>) -> Result<Wanted, String> {
    let entry = inner.entry(name).ok_or_else(|| format!("there is no resource `{name}`"))?;
    let resource = entry.resource.resolved(&Standing::new(inner, things))?;
    let kind = resource.made_by();
    let properties = resource.only_given()?;
    let (fixed, free) = digests(inner, &resource)?;
    let properties = match kind {
        Model::SERVER => user_data::settled(&resource, properties)?,
        RANDOM => random::with_value(&inner.key, name, &resource, properties)?,
        _ => properties,
    };
    let properties = Value::Map(properties);
    Ok(Wanted {
        kind: kind.into(),
        fixed,
        free,
        exclusive: inner.kinds.exclusive(kind, &properties),
        drains: inner.kinds.drains(kind) && (kind != Model::SERVER || user_data::agent(&entry.resource).is_some()),
        corrects: false,
        patience: inner.kinds.patience(kind),
        properties,
    })
}

/// Digests of the properties whose change makes another thing, and of those that change in place. What is ignored is in neither.
fn digests(inner: &Inner, resource: &Resource) -> Result<(Name, Name), String> {
    let kind = resource.made_by();
    let others = inner.kinds.fixed(kind);
    let (mut fixed, mut free) = (IndexMap::default(), IndexMap::default());
    for (name, value) in resource.beyond_defaults()? {
        let is_ignored = update::is_ignored(resource, &name);
        if update::replaces(resource, &name) || others.contains(&&*name) && !is_ignored {
            fixed.insert(name, value);
        } else if !is_ignored {
            free.insert(name, value);
        }
    }
    let digest = |what: &str, properties| inner.key.digest(&[what, kind, &canonical(&Value::Map(properties))]);
    Ok((digest("fixed", fixed), digest("free", free)))
}
