//! Resolves open values once their dependencies are known.
//!
//! Functions are computed by the same code as before. Values that [`Mode::Partial`] has left open are resolved from the
//! remaining expression, not from the template.

use std::collections::HashMap;
use std::sync::LazyLock;

use wattle_model::IndexMap;

use crate::Loaded;
use crate::parameters;
use crate::template::{Call, Function, Standing, Version};
use crate::value::Hidden;
use crate::yaml::{Node, Pair, Span, Tree};

use super::reference::select;
use super::{Defect, Mode, Open, Scope, Value};

/// The current knowledge about resources, by full name.
pub trait Answers {
    /// The value of a reference to a resource.
    ///
    /// # Errors
    ///
    /// Why it is not known.
    fn reference(&self, name: &str) -> Result<Value, String>;

    /// An attribute of a resource.
    ///
    /// # Errors
    ///
    /// Why it is not known.
    fn attribute(&self, name: &str, attribute: &str) -> Result<Value, String>;
}

/// Computes everything in `value` that was open, by the rules of a HOT version.
///
/// # Errors
///
/// Why a part of it cannot be computed.
pub fn resumed(version: Version, value: &Value, answers: &dyn Answers) -> Result<Value, String> {
    static EMPTY: LazyLock<HashMap<Version, Loaded>> = LazyLock::new(|| {
        let empty = |version: Version| Loaded::of(&format!("heat_template_version: {}", version.date()), "");
        Version::all().map(|version| (version, empty(version))).collect()
    });
    if value.is_known() {
        return Ok(value.clone());
    }
    let resumption = Resumption { scope: Scope::new(&EMPTY[&version], Mode::Known), answers };
    resumption.value(value)
}

struct Resumption<'r> {
    scope: Scope<'r>,
    answers: &'r dyn Answers,
}

impl Resumption<'_> {
    fn value(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    match self.value(item)? {
                        Value::Absent => {}
                        item => list.push(item),
                    }
                }
                Value::List(list)
            }
            Value::Map(items) => {
                let mut map = IndexMap::default();
                for (key, item) in items {
                    match self.value(item)? {
                        Value::Absent => {}
                        item => drop(map.insert(key.clone(), item)),
                    }
                }
                Value::Map(map)
            }
            Value::Open(open) => match &**open {
                Open::Call(function, argument) => self.call(*function, argument)?,
                Open::Read(ty, value) => match self.argument(value)? {
                    Value::Null => Value::Null,
                    value => parameters::read(*ty, &value)?,
                },
                Open::Secret(_, Hidden(value)) => self.value(value)?,
            },
            Value::Unknown => return Err("it is too large or nested too deeply to be computed".to_owned()),
            known => known.clone(),
        })
    }

    /// To a function, a value that does not exist is null.
    fn argument(&self, value: &Value) -> Result<Value, String> {
        Ok(match self.value(value)? {
            Value::Absent => Value::Null,
            value => value,
        })
    }

    fn call(&self, function: Function, argument: &Value) -> Result<Value, String> {
        match (function, argument) {
            (Function::GetResource | Function::Ref, Value::Text(name)) => return self.answers.reference(name),
            (Function::GetAttr, Value::List(way)) => {
                if let [Value::Text(name), attribute, path @ ..] = way.as_slice() {
                    let attribute = self.argument(attribute)?;
                    let found = self.answers.attribute(name, &attribute.python())?;
                    return self.at(&found, path);
                }
                if let Some((value, path)) = way.split_first() {
                    return self.at(&self.argument(value)?, path);
                }
            }
            (Function::GetParam, Value::List(way)) => {
                if let Some((value, path)) = way.split_first() {
                    return self.at(&self.argument(value)?, path);
                }
            }
            (Function::GetParam, Value::Text(name)) => return Err(format!("the parameter `{name}` has no value")),
            (Function::If, Value::List(parts)) => {
                if let [condition, yes, no @ ..] = parts.as_slice() {
                    return match (self.argument(condition)?, no.first()) {
                        (Value::Boolean(true), _) => self.value(yes),
                        (Value::Boolean(false), Some(no)) => self.value(no),
                        (Value::Boolean(false), None) => Ok(Value::Absent),
                        (other, _) => {
                            Err(format!("`if`: a condition must be true or false, but this is {}", other.kind()))
                        }
                    };
                }
            }
            _ => {}
        }
        self.compute(function, self.argument(argument)?)
    }

    fn at(&self, value: &Value, path: &[Value]) -> Result<Value, String> {
        let path: Vec<Value> = path.iter().map(|part| self.argument(part)).collect::<Result<_, _>>()?;
        Ok(select(value, &path))
    }

    fn compute(&self, function: Function, argument: Value) -> Result<Value, String> {
        let name = function.name();
        let (node, span) = (options(&argument), Span::default());
        let call = Call { function, argument: &node, span, name: span, standing: Standing::Known };
        let value = self.scope.apply(&call, argument).map_err(|fault| match fault.cause {
            Defect::Arguments { why, .. } => format!("`{name}`: {why}"),
            other => format!("`{name}`: {other:?}"),
        })?;
        if value.is_known() { Ok(value) } else { Err(format!("`{name}` cannot be computed here for this value")) }
    }
}

/// The options that a function reads literally from its argument: whether `repeat` combines its lists.
fn options(argument: &Value) -> Node {
    let Value::Map(parts) = argument else { return Node::null() };
    let Some(Value::Boolean(permutations)) = parts.get("permutations") else { return Node::null() };
    let span = Span::default();
    let key = Node::new(Tree::Text { text: "permutations".to_owned(), plain: true }, span);
    let value = Node::new(Tree::Boolean(*permutations), span);
    Node::new(Tree::Map(vec![Pair { key, value, merged: false }]), span)
}
