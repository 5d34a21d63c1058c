//! Where an input's value comes from, as far as it is known before anything runs.

use indexmap::{IndexMap, IndexSet};

use crate::lower::seed::Wire;
use crate::model::{Name, Value};
use crate::values;

pub(super) use crate::plan::Compute;

/// A wire whose parameters and imports are resolved.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// The value itself.
    Value(Value),
    /// An entry of the data space.
    Entry(Name),
    /// A value that the server is told by its user data.
    Told(Name),
    /// Text: the values one behind the other, as they are printed.
    Text(Vec<Part>),
    /// Values in order.
    List(Vec<Part>),
    /// Values by name.
    Map(IndexMap<Name, Part>),
    /// What one of Heat's functions gives.
    Function(Name, Box<Part>),
}

/// What wires are resolved with. Whatever there is none of is a default, and was found missing before.
pub(super) struct Resolver<'a> {
    pub(super) parameters: &'a IndexMap<Name, Value>,
    pub(super) imports: &'a IndexMap<(Name, Name), Value>,
    pub(super) compute: Option<Compute>,
}

impl Resolver<'_> {
    /// As `seed apply` resolves it: functions of what is known are computed, and of a decided `if` the other branch is gone.
    ///
    /// # Errors
    /// Why a function cannot be computed.
    pub(super) fn part(&self, wire: &Wire) -> Result<Part, String> {
        let all = |wires: &[Wire]| wires.iter().map(|wire| self.part(wire)).collect::<Result<Vec<_>, _>>();
        Ok(match wire {
            Wire::Value(value) => Part::Value(value.clone()),
            Wire::Parameter(name) => Part::Value(self.parameters.get(name).cloned().unwrap_or(Value::Null)),
            Wire::Entry(entry) => Part::Entry(entry.clone()),
            Wire::UserData(key) => Part::Told(key.clone()),
            Wire::Import { stack, export } => {
                let key = (stack.clone(), export.clone());
                Part::Value(self.imports.get(&key).cloned().unwrap_or(Value::Null))
            }
            Wire::Text(parts) => joined(all(parts)?),
            Wire::List(parts) => {
                let parts = all(parts)?;
                known_all(&parts).map_or(Part::List(parts), |values| Part::Value(Value::List(values)))
            }
            Wire::Map(parts) => {
                let values = all(&parts.values().cloned().collect::<Vec<_>>())?;
                let names = parts.keys().cloned();
                match known_all(&values) {
                    Some(values) => Part::Value(Value::Map(names.zip(values).collect())),
                    None => Part::Map(names.zip(values).collect()),
                }
            }
            Wire::Function { name, argument } => self.function(name, argument)?,
        })
    }

    fn function(&self, name: &Name, argument: &Wire) -> Result<Part, String> {
        if let ("if", Wire::List(parts)) = (&**name, argument)
            && let [condition, values @ ..] = parts.as_slice()
            && let Part::Value(Value::Boolean(holds)) = self.part(condition)?
        {
            return values.get(usize::from(!holds)).map_or(Ok(Part::Value(Value::Null)), |value| self.part(value));
        }
        match self.part(argument)? {
            Part::Value(argument) => Ok(Part::Value(self.compute(name, &argument)?)),
            part => Ok(Part::Function(name.clone(), Box::new(part))),
        }
    }

    fn compute(&self, name: &str, argument: &Value) -> Result<Value, String> {
        compute(self.compute, name, argument)
    }
}

/// Computes one of Heat's functions.
///
/// # Errors
/// Why it cannot be.
pub(super) fn compute(with: Option<Compute>, name: &str, argument: &Value) -> Result<Value, String> {
    match with {
        Some(with) => with(name, argument),
        None => Err(format!(
            "Heat's function `{name}` is not part of `wattle`: add `wattle-heat` to the `[dev-dependencies]`, and \
             `.computing(wattle_heat::evaluate::apply)` to the trial"
        )),
    }
}

fn known_all(parts: &[Part]) -> Option<Vec<Value>> {
    let known = |part: &Part| if let Part::Value(value) = part { Some(value.clone()) } else { None };
    parts.iter().map(known).collect()
}

fn joined(parts: Vec<Part>) -> Part {
    match known_all(&parts) {
        Some(values) => Part::Value(values.iter().map(values::text).collect::<String>().into()),
        None => Part::Text(parts),
    }
}

impl Part {
    /// Calls `visit` with the entries and told values that it is made of.
    pub(super) fn leaves<'p>(&'p self, visit: &mut impl FnMut(&'p Part)) {
        match self {
            Self::Entry(_) | Self::Told(_) => visit(self),
            Self::Text(parts) | Self::List(parts) => parts.iter().for_each(|part| part.leaves(visit)),
            Self::Map(parts) => parts.values().for_each(|part| part.leaves(visit)),
            Self::Function(_, argument) => argument.leaves(visit),
            Self::Value(_) => {}
        }
    }

    /// The entries that it needs, each once.
    pub(super) fn entries(&self) -> IndexSet<&Name> {
        let mut found = IndexSet::new();
        self.leaves(&mut |part| {
            if let Self::Entry(entry) = part {
                found.insert(entry);
            }
        });
        found
    }

    /// Its value; `leaf` gives those of entries and of what is told.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn value(
        &self,
        with: Option<Compute>,
        leaf: &impl Fn(&Part) -> Result<Value, String>,
    ) -> Result<Value, String> {
        let all = |parts: &[Self]| parts.iter().map(|part| part.value(with, leaf)).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            Self::Value(value) => value.clone(),
            Self::Entry(_) | Self::Told(_) => leaf(self)?,
            Self::Text(parts) => all(parts)?.iter().map(values::text).collect::<String>().into(),
            Self::List(parts) => Value::List(all(parts)?),
            Self::Map(parts) => {
                let part = |(name, part): (&Name, &Self)| Ok((name.clone(), part.value(with, leaf)?));
                Value::Map(parts.iter().map(part).collect::<Result<_, String>>()?)
            }
            Self::Function(name, argument) => compute(with, name, &argument.value(with, leaf)?)?,
        })
    }
}
