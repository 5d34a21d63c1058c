//! Outputs of a template.

use wattle_heat::template::Context;
use wattle_heat::yaml::Node;

use super::blueprint::Blueprint;
use super::catalog::Ty;
use super::names::snake;
use super::remark::Owner;
use super::rust::{Expr, assigned, statement};
use super::valued::Valued;

impl<'a> Blueprint<'a> {
    pub(super) fn outputs(&mut self) -> Vec<(&'a str, Ty)> {
        let mut types = Vec::new();
        for (name, output) in &self.template.outputs {
            self.remark(Owner::Named("outputs", name));
            let value = match &output.value {
                Some(value) => self.value(value, Context::Value, &format!("{name}.output")),
                None => Valued::hot("null", []),
            };
            types.push((name.as_str(), value.ty));
            let value = value.expr;
            let mut methods = Vec::new();
            if let Some(text) = output.description.as_ref().and_then(Node::as_prose) {
                methods.push(("description", self.literals.text(&text, &format!("{name}.description"))));
            }
            if let Some(condition) = &output.condition {
                methods.push(("condition", self.condition(condition, name).expr));
            }
            let chain = |value: Expr| {
                let output = Expr::atom("t").method("output", [Expr::text(name), value]);
                methods.iter().cloned().fold(output, |output, (method, argument)| output.method(method, [argument]))
            };
            let output = Expr::atom("t").method("output", [Expr::text(name), value.clone()]);
            let is_long = statement(&output, 4).lines().count() > 1;
            if is_long {
                let variable = self.variables.fresh(snake(name));
                self.body += &assigned(&format!("let {variable}"), &value, 4);
                self.body += &statement(&chain(Expr::atom(variable)), 4);
            } else {
                self.body += &statement(&chain(value), 4);
            }
        }
        types
    }
}
