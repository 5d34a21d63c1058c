//! Resolves the wires of a seed into the sources of a plan, which have no parameters or imports.

use wattle_heat::evaluate::apply;
use wattle_model::Value;

use crate::seed::{Origin, Wire};
use crate::server_plan::{Held, ValueSource};

use super::{Planning, Why};

impl Planning<'_> {
    /// The source of a wire, sealed as a whole if `secret`. Known values are computed. A decided `if` loses its other
    /// branch.
    pub(super) fn source<E>(
        self,
        wire: &Wire,
        secret: bool,
        seal: &mut dyn FnMut(&Value) -> Result<ValueSource, E>,
    ) -> Result<ValueSource, Why<E>> {
        wire.rebuild(&mut |part| {
            Ok(match part {
                Wire::Constant(value) => Some(constant(value, secret, seal)?),
                Wire::Leaf(origin) => Some(self.leaf(origin, secret, seal)?),
                Wire::Function { name, argument } => self.function(name, argument, secret, seal)?,
                Wire::Text(_) | Wire::List(_) | Wire::Map(_) => None,
            })
        })
    }

    fn leaf<E>(
        self,
        origin: &Origin,
        secret: bool,
        seal: &mut dyn FnMut(&Value) -> Result<ValueSource, E>,
    ) -> Result<ValueSource, Why<E>> {
        match origin {
            Origin::Parameter(name) => constant(self.parameter(name), secret || self.is_secret(origin), seal),
            Origin::Entry(entry) => Ok(ValueSource::Leaf(Held::Entry(entry.clone()))),
            Origin::UserData(key) => Ok(ValueSource::Leaf(Held::UserData(key.clone()))),
            Origin::Import { stack, export } => match self.imports.get(&(stack.clone(), export.clone())) {
                None => constant(&Value::Null, secret, seal),
                Some(ValueSource::Constant(imported)) => constant(imported, secret, seal),
                Some(source) => Ok(source.clone()),
            },
        }
    }

    /// The result of a function if all of its arguments are known. Otherwise the agent computes it.
    fn function<E>(
        self,
        name: &str,
        argument: &Wire,
        secret: bool,
        seal: &mut dyn FnMut(&Value) -> Result<ValueSource, E>,
    ) -> Result<Option<ValueSource>, Why<E>> {
        // The other branch of a decided `if` need not be known.
        if let Some((condition, [then, otherwise])) = Wire::branches(name, argument)
            && let Wire::Constant(Value::Boolean(holds)) = self.known(condition).map_err(Why::Function)?
        {
            let taken = if holds { then } else { otherwise };
            let nothing = Value::Null.into();
            return self.source(taken.unwrap_or(&nothing), secret, seal).map(Some);
        }
        let Wire::Constant(given) = self.known(argument).map_err(Why::Function)? else { return Ok(None) };
        let secret = secret || argument.leaves().any(|origin| self.is_secret(origin));
        constant(&apply(name, &given).map_err(Why::Function)?, secret, seal).map(Some)
    }

    /// The wire with the values of its constants, parameters and imported constants.
    fn known(self, wire: &Wire) -> Result<Wire, String> {
        let leaf = |origin: &Origin| match origin {
            Origin::Parameter(name) => self.parameter(name).clone().into(),
            Origin::Import { stack, export } => match self.imports.get(&(stack.clone(), export.clone())) {
                Some(ValueSource::Constant(imported)) => imported.clone().into(),
                _ => Wire::Leaf(origin.clone()),
            },
            Origin::Entry(_) | Origin::UserData(_) => Wire::Leaf(origin.clone()),
        };
        wire.resolve(&mut |origin| Ok(leaf(origin)), &mut apply)
    }

    fn parameter(&self, name: &str) -> &Value {
        self.parameters.get(name).unwrap_or(&Value::Null)
    }

    fn is_secret(self, origin: &Origin) -> bool {
        let secret = |name| self.seed.parameters.get(name).is_none_or(|parameter| parameter.ty.is_secret());
        origin.parameter().is_some_and(secret)
    }
}

/// The source of a known value.
pub(super) fn constant<E>(
    value: &Value,
    secret: bool,
    seal: &mut dyn FnMut(&Value) -> Result<ValueSource, E>,
) -> Result<ValueSource, Why<E>> {
    if secret { seal(value).map_err(Why::Sealing) } else { Ok(value.clone().into()) }
}
