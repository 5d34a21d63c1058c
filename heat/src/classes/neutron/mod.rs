//! Neutron's types.

mod base;
mod floating_ip;
mod network;
mod port;
mod router;
mod security_group;
mod subnet;

use crate::properties::translation;
use crate::resource::Class;

use super::rule::quota;

pub(super) use base::{NEUTRON, value_specs};

pub(super) const CLASSES: &[&[Class]] = &[
    floating_ip::CLASSES,
    network::CLASSES,
    port::CLASSES,
    router::CLASSES,
    security_group::CLASSES,
    subnet::CLASSES,
    &[
        Class { ty: "OS::Neutron::Quota", validates: &[quota], ..NEUTRON },
        Class {
            ty: "OS::Neutron::VPNService",
            translates: &[translation(&["subnet"], &["subnet_id"]), translation(&["router"], &["router_id"])],
            ..NEUTRON
        },
    ],
];
