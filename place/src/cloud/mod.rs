//! The capacity of a cloud: its hosts, their locations, and their resources.
//!
//! What belongs here: the cloud as data, its readers: the hosts file (`read`), the output of the command `openstack`
//! (`openstack`), and flavors (`flavors`), and the writer of hosts files (`write`). What does not: the demands on a
//! cloud.

pub(crate) mod fields;
mod flavors;
mod host;
mod openstack;
mod places;
mod read;
mod write;

use std::collections::{BTreeMap, BTreeSet};

pub use wattle_model::placement::Level;
use wattle_model::{Diagnostic, IndexMap, Source};
use wattle_words::flavor::{DISK_GB, MEMORY_MB, VCPU};

pub use flavors::{Flavor, Flavors};
pub use write::{Described, hosts_file};

/// The resource of virtual processors.
pub const VCPUS: &str = "vcpus";
/// The resource of memory, in MiB.
pub const MEMORY: &str = "memory";
/// The resource of local disks, in GiB.
pub const DISK: &str = "disk";

/// The resource for a resource class of Placement.
pub fn resource(class: &str) -> &str {
    match class {
        VCPU => VCPUS,
        MEMORY_MB => MEMORY,
        DISK_GB => DISK,
        own => own,
    }
}

/// Amounts by resource: [`VCPUS`], [`MEMORY`], [`DISK`] and a cloud's own.
pub type Amounts = BTreeMap<String, i64>;

/// A host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// Its name in Nova.
    pub name: String,
    /// The location of its definition.
    pub at: Source,
    /// Its availability zone; `nova` by default, as in Nova.
    pub zone: String,
    /// Its room, if known.
    pub room: Option<String>,
    /// Its rack, if known.
    pub rack: Option<String>,
    /// Its total capacity: its inventory, multiplied by its allocation ratio.
    pub total: Amounts,
    /// The usage of that capacity.
    pub used: Amounts,
    /// The largest amount of a resource for one server, if that is less than the total: Placement's `max_unit`.
    pub largest: Amounts,
    /// The smallest amount for one server: Placement's `min_unit`.
    pub smallest: Amounts,
    /// The amount for one server is a multiple of this: Placement's `step_size`.
    pub step: Amounts,
    /// Its traits: Placement's, or words of your own.
    pub traits: BTreeSet<String>,
}

impl Host {
    /// The free amount of a resource; 0 if the usage exceeds the total. `None` if the total is unknown, which means no
    /// limit: `openstack hypervisor list` does not show disks.
    pub fn free(&self, resource: &str) -> Option<i64> {
        let used = self.used.get(resource).copied().unwrap_or(0);
        match self.total.get(resource) {
            Some(total) => Some((total - used).max(0)),
            None if [VCPUS, MEMORY, DISK].contains(&resource) => None,
            None => Some(0),
        }
    }

    /// Whether it grants one server this amount of a resource, however much is free. A server without demand needs no
    /// grant.
    pub fn gives(&self, resource: &str, amount: i64) -> bool {
        let is_kept = |of: &Amounts, keeps: &dyn Fn(i64) -> bool| of.get(resource).is_none_or(|bound| keeps(*bound));
        amount == 0
            || is_kept(&self.largest, &|most| amount <= most)
                && is_kept(&self.smallest, &|least| amount >= least)
                && is_kept(&self.step, &|step| step == 0 || amount % step == 0)
    }

    /// Whether the usage of a resource exceeds the total. Then nothing that needs it is placed there, whichever servers
    /// leave.
    pub fn is_overfull(&self, resource: &str) -> bool {
        self.total.get(resource).is_some_and(|total| self.used.get(resource).is_some_and(|used| used > total))
    }

    /// Its place at the given level, if known.
    pub fn place(&self, level: Level) -> Option<&str> {
        match level {
            Level::Host => Some(&self.name),
            Level::Rack => self.rack.as_deref(),
            Level::Room => self.room.as_deref(),
            Level::Zone => Some(&self.zone),
        }
    }
}

/// A cloud in the form that placement needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cloud {
    /// Its hosts, in the order of the file.
    pub hosts: Vec<Host>,
    /// The flavors in its file.
    pub flavors: IndexMap<String, Flavor>,
}

impl Cloud {
    /// The default availability zone of hosts: Nova's `default_availability_zone`.
    pub const ZONE: &'static str = "nova";

    /// Reads the cloud in `text`: a hosts file in YAML, or the output of `openstack hypervisor list --long -f json`.
    /// `file` is its name in diagnostics.
    ///
    /// # Errors
    ///
    /// All errors in it. Warnings are returned with the cloud.
    pub fn read(text: &str, file: &str) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        read::read(text, file)
    }

    /// The host with this name.
    pub fn host(&self, name: &str) -> Option<&Host> {
        self.hosts.iter().find(|host| host.name == name)
    }
}
