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
//!
//! Every service is a module behind a feature of its name; `cinder`, `neutron` and `nova` are there unless
//! `default-features` is off, `all` is all of them. What Heat hides or never supported is behind `hidden` besides.
//!
//! - What Heat requires is an argument of `new`; what it takes besides has a setter of its name.
//! - A property that refers to a resource takes its handle, or the name or id of one that exists already, as text or from
//!   a parameter ([`references`]).
//! - A property of a few values takes a variant of an enumeration, or a parameter.
//! - A map with fixed keys is a type of its own, built in the same manner.
//! - An attribute is a method of the handle.
//!
//! A type that only your own cloud has is [`wattle::author::RawResource`]; [`raw`] is that for Heat's own types.

use wattle::author::RawResource;

#[path = "heat/mod.rs"]
mod generated;
#[allow(unused_macros, reason = "without any service none is needed")]
mod resource;
pub mod values;

pub use generated::references;
pub use wattle_heat::schema::{schema, types};

// One by one: if a disabled module is used, the compiler then names its feature.
#[cfg(feature = "aodh")]
pub use generated::aodh;
#[cfg(feature = "barbican")]
pub use generated::barbican;
#[cfg(feature = "blazar")]
pub use generated::blazar;
#[cfg(feature = "designate")]
pub use generated::designate;
#[cfg(feature = "glance")]
pub use generated::glance;
#[cfg(feature = "heat")]
pub use generated::heat;
#[cfg(feature = "ironic")]
pub use generated::ironic;
#[cfg(feature = "keystone")]
pub use generated::keystone;
#[cfg(feature = "magnum")]
pub use generated::magnum;
#[cfg(feature = "manila")]
pub use generated::manila;
#[cfg(feature = "mistral")]
pub use generated::mistral;
#[cfg(all(feature = "monasca", feature = "hidden"))]
pub use generated::monasca;
#[cfg(feature = "octavia")]
pub use generated::octavia;
#[cfg(all(feature = "sahara", feature = "hidden"))]
pub use generated::sahara;
#[cfg(all(feature = "senlin", feature = "hidden"))]
pub use generated::senlin;
#[cfg(feature = "swift")]
pub use generated::swift;
#[cfg(feature = "trove")]
pub use generated::trove;
#[cfg(all(feature = "vitrage", feature = "hidden"))]
pub use generated::vitrage;
#[cfg(feature = "zaqar")]
pub use generated::zaqar;
#[cfg(feature = "zun")]
pub use generated::zun;

#[cfg(feature = "cinder")]
pub mod cinder;
#[cfg(feature = "neutron")]
pub mod neutron;
#[cfg(feature = "nova")]
pub mod nova;
#[cfg(feature = "parts")]
pub mod parts;

/// A resource of any type, its properties by Heat's names, judged by what Heat says of the type if Heat knows it.
///
/// ```
/// use wattle::prelude::*;
///
/// let mut t = Topology::new("demo");
/// t.add("net", wattle_catalog::raw("OS::Neutron::Net").property("nmae", "backbone"));
/// assert!(wattle::check::finds(&t.finish(Exports::new()), "W0401"));
/// ```
#[track_caller]
pub fn raw(ty: &'static str) -> RawResource {
    RawResource::known(ty, schema)
}

/// What Heat's engine says of all its types, as JSON: what the typed catalog was generated from.
#[doc(hidden)]
pub const TYPES: &str = wattle_heat::schema::TYPES;

/// A map expression of the given keys.
#[cfg(any(feature = "neutron", feature = "nova"))]
macro_rules! map {
    ($($key:literal: $value:expr),* $(,)?) => {
        wattle::author::Expression::Map([$(($key.into(), $value)),*].into_iter().collect())
    };
}
#[cfg(any(feature = "neutron", feature = "nova"))]
use map;
