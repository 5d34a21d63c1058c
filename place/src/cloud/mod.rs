//! What a cloud offers: hosts, where they stand, what each has room for.
//!
//! What lives here: the cloud as data, and its readers: the hosts file (`read`), what the command `openstack` says (`openstack`), and
//! flavors (`flavors`). What must not: what is asked of a cloud.

pub(crate) mod fields;
mod flavors;
mod host;
mod openstack;
mod places;
mod read;

use std::collections::{BTreeMap, BTreeSet};

pub use wattle_model::placement::Level;
use wattle_model::{Diagnostic, IndexMap, Source};

pub use flavors::{Flavor, Flavors};

/// The resource of virtual processors.
pub const VCPUS: &str = "vcpus";
/// The resource of memory, in MiB.
pub const MEMORY: &str = "memory";
/// The resource of local disks, in GiB.
pub const DISK: &str = "disk";

/// Amounts by the resource: [`VCPUS`], [`MEMORY`], [`DISK`] and a cloud's own.
pub type Amounts = BTreeMap<String, i64>;

/// A host.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// Its name, as Nova calls it.
    pub name: String,
    /// Where it is described.
    pub at: Source,
    /// Its availability zone: `nova` if nothing else is said, as in Nova.
    pub zone: String,
    /// Its room, where it is said.
    pub room: Option<String>,
    /// Its rack, where it is said.
    pub rack: Option<String>,
    /// What there is in all: what it has, by its allocation ratio.
    pub total: Amounts,
    /// What is used of that.
    pub used: Amounts,
    /// What is true of it: Placement's traits, or words of your own.
    pub traits: BTreeSet<String>,
}

impl Host {
    /// What is left of a resource: nothing where more is used than there is. None if it is not known how much there is, which limits
    /// nothing: `openstack hypervisor list` says nothing of disks.
    pub fn free(&self, resource: &str) -> Option<i64> {
        let used = self.used.get(resource).copied().unwrap_or(0);
        match self.total.get(resource) {
            Some(total) => Some((total - used).max(0)),
            None if [VCPUS, MEMORY, DISK].contains(&resource) => None,
            None => Some(0),
        }
    }

    /// Whether more of a resource is used than there is: nothing more of it goes there, whoever leaves.
    pub fn is_overfull(&self, resource: &str) -> bool {
        self.total.get(resource).is_some_and(|total| self.used.get(resource).is_some_and(|used| used > total))
    }

    /// The place of a level that it is in, if that is known.
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
    /// The availability zone that hosts are in of which nothing else is said: Nova's `default_availability_zone`.
    pub const ZONE: &'static str = "nova";

    /// The cloud that `text` describes: a hosts file in YAML, or what `openstack hypervisor list --long -f json` writes. `file` is what
    /// it is called in places.
    ///
    /// # Errors
    ///
    /// All that is wrong with it, at once; warnings come with the cloud.
    pub fn read(text: &str, file: &str) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        read::read(text, file)
    }

    /// The host of this name.
    pub fn host(&self, name: &str) -> Option<&Host> {
        self.hosts.iter().find(|host| host.name == name)
    }
}
