//! Components: their types, and their servers.

use wattle::shown::one_line;

use super::blueprint::Blueprint;
use super::catalog::Ty;
use super::literal::doc;
use super::names::snake;
use super::package::recipe;
use super::remark::Owner;
use super::rust::{Expr, assigned, quoted, statement};
use super::software::output;
use wattle_heat::template::Context;
use wattle_heat::yaml::Tree;

impl Blueprint<'_> {
    /// A struct for each component type.
    pub(super) fn kinds(&mut self) -> String {
        let mut text = String::new();
        let software = self.software;
        for (name, config) in &software.configs {
            text += &self.remarks.take(Owner::Named("resources", name), 0);
            text += &format!(
                "/// `{}` of the template.\n#[component(recipe = {})]\n",
                one_line(name),
                quoted(&recipe(name))
            );
            text += &format!("pub struct {} {{\n", kind(name));
            for (input, default, description) in &config.inputs {
                text += &doc(description, 4);
                text += &match default {
                    Some(default) => format!("    #[input(default = {})]\n", quoted(default)),
                    None => "    #[input]\n".to_owned(),
                };
                text += &format!("    {input}: String,\n");
            }
            for (output, description) in &config.outputs {
                text += &format!("{}    #[output]\n    {output}: String,\n", doc(description, 4));
            }
            text += "}\n\n";
        }
        text
    }

    /// Runs the components on their servers.
    pub(super) fn run(&mut self) {
        let software = self.software;
        for (name, one) in &software.deployments {
            let Some((server, _)) = self.handle(one.server) else { continue };
            self.remark(Owner::Named("resources", name));
            let mut component = Expr::call(format!("{}::new", kind(one.config)), []);
            for (input, node) in &one.inputs {
                let hint = format!("{name}.{input}");
                let read =
                    output(self.template, node).and_then(|(of, output)| Some((self.components.get(of)?, output)));
                let value = match (read, &*node.tree) {
                    (Some((variable, output)), _) => Expr::atom(format!("{variable}.{output}")),
                    (None, Tree::Integer(number)) => Expr::text(&number.to_string()),
                    (None, Tree::Text { text, .. }) => self.literals.text(text, &hint),
                    (None, _) => {
                        let value = self.value(node, Context::Value, &hint);
                        let is_text =
                            matches!(value.ty, Ty::Written | Ty::Parameter("String") | Ty::Attribute("String"));
                        if is_text { value.expr } else { value.wrapped().expr }
                    }
                };
                component = component.method(input, [value]);
            }
            let is_read = software.deployments.values().any(|other| {
                let reads = |node| output(self.template, node).is_some_and(|(of, _)| of == *name);
                other.after.contains(name) || other.inputs.iter().any(|(_, node)| reads(node))
            });
            let variable = self.variables.fresh(snake(name));
            let run = |component: Expr| {
                let on = Expr::atom("t").method("on", [Expr::atom(&server)]);
                let run = on.method("run", [Expr::text(name), component]);
                if is_read || !one.after.is_empty() {
                    assigned(&format!("let {variable}"), &run, 4)
                } else {
                    statement(&run, 4)
                }
            };
            let line = run(component.clone());
            if line.lines().count() == 1 {
                self.body += &line;
            } else {
                self.body += &assigned(&format!("let {variable}"), &component, 4);
                self.body += &run(Expr::atom(&variable));
            }
            for other in one.after.iter().filter_map(|other| self.components.get(other)) {
                let after = Expr::atom("t").method("after", [Expr::atom(&variable), Expr::atom(other)]);
                self.body += &statement(&after, 4);
            }
            self.components.insert(name, variable);
        }
        self.paragraph();
    }
}

/// The name of the struct for a config.
fn kind(name: &str) -> String {
    wattle_catalog_generate::naming::camel(name)
}
