//! Conditions: each is declared, and has a variable if it is used.

use std::collections::HashSet;

use wattle_heat::template::{Context, Step, walk};
use wattle_heat::yaml::Node;

use super::blueprint::Blueprint;
use super::names::snake;
use super::order;
use super::remark::Owner;
use super::rust::{Expr, assigned, statement};

impl<'a> Blueprint<'a> {
    pub(super) fn declare_conditions(&mut self) {
        let template = self.template;
        let used = self.used_conditions();
        self.remark(Owner::Section("conditions"));
        for name in order::conditions(template) {
            self.remark(Owner::Named("conditions", name));
            let condition = self.condition(&template.conditions[name].node, name);
            let variable = self.variables.fresh(snake(name));
            let call = Expr::atom("t").method("condition", [Expr::text(name), condition.expr]);
            self.body +=
                &if used.contains(name) { assigned(&format!("let {variable}"), &call, 4) } else { statement(&call, 4) };
            if used.contains(name) {
                self.conditions.insert(name, variable);
            }
        }
    }

    /// The used conditions. This may include too many, if a text happens to be the name of a condition.
    fn used_conditions(&self) -> HashSet<&'a str> {
        let template = self.template;
        let mut used = HashSet::new();
        let mut all = |node: &'a Node, context| {
            walk(node, template.version(), context, &mut |node, _, context| {
                if context == Context::Condition
                    && let Some((name, _)) =
                        node.tree.as_text().and_then(|text| template.conditions.get_key_value(text))
                {
                    used.insert(name.as_str());
                }
                Step::Into
            });
        };
        for condition in template.conditions.values() {
            all(&condition.node, Context::Condition);
        }
        for section in ["resources", "outputs"].iter().filter_map(|name| template.root.get(name)) {
            all(section, Context::Value);
        }
        let of_resources = template.resources.values().filter_map(|resource| resource.condition.as_ref());
        let of_outputs = template.outputs.values().filter_map(|output| output.condition.as_ref());
        of_resources.chain(of_outputs).for_each(|node| all(node, Context::Condition));
        used
    }
}
