//! What is known of drivers here.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;

use wattle_model::{Name, Value};

/// What drivers know of resource types.
pub trait Kinds: Debug + Send + Sync {
    /// Whether resources of the type can be made.
    fn is_driven(&self, ty: &str) -> bool;

    /// Properties that cannot be changed in place, besides those that Heat does not change either.
    fn fixed(&self, ty: &str) -> &[&str];

    /// What of these properties is not carried out although Heat does it, each with what to do instead. What is not known yet stands there
    /// as the call that will give it.
    fn beyond(&self, ty: &str, properties: &Value) -> Vec<(String, &'static str)>;

    /// What a resource with these properties has that no two can have: an address, an attached volume.
    fn exclusive(&self, ty: &str, properties: &Value) -> BTreeSet<Name>;

    /// What a resource with these properties has only while it is made: of those that want the same, one is made after the other.
    fn turns(&self, ty: &str, properties: &Value) -> BTreeSet<Name>;

    /// How long it may take to make, change or delete one; none if there is nothing special about that.
    fn patience(&self, ty: &str) -> Option<Duration>;

    /// Whether something may run on it that is to be torn down before it is deleted. Of a server, an agent.
    fn drains(&self, ty: &str) -> bool;
}
