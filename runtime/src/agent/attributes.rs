//! The server's own attributes, which its agent publishes for their readers.

use std::fmt;

use async_trait::async_trait;
use wattle::lower::seed::SeedAttribute;
use wattle::model::{IndexMap, Name, Step, Value};

/// A source of a server's own attributes.
#[async_trait]
pub trait Attributes: Send + Sync + fmt::Debug {
    /// Returns the value of an attribute.
    ///
    /// # Errors
    /// The reason why it is not available, in one line.
    async fn get(&self, attribute: &SeedAttribute) -> Result<Value, String>;
}

/// Known attributes by Heat's name (`id` for the identity), with networks by their names in the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fixed(pub IndexMap<Name, Value>);

#[async_trait]
impl Attributes for Fixed {
    async fn get(&self, attribute: &SeedAttribute) -> Result<Value, String> {
        let Some(value) = self.0.get(&attribute.attribute) else {
            return Err(format!("this server has no attribute `{}`", attribute.attribute));
        };
        walk(value, &attribute.path).cloned()
    }
}

/// Returns the part of `value` at `path`.
///
/// # Errors
/// The position at which the path ends too early.
pub(super) fn walk<'v>(value: &'v Value, path: &[Step]) -> Result<&'v Value, String> {
    path.iter().try_fold(value, |value, step| match (step, value) {
        (Step::Key(name) | Step::Resource(name), Value::Map(values)) => {
            values.get(name).ok_or_else(|| format!("there is no `{name}` in it"))
        }
        (Step::Index(index), Value::List(values)) => {
            let at = usize::try_from(*index).unwrap_or(usize::MAX);
            values.get(at).ok_or_else(|| format!("there is no item {index} in it, which has {}", values.len()))
        }
        (Step::Key(name) | Step::Resource(name), other) => {
            Err(format!("expected a map with `{name}`, found {}", other.kind()))
        }
        (Step::Index(index), other) => Err(format!("expected a list with an item {index}, found {}", other.kind())),
    })
}
