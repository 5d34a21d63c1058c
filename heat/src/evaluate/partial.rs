//! Values that are only partly known: the unknown parts stay expressions ([`Mode::Partial`]).
//!
//! Functions are computed by the same code as in the other modes. Values that this code does not know, and calls that Heat
//! would refuse, become the call itself, with everything in its argument resolved. So nothing fails here.

use std::fmt;

use crate::template::{Call, Context, Function, Standing};
use crate::value::Hidden;
use crate::yaml::{Tree, counting};

use super::call::Shape;
use super::reference::select;
use super::{Branch, Fault, Open, Scope, Value};

/// The weight of an attribute that resolves to another value, in levels of nesting: it uses this much of the machine's
/// stack.
const ATTRIBUTE: u32 = 9;

/// The resources of a stack, all, some or none of which exist.
pub trait Resources: fmt::Debug {
    /// The full name of a resource of this stack within the deployment.
    fn full_name(&self, resource: &str) -> String;

    /// The value of a reference to a resource, if it is known.
    fn reference(&self, resource: &str) -> Option<Value>;

    /// An attribute of a resource, as far as it is known, and the length of the consumed part of `way`. `way` is the
    /// attribute's name and the rest of the path in the call. `scope` resolves values of the same template.
    fn attribute(&self, scope: &Scope<'_>, resource: &str, way: &[Value]) -> Option<(Value, usize)>;

    /// A field of the resource that this stack is nested as: its metadata, or one of its policies.
    fn facade(&self, part: &str) -> Option<Value>;

    /// Whether values of hidden parameters are only compared.
    fn hides(&self) -> bool {
        true
    }
}

impl Scope<'_> {
    /// The result of a call, or the call itself.
    pub(super) fn partly(&self, call: &Call<'_>, context: Context, resources: &dyn Resources) -> Result<Value, Fault> {
        if matches!(call.standing, Standing::Removed | Standing::Misplaced) {
            return self.as_written(call, context);
        }
        if call.function == Function::If {
            return match self.branch(call) {
                Ok(Branch::Taken(branch)) => self.resolve(branch, context),
                Ok(Branch::Absent) => Ok(Value::Absent),
                Ok(Branch::Unknown) => self.undecided(call, context),
                Err(_) => self.as_written(call, context),
            };
        }
        if !self.form(call, context).is_empty() {
            return self.as_written(call, context);
        }
        let arguments = self.arguments(call, context)?;
        Ok(self.partly_of(call, arguments, resources))
    }

    fn as_written(&self, call: &Call<'_>, context: Context) -> Result<Value, Fault> {
        Ok(self.call_of(call.function, self.argument(call.argument, context)?))
    }

    /// An `if` whose condition is not known.
    fn undecided(&self, call: &Call<'_>, context: Context) -> Result<Value, Fault> {
        let Some([condition, branches @ ..]) = call.arguments() else { return self.as_written(call, context) };
        let mut parts = vec![self.decided(condition)?];
        for branch in branches {
            parts.push(self.argument(branch, context)?);
        }
        Ok(self.call_of(call.function, Value::List(parts)))
    }

    fn call_of(&self, function: Function, argument: Value) -> Value {
        self.afford(1, Value::open(function, argument))
    }

    #[inline(never)]
    fn partly_of(&self, call: &Call<'_>, arguments: Vec<Value>, resources: &dyn Resources) -> Value {
        let function = call.function;
        match (function, arguments.as_slice()) {
            (Function::Ref | Function::GetResource, [Value::Text(name)])
                if function == Function::GetResource || self.template().resources.contains_key(name) =>
            {
                return self.reference_to(name, resources);
            }
            (Function::Ref | Function::GetParam, [argument]) => {
                if let Some(value) = self.parameter(function, argument, resources.hides()) {
                    return value;
                }
            }
            (Function::GetAttr, [argument]) => return self.attribute_of(argument, resources),
            (Function::ResourceFacade | Function::FnResourceFacade, [Value::Text(part)]) => {
                if let Some(value) = resources.facade(part) {
                    return value;
                }
            }
            _ => {}
        }
        if self.can_afford(arguments.iter().map(Value::size).sum()) {
            let closed = arguments.iter().map(Value::closed).collect();
            if let Ok(value) = self.give(call, closed)
                && value.is_known()
            {
                return value;
            }
        }
        self.call_of(function, self.put_back(call, arguments))
    }

