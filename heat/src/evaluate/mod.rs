//! The results of functions, as Heat's engine computes them.
//!
//! What lives here: [`Scope`], which resolves values, evaluates conditions and selects the branch of an `if`; and faults in
//! calls ([`Fault`]). What must not: judging how a value is used, and whether references between resources have a target,
//! which is the job of `check`.
//!
//! There are three modes. With [`Mode::Known`], values that only a running stack knows are [`Value::Unknown`], and so is
//! everything computed from them. With [`Mode::Validation`], they are Heat's own substitutes during the validation of a
//! template: null for an attribute, and a resource's name for a reference to it. With [`Mode::Partial`], they stay
//! expressions until they are known.

mod apply;
mod call;
mod collection;
mod condition;
mod fault;
mod form;
mod partial;
mod reference;
mod repeat;
mod resume;
mod text;
mod url;
mod yaql;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use wattle_model::IndexMap;

use crate::Loaded;
use crate::template::{Call, Context, Function, Step, Template, Version};
use crate::yaml::{Node, Tree, counting};

pub use crate::value::{Open, Value};
pub use apply::apply;
pub use condition::Branch;
pub use fault::{Defect, Fault, Stage};
pub use partial::Resources;
pub use resume::{Answers, resumed};

/// The treatment of values that only a running stack knows.
#[derive(Clone, Copy, Debug, Default)]
pub enum Mode<'l> {
    /// [`Value::Unknown`].
    #[default]
    Known,
    /// Heat's substitutes during validation.
    Validation,
    /// The known facts about these resources, and an expression for every other value ([`Value::Open`]): a parameter
    /// without a value, the value of a hidden one, and the results of functions of these. Nothing fails: a call that Heat
    /// would refuse is an expression, too.
    Partial(&'l dyn Resources),
}

/// The limit for the values that the functions of one template can create, in values and units of 64 characters of text.
/// Values beyond it are unknown.
const BUDGET: u64 = 500_000;

/// The maximum depth of resolution, including conditions that refer to others. No text nests this deeply. Values beyond it
/// are unknown.
const DEPTH: u32 = 400;

/// The remaining budget for creating values.
#[derive(Debug)]
pub(crate) struct Limits {
    budget: u64,
    spent: Cell<u64>,
    /// The number of values around the one being resolved.
    depth: Cell<u32>,
}

impl Limits {
    /// Limits for values of this total size, in values and units of 64 characters of text.
    pub(crate) fn new(budget: u64) -> Rc<Self> {
        Rc::new(Self { budget, spent: Cell::new(0), depth: Cell::new(0) })
    }

    /// Whether this much can still be created.
    pub(crate) fn can_afford(&self, size: usize) -> bool {
        self.spent.get().saturating_add(size as u64) <= self.budget
    }
}

/// The context in which values are resolved: a template with the values of its parameters.
#[derive(Debug)]
pub struct Scope<'l> {
    loaded: &'l Loaded,
    mode: Mode<'l>,
    references: HashMap<String, Value>,
    conditions: RefCell<HashMap<&'l str, condition::State>>,
    limits: Rc<Limits>,
}

impl<'l> Scope<'l> {
    /// The scope of a template.
    pub fn new(loaded: &'l Loaded, mode: Mode<'l>) -> Self {
        let (references, conditions) = (HashMap::new(), RefCell::default());
        Self { loaded, mode, references, conditions, limits: Limits::new(BUDGET) }
    }

    /// The same scope, within limits shared with others.
    pub(crate) fn within(self, limits: &Rc<Limits>) -> Self {
        Self { limits: limits.clone(), ..self }
    }

    /// The same scope, where `get_resource` returns these values for resources with these names. Some types return something
    /// other than their name before the resource is created.
    pub(crate) fn referring(self, references: HashMap<String, Value>) -> Self {
        Self { references, ..self }
    }

    /// A scope of the same template in which values that only a running stack knows are unknown.
    pub(crate) fn known(&self) -> Self {
        Self::new(self.loaded, Mode::Known)
    }

