//! Where an input's value comes from, as far as it is known before anything runs.

use wattle_heat::evaluate::apply;

use crate::lower::seed::{Origin, Wire};
use crate::model::{IndexMap, Name, Tree, Value};

/// A wire whose parameters and imports are resolved.
pub(super) type Part = Tree<Late>;

/// What is known only while it runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Late {
    /// An entry of the data space.
    Entry(Name),
    /// A value that the server is told by its user data.
    Told(Name),
}

/// What wires are resolved with. Whatever there is none of is a default, and was found missing before.
pub(super) struct Resolver<'a> {
    pub(super) parameters: &'a IndexMap<Name, Value>,
    pub(super) imports: &'a IndexMap<(Name, Name), Value>,
}

impl Resolver<'_> {
    /// As `seed apply` resolves it: functions of what is known are computed, and of a decided `if` the other branch is gone.
    ///
    /// # Errors
    /// Why a function cannot be computed.
    pub(super) fn part(&self, wire: &Wire) -> Result<Part, String> {
        let known = |value: Option<&Value>| Part::Constant(value.cloned().unwrap_or(Value::Null));
        let leaf = |origin: &Origin| match origin {
            Origin::Parameter(name) => known(self.parameters.get(name)),
            Origin::Import { stack, export } => known(self.imports.get(&(stack.clone(), export.clone()))),
            Origin::Entry(entry) => Part::Leaf(Late::Entry(entry.clone())),
            Origin::UserData(key) => Part::Leaf(Late::Told(key.clone())),
        };
        wire.resolve(&mut |origin| Ok(leaf(origin)), &mut apply)
    }
}

/// The entries that a value needs.
pub(super) fn entries(part: &Part) -> impl Iterator<Item = &Name> {
    part.leaves().filter_map(|leaf| match leaf {
        Late::Entry(entry) => Some(entry),
        Late::Told(_) => None,
    })
}