    /// The arguments of a call in their written form.
    fn put_back(&self, call: &Call<'_>, mut arguments: Vec<Value>) -> Value {
        match (Shape::of(call.function), &*call.argument.tree) {
            (Shape::Parts(names), Tree::Map(pairs)) => {
                let mut part = |key: String, written| match names.iter().position(|name| *name == key) {
                    Some(at) => (key, std::mem::replace(&mut arguments[at], Value::Null)),
                    None => (key, Value::literal(written)),
                };
                Value::Map(counting(pairs).map(|pair| part(pair.key.as_key(), &pair.value)).collect())
            }
            (Shape::Items, _) => {
                if matches!(call.function, Function::And | Function::Or) {
                    arguments.iter_mut().for_each(|argument| self.name_nothing(argument));
                }
                Value::List(arguments)
            }
            _ => {
                let mut argument = arguments.pop().unwrap_or(Value::Null);
                if call.function == Function::Not {
                    self.name_nothing(&mut argument);
                }
                argument
            }
        }
    }

    /// Replaces the name of a condition with the condition's value.
    fn name_nothing(&self, condition: &mut Value) {
        if let Ok(decided) = self.enabled(condition, crate::yaml::Span::default()) {
            *condition = decided;
        }
    }

    /// The result of `get_param` for this argument, if the parameter has a value.
    fn parameter(&self, function: Function, argument: &Value, hides: bool) -> Option<Value> {
        let (name, path) = match argument {
            Value::Text(name) => (name, [].as_slice()),
            Value::List(items) => match items.split_first()? {
                (Value::Text(name), path) => (name, path),
                _ => return None,
            },
            _ => return None,
        };
        let value = &self.loaded.parameters.values.get(name)?.value;
        let is_hidden = hides && self.template().parameters.get(name).is_some_and(|parameter| parameter.hidden);
        match value {
            Value::Unknown => None,
            value if is_hidden => Some(self.at(function, Value::secret(name, value.clone()), path)),
            value => Some(self.at(function, value.clone(), path)),
        }
    }

    /// The value of a reference to a resource, or the call that will return it.
    pub(crate) fn reference_to(&self, name: &str, resources: &dyn Resources) -> Value {
        let full = || self.call_of(Function::GetResource, Value::Text(resources.full_name(name)));
        resources.reference(name).unwrap_or_else(full)
    }

    /// The result of `get_attr` for this argument, or the call that will return it.
    pub(crate) fn attribute_of(&self, argument: &Value, resources: &dyn Resources) -> Value {
        let way = match argument {
            Value::List(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let Some((Value::Text(name), rest)) = way.split_first() else {
            return self.call_of(Function::GetAttr, argument.clone());
        };
        if let [Value::Text(_), ..] = rest {
            let depth = &self.limits.depth;
            depth.set(depth.get() + ATTRIBUTE);
            let value = resources.attribute(self, name, rest);
            depth.set(depth.get() - ATTRIBUTE);
            if let Some((value, taken)) = value {
                return self.at(Function::GetAttr, value, &rest[taken..]);
            }
        }
        let way = std::iter::once(Value::Text(resources.full_name(name))).chain(rest.iter().cloned());
        self.call_of(Function::GetAttr, Value::List(way.collect()))
    }

    /// The part of a value that a path selects, or the call of `function` that will select it.
    fn at(&self, function: Function, value: Value, path: &[Value]) -> Value {
        if path.is_empty() {
            return self.afford(value.size(), value);
        }
        let found = match &value {
            Value::Open(open) => match &**open {
                Open::Secret(name, Hidden(inner @ (Value::List(_) | Value::Map(_)))) => match select(inner, path) {
                    Value::Unknown => Value::Unknown,
                    found => Value::secret(name, found),
                },
                _ => Value::Unknown,
            },
            value => select(value, path),
        };
        match found {
            Value::Unknown => {
                let way = std::iter::once(value).chain(path.iter().cloned()).collect();
                self.call_of(function, Value::List(way))
            }
            found => self.afford(found.size(), found),
        }
    }
}
