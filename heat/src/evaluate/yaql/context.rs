//! The context of evaluation: the meaning of `$` and other names.

use std::rc::Rc;

use super::expression::Expression;
use super::item::{Item, NESTED};
use super::machine::{Machine, Stop, unknown};

/// Names and their values. Names that it does not define are looked up in the enclosing context.
#[derive(Clone, Debug)]
pub(super) struct Context(Rc<Frame>);

#[derive(Debug)]
struct Frame {
    around: Option<Context>,
    /// The names include their dollar sign.
    values: Vec<(Rc<str>, Item)>,
    function: Option<(Rc<str>, Rc<Expression>)>,
    depth: u32,
}

/// An expression that a function evaluates on demand, with its context.
#[derive(Debug)]
pub(super) struct Lambda {
    pub(super) expression: Rc<Expression>,
    pub(super) context: Context,
}

impl Context {
    /// The outermost context, with the data.
    pub(super) fn of(data: Item) -> Self {
        let values = vec![("$1".into(), data)];
        Self(Rc::new(Frame { around: None, values, function: None, depth: 0 }))
    }

    /// A context within this one.
    pub(super) fn with(&self, values: Vec<(Rc<str>, Item)>) -> Result<Self, Stop> {
        self.inner(values, None)
    }

    /// A context within this one that defines a function.
    pub(super) fn with_function(&self, name: Rc<str>, body: Rc<Expression>) -> Result<Self, Stop> {
        self.inner(Vec::new(), Some((name, body)))
    }

    fn inner(&self, values: Vec<(Rc<str>, Item)>, function: Option<(Rc<str>, Rc<Expression>)>) -> Result<Self, Stop> {
        let depth = values.iter().map(|(_, value)| value.depth()).max().unwrap_or(0).max(self.depth()) + 1;
        if depth > NESTED {
            return unknown();
        }
        Ok(Self(Rc::new(Frame { around: Some(self.clone()), values, function, depth })))
    }

    /// The value of a name. Null if it is not defined.
    pub(super) fn get(&self, name: &str) -> Item {
        let name = if name == "$" { "$1" } else { name };
        self.frames()
            .find_map(|context| context.0.values.iter().rev().find(|(known, _)| **known == *name))
            .map_or(Item::Null, |(_, value)| value.clone())
    }

    /// The author's own function with this name, from the innermost context that defines it.
    pub(super) fn function(&self, name: &str) -> Option<Lambda> {
        self.frames().find_map(|context| {
            let (known, expression) = context.0.function.as_ref()?;
            (**known == *name).then(|| Lambda { expression: expression.clone(), context: context.clone() })
        })
    }

    fn frames(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |context| context.0.around.as_ref())
    }

    pub(super) fn depth(&self) -> u32 {
        self.0.depth
    }
}

impl Lambda {
    /// Its value for these arguments, which it receives as `$1`, `$2` and so on.
    pub(super) fn call(&self, machine: &Machine<'_>, arguments: &[Item]) -> Result<Item, Stop> {
        let named = (1..).zip(arguments).map(|(number, value)| (format!("${number}").into(), value.clone()));
        let context = self.context.with(named.collect())?;
        machine.evaluate(&self.expression, None, &context)
    }

    pub(super) fn depth(&self) -> u32 {
        self.context.depth()
    }
}
