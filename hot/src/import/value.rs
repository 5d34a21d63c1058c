//! Values as Rust expressions without a specific type: arguments of functions and values of open maps.

use wattle_heat::template::{Call, Context};
use wattle_heat::yaml::{Node, Pair, Tree};

use super::blueprint::Blueprint;
use super::catalog::Ty;
use super::rust::Expr;
use super::valued::{Valued, alike, entries, float, integer, list};

impl Blueprint<'_> {
    /// The value of `node`, as an argument of one of Heat's functions. `hint` names its purpose.
    pub(super) fn value(&mut self, node: &Node, context: Context, hint: &str) -> Valued {
        if let Some(call) = Call::within(node, self.template.version(), context) {
            return self.call(&call, context, hint);
        }
        match &*node.tree {
            Tree::Null => Valued::hot("null", []),
            Tree::Boolean(value) => Valued::new(Expr::atom(value.to_string()), Ty::Boolean),
            Tree::Integer(value) => integer(node, *value),
            Tree::Float(value) => Valued::new(Expr::atom(float(*value)), Ty::Float),
            Tree::Text { text, .. } => {
                let text = self.named(node, text);
                Valued::new(self.literals.text(&text, hint), Ty::Text)
            }
            Tree::List(items) => {
                let items = items.iter().enumerate().map(|(n, item)| self.value(item, context, &format!("{hint}.{n}")));
                let items = items.collect();
                list(items)
            }
            Tree::Map(pairs) => self.map(pairs, context, hint),
        }
    }

    fn map(&mut self, pairs: &[Pair], context: Context, hint: &str) -> Valued {
        let entries = entries(pairs);
        if entries.is_empty() {
            return Valued::hot("empty_map", []);
        }
        let values = entries.iter().map(|(key, value)| self.value(value, context, &format!("{hint}.{key}")));
        let (values, ty) = alike(values.collect());
        let length = values.len();
        let pairs = entries.iter().zip(values).map(|((key, _), value)| Expr::Tuple(vec![Expr::text(key), value]));
        Valued::new(Expr::Array(pairs.collect()), Ty::Map(Box::new(ty), length))
    }

    /// A condition, for which Heat accepts a name or a call of a condition function.
    pub(super) fn condition(&mut self, node: &Node, hint: &str) -> Valued {
        match node.tree.as_text().and_then(|name| self.conditions.get(name)) {
            Some(variable) => Valued::new(Expr::atom(variable.clone()), Ty::Condition),
            None => self.value(node, Context::Condition, hint),
        }
    }
}
