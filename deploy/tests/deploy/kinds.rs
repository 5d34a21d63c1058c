//! The drivers' knowledge, as far as tests need it.

use std::collections::BTreeSet;
use std::time::Duration;

use wattle_deploy::ResourceTypes;
use wattle_model::{Name, Value};

/// Basic types.
pub(crate) const CORE: [&str; 13] = [
    "OS::Cinder::Volume",
    "OS::Cinder::VolumeAttachment",
    "OS::Neutron::FloatingIP",
    "OS::Neutron::FloatingIPAssociation",
    "OS::Neutron::Net",
    "OS::Neutron::Port",
    "OS::Neutron::Router",
    "OS::Neutron::RouterInterface",
    "OS::Neutron::SecurityGroup",
    "OS::Neutron::Subnet",
    "OS::Nova::KeyPair",
    "OS::Nova::Server",
    "OS::Nova::ServerGroup",
];

/// The core drivers, or drivers for every type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Drivers {
    Core,
    All,
}

impl ResourceTypes for Drivers {
    fn is_driven(&self, ty: &str) -> bool {
        match self {
            Self::Core => CORE.contains(&ty),
            Self::All => true,
        }
    }

    fn fixed(&self, ty: &str) -> &[&str] {
        match (self, ty) {
            (Self::Core, "OS::Cinder::Volume") => &["volume_type"],
            _ => &[],
        }
    }

    fn beyond(&self, ty: &str, properties: &Value) -> Vec<(String, &'static str)> {
        let Value::Map(properties) = properties else { return Vec::new() };
        let files = properties.get("personality").filter(|_| matches!(self, Self::Core) && ty == "OS::Nova::Server");
        files.map(|files| (format!("`personality` is {files}"), "take it away")).into_iter().collect()
    }

    fn shows(&self, ty: &str) -> &[&str] {
        if matches!(ty, "OS::Nova::Server" | "OS::Neutron::FloatingIP") { &["OS::Neutron::Port"] } else { &[] }
    }

    fn exclusive(&self, ty: &str, properties: &Value) -> BTreeSet<Name> {
        let Value::Map(properties) = properties else { return BTreeSet::new() };
        let volume = properties.get("volume_id").filter(|_| ty == "OS::Cinder::VolumeAttachment");
        volume.map(|volume| format!("volume {volume}").into()).into_iter().collect()
    }

    fn turns(&self, _: &str, _: &Value) -> BTreeSet<Name> {
        BTreeSet::new()
    }

    fn patience(&self, ty: &str) -> Option<Duration> {
        (ty == "OS::Nova::Server").then_some(Duration::from_mins(10))
    }

    fn drains(&self, ty: &str) -> bool {
        ty == "OS::Nova::Server"
    }
}
