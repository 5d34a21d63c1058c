//! The demand of a server, from its flavor and its boot device.

use std::collections::BTreeSet;

use wattle_heat::Desired;
use wattle_heat::desired::Resource;
use wattle_heat::evaluate::Value;
use wattle_model::{Diagnostic, IndexMap, Source};
use wattle_words::flavor::Sizes;
use wattle_words::names::{did_you_mean, nearest, some};

use crate::amount::MOST;
use crate::cloud::{Amounts, DISK, Flavor};
use crate::codes::UNKNOWN;

use super::Order;
use super::servers::referred;

const FLAVOR: &str = "OS::Nova::Flavor";

/// The demand of a server; if that is unknown, its flavor, as far as it is known.
pub(super) fn asks(
    order: Order<'_>,
    desired: &Desired,
    server: &Resource,
) -> Result<(Amounts, BTreeSet<String>), Option<String>> {
    let flavor = server.property("flavor");
    let Flavor { mut demand, root, traits, .. } = if let Some(name) = flavor.as_text() {
        let known = order.flavors.get(name).or_else(|| order.cloud.flavors.get(name));
        known.cloned().ok_or_else(|| Some(name.to_owned()))?
    } else {
        let of_stack = referred(&flavor.to_model()).and_then(|name| desired.resources.get(&name));
        of_stack.filter(|one| one.made_by() == FLAVOR).and_then(of_stack_itself).ok_or(None)?
    };
    if let Some(disk) = demand.get_mut(DISK).filter(|_| boots_from_volume(server)) {
        *disk = (*disk - root).max(0);
    }
    Ok((demand, traits))
}

/// The flavor that a resource defines. No host has more than can be written, and Nova refuses negative amounts.
fn of_stack_itself(flavor: &Resource) -> Option<Flavor> {
    let amount = |name: &str| match flavor.property(name) {
        Value::Integer(amount) => i64::try_from(amount.clamp(0, i128::from(MOST))).ok(),
        Value::Null => Some(0),
        _ => None,
    };
    let specs = match flavor.property("extra_specs") {
        Value::Map(specs) => specs,
        Value::Null => IndexMap::default(),
        _ => return None,
    };
    let text = |value: &Value| match value {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(is) => Some(is.to_string()),
        _ => None,
    };
    let specs = specs.iter().map(|(key, value)| Some((&**key, text(value)?)));
    let specs: Vec<(&str, String)> = specs.collect::<Option<_>>()?;
    let sizes = Sizes {
        vcpus: amount("vcpus")?,
        ram: amount("ram")?,
        root: amount("disk")?,
        ephemeral: amount("ephemeral")?,
        swap: amount("swap")?,
    };
    Some(Flavor::of(sizes.asks(specs.iter().map(|(key, value)| (*key, &**value)))))
}

/// Whether the root disk of a server is a volume, so that it is not on the host. Unknown counts as no.
fn boots_from_volume(server: &Resource) -> bool {
    let has_image = server.property("image") != Value::Null;
    let of = |name: &str| match server.property(name) {
        Value::List(mappings) => mappings,
        _ => Vec::new(),
    };
    let is_given = |mapping: &Value, key: &str| match mapping {
        Value::Map(mapping) => mapping.get(key).is_some_and(|value| *value != Value::Null),
        _ => false,
    };
    let says = |mapping: &Value, key: &str, words: &[&str]| match mapping {
        Value::Map(mapping) => match mapping.get(key) {
            Some(Value::Integer(number)) => words.contains(&&*number.to_string()),
            Some(value) => value.as_text().is_some_and(|text| words.contains(&text)),
            None => false,
        },
        _ => false,
    };
    // An image becomes a volume, too.
    let is_volume =
        |mapping: &Value| ["volume_id", "snapshot_id", "image", "image_id"].iter().any(|key| is_given(mapping, key));
    let newer = of("block_device_mapping_v2");
    // Without an image, the older mapping contains the boot disk.
    newer.iter().any(|mapping| says(mapping, "boot_index", &["0"]) && is_volume(mapping))
        || !has_image && of("block_device_mapping").iter().any(is_volume)
}

/// Undefined flavors, and the servers that have them.
#[derive(Default)]
pub(super) struct Unknown {
    all: IndexMap<Option<String>, Vec<(String, Source)>>,
}

impl Unknown {
    pub(super) fn add(&mut self, flavor: Option<String>, server: &str, at: &Source) {
        self.all.entry(flavor).or_default().push((server.to_owned(), at.clone()));
    }

    pub(super) fn diagnostics(self, order: Order<'_>) -> impl Iterator<Item = Diagnostic> {
        self.all.into_iter().map(move |(flavor, servers)| {
            let names = some(servers.iter().map(|(name, _)| &**name), 6);
            let message = match &flavor {
                Some(flavor) => format!("the flavor `{flavor}` of {names} is not described"),
                None => format!("it is not known which flavor {names} will have"),
            };
            let mut diagnostic = UNKNOWN.about.diagnostic(message);
            for (_, at) in &servers {
                diagnostic = diagnostic.label(at, "here");
            }
            let Some(flavor) = flavor else {
                return diagnostic.help("set the parameter: `--parameter NAME=VALUE`, or an environment");
            };
            let known = order.flavors.keys().chain(order.cloud.flavors.keys()).map(String::as_str);
            diagnostic.help_if(nearest(&flavor, known).map(did_you_mean)).help(
                "describe it under `flavors` in the hosts file, or pass the output of `openstack flavor list -f json`: `--flavors FILE`",
            )
        })
    }
}