    /// The template.
    pub fn template(&self) -> &'l Template {
        &self.loaded.template
    }

    /// The template's version.
    pub fn version(&self) -> Version {
        self.loaded.template.version()
    }

    /// The value that `node` resolves to. [`Value::Absent`] means that it does not exist.
    ///
    /// # Errors
    ///
    /// The first failing call in it, in Heat's order.
    pub fn value(&self, node: &Node) -> Result<Value, Fault> {
        self.resolve(node, Context::Value)
    }

    /// Visits `node` and everything in it as [`crate::template::walk`] does, but only the effective branch of each `if`,
    /// and neither if that is unknown.
    pub fn walk<'n>(
        &self,
        node: &'n Node,
        context: Context,
        visit: &mut dyn FnMut(&'n Node, Option<&Call<'n>>, Context) -> Step,
    ) {
        let call = Call::within(node, self.version(), context);
        if visit(node, call.as_ref(), context) == Step::Over {
            return;
        }
        match (&call, &*node.tree) {
            (Some(call), _) if call.function == Function::If && context == Context::Value => {
                if let Some([condition, ..]) = call.arguments() {
                    self.walk(condition, Context::Condition, visit);
                }
                if let Ok(Branch::Taken(branch)) = self.branch(call) {
                    self.walk(branch, context, visit);
                }
            }
            (Some(call), _) => self.walk(call.argument, context, visit),
            (None, Tree::List(items)) => items.iter().for_each(|item| self.walk(item, context, visit)),
            (None, Tree::Map(pairs)) => {
                for pair in counting(pairs) {
                    self.walk(&pair.value, context, visit);
                }
            }
            (None, _) => {}
        }
    }

    /// The value that `node` resolves to. Unknown if it is nested too deeply.
    fn resolve(&self, node: &Node, context: Context) -> Result<Value, Fault> {
        let depth = &self.limits.depth;
        if depth.get() >= DEPTH || matches!(self.mode, Mode::Partial(_)) && !self.can_afford(0) {
            return Ok(Value::Unknown);
        }
        depth.set(depth.get() + 1);
        let value = self.resolve_parts(node, context);
        depth.set(depth.get() - 1);
        value
    }

    fn resolve_parts(&self, node: &Node, context: Context) -> Result<Value, Fault> {
        if let Some(call) = Call::within(node, self.version(), context) {
            return self.call(&call, context);
        }
        Ok(match &*node.tree {
            Tree::List(items) => {
                let mut list = Vec::with_capacity(items.len().min(1_000));
                for item in items {
                    match self.resolve(item, context)? {
                        Value::Absent => {}
                        value => list.push(value),
                    }
                }
                self.afford(items.len(), Value::List(list))
            }
            Tree::Map(pairs) => {
                let mut map = IndexMap::default();
                for pair in pairs {
                    match self.resolve(&pair.value, context)? {
                        Value::Absent => {}
                        value => {
                            map.insert(pair.key.as_key(), value);
                        }
                    }
                }
                self.afford(pairs.len(), Value::Map(map))
            }
            Tree::Text { text, .. } => self.afford(text.len() / 64, Value::literal(node)),
            _ => Value::literal(node),
        })
    }

    /// The value that an argument resolves to. Null if it does not exist.
    fn argument(&self, node: &Node, context: Context) -> Result<Value, Fault> {
        Ok(match self.resolve(node, context)? {
            Value::Absent => Value::Null,
            value => value,
        })
    }

    /// `value`, or unknown if the budget is used up.
    fn afford(&self, size: usize, value: Value) -> Value {
        let spent = &self.limits.spent;
        spent.set(spent.get().saturating_add(1 + size as u64));
        if self.can_afford(0) { value } else { Value::Unknown }
    }

    /// Whether this much can still be created.
    fn can_afford(&self, size: usize) -> bool {
        self.limits.can_afford(size)
    }
}
