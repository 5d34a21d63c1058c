//! Heat's resource types, typed: a handle for each, and its properties behind `new()`.
//!
//! ```
//! use wattle::prelude::*;
//! use wattle_catalog::{neutron, nova};
//!
//! let mut t = Topology::new("demo");
//! let net = t.add("backbone", neutron::Net::new());
//! let db = t.add("db", nova::Server::new().image("debian-12").flavor("m1.small").network(net));
//! let address: Attribute<IpAddr> = db.address(net);
//! # let _ = address;
//! ```

mod resource;

pub mod cinder;
pub mod neutron;
pub mod nova;
#[cfg(feature = "parts")]
pub mod parts;
