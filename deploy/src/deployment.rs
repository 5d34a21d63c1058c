//! A template as a target.

use std::fmt;
use std::sync::Arc;

use wattle_converge::{Known, Target, Thing, Wanted};
use wattle_heat::desired::{self, Desired, Resource};
use wattle_heat::{Loaded, graph};
use wattle_model::{Diagnostic, IndexMap, Name};

use crate::answers::Standing;
use crate::digest::Key;
use crate::needs::{self, Roles};
use crate::output::{self, Output};
use crate::refusals::Refusals;
use crate::resource_types::ResourceTypes;
use crate::role::Role;
use crate::user_data;
use crate::wanted::wanted;

/// A template with all files and parameter values, as a target.
///
/// Names are full names: `NAME`, or `NESTED/NAME` in a nested stack, `GROUP/0` in a group. Nested stacks, groups, values and the
/// texts of servers do not exist in a cloud, so references go through them to what does.
///
/// Digests decide the effect of a change. So decisions that depend on the values before *and* after differ from Heat in details:
///
/// - If the new template does not have one of a server's policies (`flavor_update_policy`, `image_update_policy`,
///   `user_data_update_policy`), Heat uses that of the earlier template. Here the default applies.
/// - `replacement_policy: REPLACE_ALWAYS` of a port asks for another port on each update. Here the port stays.
/// - What Heat refuses because of the earlier values is not refused here. The service refuses it, as a change in place: a volume
///   that shrinks, a subnet's `gateway_ip: auto`, another `segment`, `user_data_update_policy: REBUILD`.
#[derive(Clone)]
pub struct Deployment(Arc<Inner>);

pub(crate) struct Inner {
    entries: IndexMap<Name, Entry>,
    outputs: Vec<(Name, desired::Output, bool)>,
    pub(crate) resource_types: Arc<dyn ResourceTypes>,
    pub(crate) key: Key,
}

/// A resource that is not a stack.
pub(crate) struct Entry {
    pub(crate) resource: Resource,
    pub(crate) role: Role,
    /// If it is a row: the rows that it waits for.
    pub(crate) needs: Vec<Name>,
}

impl Deployment {
    /// Converts the template to a target. `resource_types` describes the drivers' types. `key` belongs to the stack:
    /// stored digests of properties are keyed with it, and random strings are derived from it.
    ///
    /// Heat must accept the template (`wattle_heat::check`).
    ///
    /// # Errors
    ///
    /// Everything that cannot be deployed without Heat.
    pub fn new(loaded: Loaded, resource_types: Arc<dyn ResourceTypes>, key: [u8; 32]) -> Result<Self, Vec<Diagnostic>> {
        let desired = Desired::unfolded(&loaded);
        let secrets = output::secrets(&loaded, &desired);
        let Desired { resources, outputs } = desired;
        let mut refusals = Refusals::default();
        let mut roles = Roles::default();
        for (name, resource) in &resources {
            match Role::of(resource, &*resource_types) {
                Some(role) => drop(roles.insert(name, (resource, role))),
                None => refusals.undriven(name, resource),
            }
        }
        for (name, (resource, role)) in &roles {
            refusals.of(name, resource, *role, &roles, &resources);
            if *role == Role::Row {
                refusals.beyond(name, resource, &*resource_types);
            }
        }
        refusals.signals(&roles);
        for (name, output) in &outputs {
            refusals.of_output(name, output, &roles, &resources, &loaded);
        }
        let implied = graph::implied(&loaded);
        let needs: IndexMap<Name, Vec<Name>> = needs::needs(&roles, &implied)
            .into_iter()
            .map(|(name, needs)| (name.into(), needs.into_iter().map(Name::from).collect()))
            .collect();
        let roles: IndexMap<String, Role> =
            roles.into_iter().map(|(name, (_, role))| (name.to_owned(), role)).collect();
        let entry = |(name, resource): (String, Resource)| {
            let role = *roles.get(&name).filter(|role| **role != Role::Stack)?;
            let needs = needs.get(&*name).cloned().unwrap_or_default();
            Some((name.into(), Entry { resource, role, needs }))
        };
        let entries = resources.into_iter().filter_map(entry).collect();
        let outputs = outputs.into_iter().map(|(name, output)| {
            let is_secret = secrets.contains(&name);
            (name.into(), output, is_secret)
        });
        let inner = Inner { entries, outputs: outputs.collect(), resource_types, key: Key(key) };
        refusals.in_vain(&inner);
        let refused = refusals.all();
        if refused.is_empty() { Ok(Self(Arc::new(inner))) } else { Err(refused) }
    }

    /// The outputs of the template itself, given the things that exist.
    pub fn outputs<'t>(&self, things: &dyn Fn(&str) -> Option<&'t Thing>) -> Vec<Output> {
        let standing = Standing::new(&self.0, things);
        let output = |(name, output, is_secret): &(Name, desired::Output, bool)| Output {
            name: name.clone(),
            description: output.description.as_deref().map(Name::from),
            is_secret: *is_secret,
            value: output.resolved(&standing),
        };
        self.0.outputs.iter().map(output).collect()
    }

    /// The agent's name for a server, if `wattle` has given the server an agent. Agents have teardowns.
    pub fn agent(&self, name: &str) -> Option<Name> {
        user_data::agent(&self.0.entry(name)?.resource)
    }

    /// The type and the location of the resource with this name, if it has a row.
    pub fn written(&self, name: &str) -> Option<(&str, &wattle_model::Source)> {
        self.row(name).map(|resource| (resource.ty(), &resource.at))
    }

    /// The resource of this name, if it has a row.
    pub(crate) fn row(&self, name: &str) -> Option<&Resource> {
        self.0.entry(name).filter(|entry| entry.role == Role::Row).map(|entry| &entry.resource)
    }

    /// The type and the given properties of the resource with this name, if it has a row. A value that is not known yet
    /// appears as the call that will provide it.
    pub fn given(&self, name: &str) -> Option<(&str, wattle_model::Value)> {
        let resource = self.row(name)?;
        let given = resource.only_given().unwrap_or_default();
        Some((resource.made_by(), wattle_model::Value::Map(given)))
    }
}

impl Inner {
    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = (&Name, &Entry)> {
        self.entries.iter().filter(|(_, entry)| entry.role == Role::Row)
    }
}

impl Target for Deployment {
    fn resources(&self) -> Vec<(Name, Vec<Name>)> {
        self.0.rows().map(|(name, entry)| (name.clone(), entry.needs.clone())).collect()
    }

    fn resolve(&self, name: &str, known: &Known<'_>) -> Result<Wanted, String> {
        wanted(&self.0, name, &|name| known.thing(name))
    }
}

impl fmt::Debug for Deployment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deployment").field("resources", &self.0.rows().count()).finish_non_exhaustive()
    }
}
