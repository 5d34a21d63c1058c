//! Conditions, and the `if` that depends on them.

use crate::template::{Call, Context, Version};
use crate::yaml::{Node, Span};

use super::{Defect, Fault, Scope, Value};

/// The effective branch of an `if`.
#[derive(Clone, Copy, Debug)]
pub enum Branch<'n> {
    /// This one.
    Taken(&'n Node),
    /// The missing branch: the item that the `if` stands for does not exist.
    Absent,
    /// Not known, because the condition uses `yaql` or a parameter without a value.
    Unknown,
}

/// What is known about a condition.
#[derive(Clone, Debug)]
pub(super) enum State {
    InProgress,
    Done(Result<Value, Fault>),
}

/// The greatest depth of a condition, counting all values around it. Deeper ones are refused: Heat evaluates 150 nested
/// `not`, and with 200 its recursion is too deep for Python.
const CONDITIONS: u32 = 160;

impl Scope<'_> {
    /// Whether the condition `name` holds. `None` if that is not known.
    ///
    /// # Errors
    ///
    /// Why it cannot be decided. If the name is unknown, the fault is at `span`.
    pub fn condition(&self, name: &str, span: Span) -> Result<Option<bool>, Fault> {
        Ok(self.named(name, span)?.truth())
    }

    /// The condition `name` as a boolean, or as the expression that will decide it.
    fn named(&self, name: &str, span: Span) -> Result<Value, Fault> {
        let Some((name, condition)) = self.loaded.template.conditions.get_key_value(name) else {
            return Err(Fault::new(span, Defect::UnknownCondition { name: name.to_owned() }));
        };
        let circular = || Fault::new(span, Defect::CircularCondition { name: name.clone() });
        match self.conditions.borrow().get(&**name) {
            Some(State::Done(known)) => return known.clone(),
            Some(State::InProgress) => return Err(circular()),
            None => {}
        }
        if self.limits.depth.get() >= CONDITIONS {
            return Err(circular());
        }
        self.conditions.borrow_mut().insert(name, State::InProgress);
        let decided = self.resolve(&condition.node, Context::Condition).and_then(|value| match value {
            Value::Boolean(_) | Value::Unknown | Value::Open(_) => Ok(value),
            other => Err(Fault::new(condition.node.span, Defect::NoTruth { found: other.kind().to_owned() })),
        });
        self.conditions.borrow_mut().insert(name, State::Done(decided.clone()));
        decided
    }

    /// Whether an element with this `condition` exists. Without a condition, it does. `None` if that is not known.
    ///
    /// # Errors
    ///
    /// Why it cannot be decided.
    pub fn holds(&self, condition: Option<&Node>) -> Result<Option<bool>, Fault> {
        match condition {
            Some(node) => Ok(self.decided(node)?.truth()),
            None => Ok(Some(true)),
        }
    }

    /// The condition in `node` as a boolean, or as the expression that will decide it.
    ///
    /// # Errors
    ///
    /// Why it cannot be decided.
    pub fn decided(&self, node: &Node) -> Result<Value, Fault> {
        let value = self.resolve(node, Context::Condition)?;
        self.enabled(&value, node.span)
    }

    /// The same for `value`, which is a condition or its name. Null always holds.
    pub(super) fn enabled(&self, value: &Value, span: Span) -> Result<Value, Fault> {
        match value {
            Value::Null => Ok(Value::Boolean(true)),
            Value::Boolean(_) | Value::Unknown | Value::Open(_) => Ok(value.clone()),
            Value::Text(name) => self.named(name, span),
            other => Err(Fault::new(span, Defect::UnknownCondition { name: other.python() })),
        }
    }

    /// The effective branch of the `if` in `call`.
    ///
    /// # Errors
    ///
    /// What is wrong with its arguments or its condition.
    pub fn branch<'n>(&self, call: &Call<'n>) -> Result<Branch<'n>, Fault> {
        let two = self.version() >= Version::V2021_04_16;
        let (condition, yes, no) = match call.arguments() {
            Some([condition, yes, no]) => (condition, yes, Some(no)),
            Some([condition, yes]) if two => (condition, yes, None),
            _ => {
                let form = if two {
                    "a condition, a value and optionally another value"
                } else {
                    "a condition and two values"
                };
                let why = format!("it takes a list of {form}");
                return Err(Fault::arguments(call.argument.span, call.function, why));
            }
        };
        Ok(match (self.holds(Some(condition))?, no) {
            (Some(true), _) => Branch::Taken(yes),
            (Some(false), Some(no)) => Branch::Taken(no),
            (Some(false), None) => Branch::Absent,
            (None, _) => Branch::Unknown,
        })
    }
}
