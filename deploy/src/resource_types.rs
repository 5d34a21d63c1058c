//! What this crate knows about drivers.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;

use wattle_model::{Name, Value};

/// What drivers know about resource types.
pub trait ResourceTypes: Debug + Send + Sync {
    /// Whether resources of the type can be created.
    fn is_driven(&self, ty: &str) -> bool;

    /// Properties that cannot be changed in place, besides those that Heat does not change either.
    fn fixed(&self, ty: &str) -> &[&str];

    /// Those of these properties that Heat carries out but the driver does not, each with what to do instead. A value
    /// that is not known yet appears as the call that will give it.
    fn beyond(&self, ty: &str, properties: &Value) -> Vec<(String, &'static str)>;

    /// What a resource with these properties has and no two can have: an address, an attached volume.
    fn exclusive(&self, ty: &str, properties: &Value) -> BTreeSet<Name>;

    /// What a resource with these properties has only while it is created: resources that want the same are created one after the
    /// other.
    fn turns(&self, ty: &str, properties: &Value) -> BTreeSet<Name>;

    /// The types whose values its attributes show: a server shows the addresses of its ports.
    fn shows(&self, ty: &str) -> &[&str];

    /// How long it may take to create, change or delete one; `None` for the default.
    fn patience(&self, ty: &str) -> Option<Duration>;

    /// Whether something may run on it that has to be torn down before it is deleted. For a server, that is an agent.
    fn drains(&self, ty: &str) -> bool;
}
