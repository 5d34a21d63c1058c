//! W15xx: what is wrong with a hosts file, with policies, and with a placement.
//!
//! Who finds these reports all of them at once; what stands here is their documentation.

use wattle_model::check::About;

/// One check of placement. It has nothing to run.
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

/// What each code means.
pub fn all() -> [&'static About; 5] {
    [&SHAPE.about, &PLACE.about, &TWICE.about, &AMOUNT.about, &OVERFULL.about]
}
