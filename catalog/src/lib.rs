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
//! Each service is a module behind a feature of the same name. `cinder`, `neutron` and `nova` are enabled by default,
//! and `all` enables all of them. What Heat hides or never supported also needs the feature `hidden`.
//!
//! - What Heat requires is an argument of `new`. Everything else has a setter of the same name.
//! - A property that refers to a resource takes its handle, or the name or id of an existing one, as text or from a
//!   parameter ([`references`]).
//! - A property with a few possible values takes a variant of an enum, or a parameter.
//! - A map with fixed keys is a separate type, built in the same way.
//! - An attribute is a method of the handle.
//!
//! For a type that only your own cloud has, use [`wattle::author::RawResource`]. [`raw`] does the same for Heat's own
//! types.

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

/// A resource of any type, with its properties under Heat's names. If Heat knows the type, they are checked against its
/// schema.
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

/// Heat's schemas of all its types, as JSON. The typed catalog is generated from them.
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
