//! Values as expressions of the model.

use wattle::extended::{FORWARD_REFERENCES, IMPORTS, KEY, MODEL, PAIRS};
use wattle::model::{Expr, Model, Reference, Referred, Resource, Value};

use super::{Reader, items, words};
use wattle_heat::template::{Call, Context, Function};
use wattle_heat::yaml::{Node, Tree};

/// The reader of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Heat: attributes of servers are Heat's own, if it has them.
    Heat,
    /// Only wattle: here, components have outputs.
    Ours,
}

impl Reader<'_> {
    /// The value of an input, a forward reference or an output, or a part of it, without the guard that keeps Heat from
    /// reading it.
    pub(super) fn unguarded<'n>(&self, node: &'n Node) -> &'n Node {
        let Some(call) = self.template.call(node).filter(|call| call.function == Function::If) else { return node };
        match call.arguments() {
            Some([condition, value, rest @ ..])
                if rest.len() <= 1
                    && rest.iter().all(|other| matches!(*other.tree, Tree::Null))
                    && condition.tree.as_text().is_some_and(|name| self.is_run_time(name)) =>
            {
                value
            }
            _ => node,
        }
    }

    /// Reports a guard condition that does not keep Heat from reading values of software.
    pub(super) fn guard(&mut self) {
        let Some(condition) = self.template.conditions.get(&self.run_time) else { return };
        if self.is_run_time(&self.run_time) {
            return;
        }
        let is_guard = |value: &Expr| match value {
            Expr::Function { name, argument } if **name == *"if" => {
                matches!(&**argument, Expr::List(parts) if parts.first() == Some(&Expr::Constant(self.run_time.as_str().into())))
                    && is_of_software(value)
            }
            _ => false,
        };
        let inputs = self.model.components.values().flat_map(|component| component.inputs.values());
        let forward = self.model.forward_references.values().flat_map(|forward| &forward.fulfilled);
        let exported = self.model.exports.values().map(|export| &export.value);
        if inputs.chain(forward).map(|binding| &binding.value).chain(exported).flat_map(Expr::each).any(is_guard) {
            let name = &self.run_time;
            let message = format!("the condition `{name}` guards what only software knows, but is not `false`");
            let help = format!("write `{name}: false`; rename a condition of your own");
            self.malformed(condition.node.span, message, "Heat would evaluate what it guards", help);
        }
    }

    /// A value that Heat resolves.
    pub(super) fn value(&self, node: &Node) -> Expr {
        self.expression(node, Context::Value, Place::Heat)
    }

    /// A condition.
    pub(super) fn condition(&self, node: &Node) -> Expr {
        self.expression(node, Context::Condition, Place::Heat)
    }

    /// A value of wattle's own, guarded or not.
    pub(super) fn own_value(&self, node: &Node) -> Expr {
        self.expression(node, Context::Value, Place::Ours)
    }

    fn expression(&self, node: &Node, context: Context, place: Place) -> Expr {
        let node = if place == Place::Ours { self.unguarded(node) } else { node };
        if let Some(call) = Call::within(node, self.template.version(), context) {
            return self.call(&call, context, place);
        }
        match &*node.tree {
            Tree::List(items) => Expr::list(items.iter().map(|item| self.expression(item, context, place))),
            Tree::Map(pairs) => {
                if let ([pair], Place::Ours) = (pairs.as_slice(), place)
                    && pair.key.tree.as_text() == Some(PAIRS)
                {
                    return self.listed(&pair.value, context);
                }
                Expr::map(pairs.iter().map(|pair| (words(&pair.key), self.expression(&pair.value, context, place))))
            }
            _ => Expr::Constant(node.constant()),
        }
    }

    /// A map that is written as a list of its pairs.
    fn listed(&self, node: &Node, context: Context) -> Expr {
        let pair = |pair: &Node| match items(pair) {
            [name, value] => Some((words(name), self.expression(value, context, Place::Ours))),
            _ => None,
        };
        Expr::map(items(node).iter().filter_map(pair))
    }

    fn call(&self, call: &Call<'_>, context: Context, place: Place) -> Expr {
        let argument = || self.expression(call.argument, context, place);
        match call.function {
            Function::GetAttr => {
                self.output(call.argument, place).unwrap_or_else(|| Expr::function("get_attr", argument()))
            }
            Function::Ref => match call.argument.tree.as_text() {
                Some(name) if self.template.resources.contains_key(name) => Expr::resource(name),
                Some(name) => Expr::parameter(name),
                None => Expr::function("Ref", argument()),
            },
            Function::If => match call.arguments() {
                Some([condition, branches @ ..]) => {
                    let condition = self.expression(condition, Context::Condition, place);
                    let branches = branches.iter().map(|branch| self.expression(branch, context, place));
                    Expr::function("if", Expr::list(std::iter::once(condition).chain(branches)))
                }
                _ => Expr::function("if", argument()),
            },
            other => Expr::function(other.name(), argument()),
        }
    }

    /// The component output that a `get_attr` reads, or the value that an attribute of `wattle_model` stands for.
    fn output(&self, argument: &Node, place: Place) -> Option<Expr> {
        let path: Vec<&str> = items(argument).iter().map(|step| step.tree.as_text()).collect::<Option<_>>()?;
        match path.as_slice() {
            [MODEL, FORWARD_REFERENCES, name] => Some(Expr::forward_reference(*name)),
            [MODEL, IMPORTS, stack, export] => Some(Expr::import(*stack, *export)),
            [server, component, output] => {
                let key = Model::component_key(server, component);
                // On a server with components, an unknown attribute is meant as a component.
                let metadata = || self.template.resources.get(*server)?.metadata.as_ref()?.get(KEY)?.get("components");
                let has_others = || metadata().is_some();
                let is_meant = self.written.contains_key(key.as_str()) || place == Place::Ours && has_others();
                if !is_meant || self.is_heats(component, output, &key, place) {
                    return None;
                }
                Some(Expr::output(key, *output))
            }
            _ => None,
        }
    }

    /// Whether an attribute of the server is meant rather than a component with the same name.
    fn is_heats(&self, attribute: &str, output: &str, key: &str, place: Place) -> bool {
        let is_attribute = || {
            let schema = self.server.get_or_init(|| wattle_heat::schema::schema(Resource::SERVER).unwrap_or_default());
            schema.attributes.contains_key(attribute)
        };
        let declares = || {
            let component = self.model.components.get(key);
            component
                .and_then(|known| self.model.declaration(known))
                .is_some_and(|kind| kind.outputs.contains_key(output))
        };
        match place {
            Place::Heat => is_attribute(),
            Place::Ours => !declares() && is_attribute(),
        }
    }
}

/// A constant of wattle's own, in which maps can be written as lists of their pairs.
pub(super) fn own_constant(node: &Node) -> Value {
    match &*node.tree {
        Tree::List(items) => Value::List(items.iter().map(own_constant).collect()),
        Tree::Map(pairs) => match pairs.as_slice() {
            [listed] if listed.key.tree.as_text() == Some(PAIRS) => {
                let pair = |pair: &Node| match items(pair) {
                    [name, value] => Some((words(name), own_constant(value))),
                    _ => None,
                };
                Value::Map(items(&listed.value).iter().filter_map(pair).collect())
            }
            _ => Value::Map(pairs.iter().map(|pair| (words(&pair.key), own_constant(&pair.value))).collect()),
        },
        _ => node.constant(),
    }
}

/// Whether a value refers to something that only software or another stack provides.
pub(super) fn is_of_software(value: &Expr) -> bool {
    let is_of_software = |reference: Referred<'_>| {
        matches!(reference, Reference::Output { .. } | Reference::ForwardReference(_) | Reference::Import { .. })
    };
    value.references().any(is_of_software)
}
