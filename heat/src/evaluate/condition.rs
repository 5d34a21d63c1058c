//! Conditions, and the `if` that they decide.

use crate::template::{Call, Context, Version};
use crate::yaml::{Node, Span};

use super::{Cause, Fault, Scope, Value};

/// Which branch of an `if` counts.
#[derive(Clone, Copy, Debug)]
pub enum Branch<'n> {
    /// This one.
    Taken(&'n Node),
    /// The one that is not there: the item that the `if` stands for is none.
    Absent,
    /// That is not known: a condition of `yaql`, or of a parameter without a value.
    Unknown,
}

/// What is known of a condition.
#[derive(Clone, Debug)]
pub(super) enum State {
    InProgress,
    Done(Result<Value, Fault>),
}

/// Conditions that stand deeper than this are refused, each value around them counted: Heat decides 150 of which each is
/// `not` the next, and with 200 its recursion is too deep for Python.
const CONDITIONS: u32 = 160;

impl Scope<'_> {
    /// Whether the condition `name` holds; none if that is not known.
    ///
    /// # Errors
    ///
    /// Why it cannot be decided; of an unknown name at `span`.
    pub fn condition(&self, name: &str, span: Span) -> Result<Option<bool>, Fault> {
        Ok(self.named(name, span)?.truth())
    }

    /// Whether the condition `name` holds, as a truth value, or what will decide it.
    fn named(&self, name: &str, span: Span) -> Result<Value, Fault> {
        let Some((name, condition)) = self.loaded.template.conditions.get_key_value(name) else {
            return Err(Fault::new(span, Cause::UnknownCondition { name: name.to_owned() }));
        };
        let circular = || Fault::new(span, Cause::CircularCondition { name: name.clone() });
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
            other => Err(Fault::new(condition.node.span, Cause::NoTruth { found: other.kind().to_owned() })),
        });
        self.conditions.borrow_mut().insert(name, State::Done(decided.clone()));
        decided
    }

    /// Whether what has this `condition` is there: what has none is. None if that is not known.
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

    /// Whether the condition in `node` holds, as a truth value, or what will decide it.
    ///
    /// # Errors
    ///
    /// Why it cannot be decided.
    pub fn decided(&self, node: &Node) -> Result<Value, Fault> {
        let value = self.resolve(node, Context::Condition)?;
        self.enabled(&value, node.span)
    }

    /// The same of the condition that `value` is or names; nothing holds always.
    pub(super) fn enabled(&self, value: &Value, span: Span) -> Result<Value, Fault> {
        match value {
            Value::Null => Ok(Value::Boolean(true)),
            Value::Boolean(_) | Value::Unknown | Value::Open(_) => Ok(value.clone()),
            Value::Text(name) => self.named(name, span),
            other => Err(Fault::new(span, Cause::UnknownCondition { name: other.python() })),
        }
    }

    /// The branch of `call`, which is an `if`, that counts.
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
                let form = if two { "a condition, a value, and perhaps another" } else { "a condition and two values" };
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
