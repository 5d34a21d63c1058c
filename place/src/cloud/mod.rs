//! What a cloud offers: its hosts, where they are, and what each has room for.
//!
//! What belongs here: the cloud as data, its readers: the hosts file (`read`), the output of the command `openstack`
//! (`openstack`), and flavors (`flavors`), and what writes a hosts file (`write`). What does not: what is asked of a cloud.

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

/// The name of a resource class of Placement.
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
    /// Where it is described.
    pub at: Source,
    /// Its availability zone; `nova` if none is given, as in Nova.
    pub zone: String,
    /// Its room, if it is given.
    pub room: Option<String>,
    /// Its rack, if it is given.
    pub rack: Option<String>,
    /// Its total capacity: what it has, multiplied by its allocation ratio.
    pub total: Amounts,
    /// How much of that is used.
    pub used: Amounts,
    /// The most of a resource that it gives to one server, if that is less than it has: Placement's `max_unit`.
    pub largest: Amounts,
    /// The least that it gives to one server: Placement's `min_unit`.
    pub smallest: Amounts,
    /// What it gives is a multiple of this: Placement's `step_size`.
    pub step: Amounts,
    /// What is true of it: Placement's traits, or words of your own.
    pub traits: BTreeSet<String>,
}

impl Host {
    /// How much of a resource is left; 0 if more is used than there is. `None` if the total is unknown, which means no limit:
    /// `openstack hypervisor list` says nothing about disks.
    pub fn free(&self, resource: &str) -> Option<i64> {
        let used = self.used.get(resource).copied().unwrap_or(0);
        match self.total.get(resource) {
            Some(total) => Some((total - used).max(0)),
            None if [VCPUS, MEMORY, DISK].contains(&resource) => None,
            None => Some(0),
        }
    }

    /// Whether it gives one server so much of a resource, however much is left. A server that asks for none gets none.
    pub fn gives(&self, resource: &str, amount: i64) -> bool {
        let is_kept = |of: &Amounts, keeps: &dyn Fn(i64) -> bool| of.get(resource).is_none_or(|bound| keeps(*bound));
        amount == 0
            || is_kept(&self.largest, &|most| amount <= most)
                && is_kept(&self.smallest, &|least| amount >= least)
                && is_kept(&self.step, &|step| step == 0 || amount % step == 0)
    }

    /// Whether more of a resource is used than there is. Then nothing that needs it is placed there, whichever servers leave.
    pub fn is_overfull(&self, resource: &str) -> bool {
        self.total.get(resource).is_some_and(|total| self.used.get(resource).is_some_and(|used| used > total))
    }

    /// The place of the given level that it is in, if that is known.
    pub fn place(&self, level: Level) -> Option<&str> {
        match level {
            Level::Host => Some(&self.name),
            Level::Rack => self.rack.as_deref(),
            Level::Room => self.room.as_deref(),
            Level::Zone => Some(&self.zone),
        }
    }
}

/// A cloud as placement sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cloud {
    /// Its hosts, in the order of the file.
    pub hosts: Vec<Host>,
    /// The flavors that its file describes.
    pub flavors: IndexMap<String, Flavor>,
}

impl Cloud {
    /// The availability zone of hosts for which no other is given: Nova's `default_availability_zone`.
    pub const ZONE: &'static str = "nova";

    /// The cloud that `text` describes: a hosts file in YAML, or the output of `openstack hypervisor list --long -f json`. `file`
    /// is its name in diagnostics.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, at once. Warnings come with the cloud.
    pub fn read(text: &str, file: &str) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        read::read(text, file)
    }

    /// The host of this name.
    pub fn host(&self, name: &str) -> Option<&Host> {
        self.hosts.iter().find(|host| host.name == name)
    }
}
