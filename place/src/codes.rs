//! W16xx: what is wrong with a hosts file, with policies, and with a placement.
//!
//! The code that finds these reports all of them at once. This file holds their documentation.

use wattle_model::check::About;

/// A check of placement. It has no function to run.
pub type Check = wattle_model::Check<()>;

wattle_model::check! {
    /// `wattle place` reads a description of the cloud from a file. It contains zones, rooms, racks and hosts, the
    /// capacity of each host, and flavors.
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpu: 32, memory: 128 GiB, disk: 1 TiB}
    /// ```
    ///
    /// Use the keys that wattle knows:
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 GiB, disk: 1 TiB}
    /// ```
    pub(crate) SHAPE: "W1601", Error, "an unknown or malformed entry in a hosts file", (), ()
}

wattle_model::check! {
    /// A rack is in a room or a zone, and a room is in a zone. A place cannot be within itself. A place without hosts
    /// is a warning, because its name may be misspelt at its hosts.
    ///
    /// ```yaml
    /// places:
    ///   hall: {is: room, in: rack-1}
    ///   rack-1: {is: rack, in: hall}
    /// hosts:
    ///   compute-1: {in: rack-1, vcpus: 32, memory: 128 GiB, disk: 1 TiB}
    /// ```
    ///
    /// Put each place into a larger one:
    ///
    /// ```yaml
    /// places:
    ///   hall: {is: room}
    ///   rack-1: {is: rack, in: hall}
    /// hosts:
    ///   compute-1: {in: rack-1, vcpus: 32, memory: 128 GiB, disk: 1 TiB}
    /// ```
    pub(crate) PLACE: "W1602", Error, "an impossible place in a hosts file", (), ()
}

wattle_model::check! {
    /// If something is described twice, it would be a matter of chance which of the two descriptions counts.
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 GiB, disk: 1 TiB}
    ///   compute-1: {vcpus: 64, memory: 256 GiB, disk: 1 TiB}
    /// ```
    ///
    /// Give each its own name, or remove one of the descriptions:
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 GiB, disk: 1 TiB}
    ///   compute-2: {vcpus: 64, memory: 256 GiB, disk: 1 TiB}
    /// ```
    pub(crate) TWICE: "W1603", Error, "a host, place or flavor that is described twice", (), ()
}

wattle_model::check! {
    /// A host must say how many vCPUs, how much memory and how much disk it has. Sizes have a unit (`KiB`, `MiB`,
    /// `GiB`, `TiB`). Without a unit, memory is in MiB and disk is in GiB, as in Nova.
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 gigs, disk: -1}
    /// ```
    ///
    /// Give all amounts, each as a number that is not negative, with a unit that exists:
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 GiB, disk: 0}
    /// ```
    pub(crate) AMOUNT: "W1604", Error, "a missing or malformed amount", (), ()
}

wattle_model::check! {
    /// More of the host is in use than its capacity and its allocation ratio allow. No other server that needs any of that
    /// is placed on it.
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 GiB, disk: 1 TiB, used: {vcpus: 40}}
    /// ```
    ///
    /// Correct the amount, or give the ratio by which the host is overcommitted:
    ///
    /// ```yaml
    /// hosts:
    ///   compute-1: {vcpus: 32, memory: 128 GiB, disk: 1 TiB, used: {vcpus: 40}, allocation: {vcpus: 4}}
    /// ```
    pub(crate) OVERFULL: "W1605", Warning, "a host that is used beyond its capacity", (), ()
}

wattle_model::check! {
    /// To place a server, wattle must know its flavor and what the flavor contains, the zone that the server must be
    /// in, and, for a group, how many members it has. If the template names a zone or a host, the hosts file must have it.
    /// The text of the template must also allow a place to be written into it.
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
    /// Make the value known, for example by a default:
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
    pub(crate) UNKNOWN: "W1606", Error, "what a server needs from its host is not known", (), ()
}

wattle_model::check! {
    /// Placement policies are listed under `wattle.placement` in the metadata of any resource of the template. Each
    /// names servers, groups or nested stacks by their names in the template. `apart`, `together` and `near` need at
    /// least two members. Policies that must hold cannot exclude each other.
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
    /// Name servers, and enough of them:
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
    pub(crate) POLICY: "W1607", Error, "an invalid placement policy, or policies that exclude each other", (), ()
}

wattle_model::check! {
    /// There is no way to place all servers, for example because one needs more than any host has left. The report
    /// names the smallest set of servers, policies and capacities that conflict: without any one of them there would be
    /// a placement, unless the message says otherwise.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   db:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.huge, networks: [{network: private}]}
    /// ```
    ///
    /// Change one of the parts, here the flavor:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources:
    ///   db:
    ///     type: OS::Nova::Server
    ///     properties: {image: debian-12, flavor: m1.small, networks: [{network: private}]}
    /// ```
    pub(crate) CONFLICT: "W1608", Error, "servers that cannot be placed", (), ()
}

wattle_model::check! {
    /// A place can be written into a template only for a server that has a definition of its own. The members of a
    /// group share one definition. Room is kept for such servers, but Nova chooses their hosts.
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
    /// If you need to choose the hosts, give each server a definition of its own:
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
    pub(crate) LEFT: "W1609", Warning, "a server whose host is left to Nova", (), ()
}

wattle_model::check! {
    /// Nova guarantees zones and server groups, but knows nothing of racks and preferences. To guarantee more, the
    /// template must name hosts, which only administrators may do (`--admin`).
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
    /// Use a policy that Nova guarantees, or have an administrator create the stack with `--admin`:
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
    pub(crate) GUARANTEE: "W1610", Warning, "a placement policy that cannot be guaranteed", (), ()
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
        &GUARANTEE.about,
    ]
}
