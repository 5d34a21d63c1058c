//! What the engine has to know about a type before sending any request.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value as Json;
use wattle_model::{Name, Value};

use super::json::sent;
use super::stop::Stop;
use super::{Driver, cinder, neutron, nova};

/// What the engine has to know about a type.
pub struct ResourceType {
    /// Its name in Heat.
    pub name: &'static str,
    /// The type of the service that manages it.
    pub service: &'static str,
    /// Other services that are involved for things with these properties.
    pub(super) also: fn(&Json) -> Vec<&'static str>,
    pub(super) fixed: &'static [&'static str],
    pub(super) stays: &'static [&'static str],
    /// The types whose values its attributes show.
    pub(super) shows: &'static [&'static str],
    pub(super) exclusive: fn(&Json) -> Vec<String>,
    pub(super) turns: fn(&Json) -> Vec<String>,
    pub(super) patience: Duration,
    pub(super) drains: bool,
    pub(super) driver: &'static dyn Driver,
    /// Whether a property is implemented, or has no effect here.
    pub(super) takes: fn(&str) -> bool,
    /// A value among the properties that is not implemented, and what to do instead.
    pub(super) beyond: fn(&Json) -> Option<(String, &'static str)>,
}

impl std::fmt::Debug for ResourceType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Aliases of types.
const ALSO: [(&str, &str); 1] = [("OS::Neutron::Network", "OS::Neutron::Net")];

/// The type with this name, if the driver supports it.
pub fn kind(ty: &str) -> Option<&'static ResourceType> {
    let ty = ALSO.iter().find(|(also, _)| *also == ty).map_or(ty, |(_, name)| name);
    kinds().find(|kind| kind.name == ty)
}

/// All types that the driver supports.
pub fn kinds() -> impl Iterator<Item = &'static ResourceType> {
    neutron::KINDS.iter().chain(nova::KINDS).chain(cinder::KINDS)
}

impl ResourceType {
    /// What a resource with these properties holds exclusively, as descriptive texts. Two resources that refer to the
    /// same network in different ways, by name and by id, are not recognized as wanting the same address.
    pub fn exclusive(&self, properties: &Value) -> BTreeSet<Name> {
        (self.exclusive)(&sent(properties)).into_iter().map(Name::from).collect()
    }

    /// What such a resource holds exclusively only while it is being created, as descriptive texts.
    pub fn turns(&self, properties: &Value) -> BTreeSet<Name> {
        (self.turns)(&sent(properties)).into_iter().map(Name::from).collect()
    }

    /// The services needed to create a thing with these properties. A value that is not known yet may appear as the
    /// call that will provide it.
    pub fn services(&self, properties: &Value) -> BTreeSet<&'static str> {
        (self.also)(&sent(properties)).into_iter().chain([self.service]).collect()
    }

    /// The names of properties that cannot be changed in place here, although Heat's schemas say that they can.
    pub fn fixed(&self) -> &'static [&'static str] {
        self.fixed
    }

    /// The names of properties that keep their value when they are no longer given, as in Heat. All others are fixed,
    /// or revert to their value in a thing without them.
    pub fn stays(&self) -> &'static [&'static str] {
        self.stays
    }

    /// The types whose values appear in its things' attributes: a server shows the addresses of its ports. After one of
    /// those has changed, the thing has to be read again.
    pub fn shows(&self) -> &'static [&'static str] {
        self.shows
    }

    /// How long it may take to create a thing.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Whether software may run on it that has to be torn down before it is deleted.
    pub fn drains(&self) -> bool {
        self.drains
    }

    /// Whether the property with this name is implemented. A job with any other property is refused.
    pub fn takes(&self, property: &str) -> bool {
        (self.takes)(property)
    }

    /// The properties that Heat implements but this driver does not, each with what to do instead. A value that is not
    /// known yet may appear as the call that will provide it.
    pub fn beyond(&self, properties: &Value) -> Vec<(String, &'static str)> {
        self.all_beyond(&sent(properties)).collect()
    }

    fn all_beyond<'p>(&self, properties: &'p Json) -> impl Iterator<Item = (String, &'static str)> + use<'p, '_> {
        let is_empty = |value: &Json| match value {
            Json::Null | Json::Bool(false) => true,
            Json::String(text) => text.is_empty(),
            Json::Array(list) => list.is_empty(),
            Json::Object(map) => map.is_empty(),
            Json::Bool(true) | Json::Number(_) => false,
        };
        let given = properties.as_object().into_iter().flatten().filter(move |(_, value)| !is_empty(value));
        let names = given.map(|(name, _)| name).filter(|name| !self.takes(name));
        let names = names.map(|name| (format!("`{name}` of {} is only for Heat", self.name), TAKE_AWAY));
        names.chain((self.beyond)(properties))
    }

    /// Refuses properties that are not implemented.
    pub(super) fn check(&self, properties: &Json) -> Result<(), Stop> {
        match self.all_beyond(properties).next() {
            Some((what, help)) => Err(Stop::refused(format!("{what}: {help}"))),
            None => Ok(()),
        }
    }
}

/// The advice for a property that only Heat implements.
const TAKE_AWAY: &str = "remove it, or deploy the template with Heat";

/// What things hold exclusively, as texts.
pub(super) mod words {
    pub(in crate::driver) fn address(address: &str, network: &str) -> String {
        format!("the address {address} on {network}")
    }

    pub(in crate::driver) fn port(port: &str) -> String {
        format!("the port {port}")
    }

    pub(in crate::driver) fn volume(volume: &str) -> String {
        format!("the volume {volume}")
    }

    /// The address in such a text.
    pub(in crate::driver) fn address_in(words: &str) -> Option<&str> {
        words.strip_prefix("the address ")?.split(' ').next()
    }

    pub(in crate::driver) fn port_in(words: &str) -> Option<&str> {
        words.strip_prefix("the port ")
    }

    pub(in crate::driver) fn volume_in(words: &str) -> Option<&str> {
        words.strip_prefix("the volume ")
    }
}
