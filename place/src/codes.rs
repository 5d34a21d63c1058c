//! W16xx: what is wrong with a hosts file, with policies, and with a placement.
//!
//! The code that finds these reports all of them at once. This file holds their documentation.

use wattle_model::check::About;

/// A check of placement. It has no function to run.
pub type Check = wattle_model::Check<()>;

wattle_model::check! {
    /// `wattle place` reads the cloud from a file: zones, rooms, racks and hosts, what each host has room for, and flavors.
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpu: 32, memory: 128 GiB, disk: 1 TiB}
    /// ```
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 GiB, disk: 1 TiB}
    /// ```
    pub(crate) SHAPE: "W1601", Error, "something in a hosts file that is not understood", (), ()
}

wattle_model::check! {
    /// A rack is in a room or a zone, and a room in a zone. A place within itself is nowhere. A place without hosts is a warning: the
    /// name may be written wrongly at its hosts.
    ///
    /// ```yaml
    /// places:
    ///   hall: {is: room, in: rack-1}
    ///   rack-1: {is: rack, in: hall}
    /// hosts:
    ///   compute-1: {in: rack-1, vcpus: 32, memory: 128 GiB, disk: 1 TiB}
    /// ```
    ///
    /// ```yaml
    /// places:
    ///   hall: {is: room}
    ///   rack-1: {is: rack, in: hall}
    /// hosts:
    ///   compute-1: {in: rack-1, vcpus: 32, memory: 128 GiB, disk: 1 TiB}
    /// ```
    pub(crate) PLACE: "W1602", Error, "a place of a hosts file that cannot be", (), ()
}

wattle_model::check! {
    /// Whatever is described twice would be one of both descriptions, by chance.
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 GiB, disk: 1 TiB}
    ///   compute-1: {vcpus: 64, memory: 256 GiB, disk: 1 TiB}
    /// ```
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 GiB, disk: 1 TiB}
    ///   compute-2: {vcpus: 64, memory: 256 GiB, disk: 1 TiB}
    /// ```
    pub(crate) TWICE: "W1603", Error, "a host, a place or a flavor that is described twice", (), ()
}

wattle_model::check! {
    /// A host says how many vcpus, how much memory and how much disk it has. Sizes have a unit (`KiB`, `MiB`, `GiB`, `TiB`); without
    /// one, memory is in MiB and disks are in GiB, as in Nova.
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 gigs, disk: -1}
    /// ```
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 GiB, disk: 0}
    /// ```
    pub(crate) AMOUNT: "W1604", Error, "an amount that is missing, or is none", (), ()
}

wattle_model::check! {
    /// More is used of the host than there is by its allocation ratio. Nothing more is placed there.
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 GiB, disk: 1 TiB, used: {vcpus: 40}}
    /// ```
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 GiB, disk: 1 TiB, used: {vcpus: 40}, allocation: {vcpus: 4}}
    /// ```
    pub(crate) OVERFULL: "W1605", Warning, "a host of which more is used than there is", (), ()
}

wattle_model::check! {
    /// To place a server, it must be known what it asks for: what its flavor is, and what that is; in which zone it must be; how many
    /// members its group has; and its text must be one in which a place can be written.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   flavor: {type: string}
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: {get_param: flavor}, networks: [{network: private}]}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// parameters:
    ///   flavor: {type: string, default: m1.small}
    /// resources:
    ///   server:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: {get_param: flavor}, networks: [{network: private}]}
    /// ```
    pub(crate) UNKNOWN: "W1606", Error, "what a server asks of its host is not known", (), ()
}

wattle_model::check! {
    /// Policies stand below `wattle.placement` in the metadata of any resource of the template. Each names servers, groups or nested
    /// stacks by the names that these have there; `apart`, `together` and `near` are of at least two. No two that must hold may
    /// exclude each other.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net: {type: OS::Neutron::Net}
    ///   db:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.small, networks: [{network: {get_resource: net}}]}
    ///   placement:
    ///     type: OS::Heat::None
    ///     metadata:
    ///       wattle.placement:
    ///         policies: [{apart: [db, net], by: rack}]
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   net: {type: OS::Neutron::Net}
    ///   db:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.small, networks: [{network: {get_resource: net}}]}
    ///   web:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.small, networks: [{network: {get_resource: net}}]}
    ///   placement:
    ///     type: OS::Heat::None
    ///     metadata:
    ///       wattle.placement:
    ///         policies: [{apart: [db, web], by: rack}]
    /// ```
    pub(crate) POLICY: "W1607", Error, "a policy of a template that says nothing, or excludes another one", (), ()
}

wattle_model::check! {
    /// There are no places for all servers, such as for one that asks for more than any host has left. The parts are the fewest that
    /// conflict: without any one of them there would be places, unless the message says otherwise.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   db:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.huge, networks: [{network: private}]}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   db:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.small, networks: [{network: private}]}
    /// ```
    pub(crate) CONFLICT: "W1608", Error, "servers for which there are no places", (), ()
}

wattle_model::check! {
    /// A server whose definition is not its own has no place that a template could say: members of a group are written once. Room is kept
    /// for it; where it goes is Nova's to choose.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   web:
    ///     type: OS::Heat::ResourceGroup
    ///     properties:
    ///       count: 2
    ///       resource_def:
    ///         type: OS::Nova::Server
    ///         properties: {image: debian-12, flavor: m1.small, networks: [{network: private}]}
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   web-1:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.small, networks: [{network: private}]}
    ///   web-2:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.small, networks: [{network: private}]}
    /// ```
    pub(crate) LEFT: "W1609", Warning, "a server that is left to Nova", (), ()
}

wattle_model::check! {
    /// Nova keeps zones and server groups. It knows no racks and no wishes: only whoever may name hosts (`--admin`) can promise more.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   db:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.small, networks: [{network: private}]}
    ///   web:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.small, networks: [{network: private}]}
    ///   placement:
    ///     type: OS::Heat::None
    ///     metadata:
    ///       wattle.placement:
    ///         policies: [{apart: [db, web], by: rack}]
    /// ```
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   db:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.small, networks: [{network: private}]}
    ///   web:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.small, networks: [{network: private}]}
    ///   placement:
    ///     type: OS::Heat::None
    ///     metadata:
    ///       wattle.placement:
    ///         policies: [{apart: [db, web], by: zone}]
    /// ```
    pub(crate) PROMISE: "W1610", Warning, "a policy that nobody keeps", (), ()
}

/// The documentation of each code.
pub fn all() -> [&'static About; 10] {
    [
        &SHAPE.about,
        &PLACE.about,
        &TWICE.about,
        &AMOUNT.about,
        &OVERFULL.about,
        &UNKNOWN.about,
        &POLICY.about,
        &CONFLICT.about,
        &LEFT.about,
        &PROMISE.about,
    ]
}
