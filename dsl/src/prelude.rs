//! Everything that a blueprint needs: `use wattle::prelude::*;`.

pub use std::collections::BTreeMap;
pub use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
pub use std::process::ExitCode;
pub use std::time::Duration;

pub use crate::author::{
    Attribute, Component, Demand, Export, Exports, ForwardReference, Module, MovedFrom as _, NotKnownYet as _, Output,
    Parameter, RawResource, Secret, Subject as _, Topology, that,
};
pub use crate::hot;
pub use crate::model::Order;
pub use crate::model::placement::Level;
pub use crate::{Parameters, PortType, blueprint, component, text};
pub use wattle_words::types::*;
