//! The interface to drivers' knowledge.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;

use wattle_model::{Name, Value};

/// The drivers' knowledge about resource types.
pub trait ResourceTypes: Debug + Send + Sync {
    /// Whether the type is supported.
    fn is_driven(&self, ty: &str) -> bool;

    /// Properties that cannot be changed in place, besides those that Heat does not change either.
    fn fixed(&self, ty: &str) -> &[&str];

    /// The properties that Heat implements but the driver does not, each with what to do instead. A value that is not
    /// known yet appears as the call that will provide it.
    fn beyond(&self, ty: &str, properties: &Value) -> Vec<(String, &'static str)>;

    /// What a resource with these properties holds exclusively: an address, an attached volume.
    fn exclusive(&self, ty: &str, properties: &Value) -> BTreeSet<Name>;

    /// What a resource with these properties holds exclusively only while it is being created: resources that need the
    /// same are created one after the other.
    fn turns(&self, ty: &str, properties: &Value) -> BTreeSet<Name>;

    /// The types whose values appear in its attributes: a server shows the addresses of its ports.
    fn shows(&self, ty: &str) -> &[&str];

    /// How long it may take to create, change or delete one; `None` for the default.
    fn patience(&self, ty: &str) -> Option<Duration>;

    /// Whether it may have software to tear down before it is deleted. For a server, that is an agent.
    fn drains(&self, ty: &str) -> bool;
}
