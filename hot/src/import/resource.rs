//! Resources: one statement that adds each, and one for its settings other than properties.

use wattle_heat::environment::is_template;
use wattle_heat::template::{Call, Context, Resource};
use wattle_heat::yaml::{Node, Tree};

use super::blueprint::{Blueprint, Handle};
use super::catalog::{Known, Ty};
use super::face::Stacks;
use super::remark::Owner;
use super::rust::{Expr, Method, assigned, statement};
use super::valued::entries;
use super::{Unsupported, names};

impl<'a> Blueprint<'a> {
    /// Adds the statements for the resource `name`.
    pub(super) fn resource(&mut self, name: &'a str, resource: &'a Resource) -> Result<(), Unsupported> {
        let ty = resource.kind().ok_or_else(|| self.unsupported(&resource.node, "a resource without a type".into()))?;
        let properties = self.properties(name, resource)?;
        let mut properties = properties;
        if self.software.servers.contains(name) {
            // Wattle's agents and Heat's own receive components in their own formats.
            properties.retain(|(key, _)| key != "user_data_format");
        }
        let known = self.catalog.get(ty);
        let typed = known.and_then(|known| Some((known, self.typed_resource(name, known, &properties)?)));
        let (expr, kind, known) = if let Some((known, expr)) = typed {
            if known.is_hidden() {
                self.uses.features.insert("hidden");
                let text = "Heat no longer documents its type: the feature `hidden` of the catalog has it";
                self.note(name, format!("`{name}`, of the type `{ty}`"), text.into());
            }
            (expr, known.handle(), Some(known))
        } else if let Some(of) = self.stack_of(ty, resource) {
            (self.stack(name, &of, &properties), Ty::Resource, None)
        } else {
            self.note_raw(name, ty, known);
            let ty = resource.ty.as_ref().map_or(ty.into(), |node| self.named(node, ty)).into_owned();
            (self.raw(name, &ty, &properties), Ty::Resource, None)
        };
        let variable = self.variables.fresh(names::snake(name));
        let add = Expr::atom("t").method("add", [Expr::text(name), expr.clone()]);
        let define = self.definition(name, resource, &variable)?;
        self.remark(Owner::Named("resources", name));
        self.body += &self.comments_of(name);
        let is_used = define.is_some() || self.referred.contains(name);
        let line = if is_used { assigned(&format!("let {variable}"), &add, 4) } else { statement(&add, 4) };
        // Like `add`, calls that register a file borrow the topology.
        if line.lines().count() <= 1 && !line.contains("t.file(") && !line.contains("t.member(") {
            self.body += &line;
        } else {
            // In reading order, the resource precedes its name.
            self.body += &assigned(&format!("let {variable}"), &expr, 4);
            let add = Expr::atom("t").method("add", [Expr::text(name), Expr::atom(&variable)]);
            self.body += &if is_used { assigned(&format!("let {variable}"), &add, 4) } else { statement(&add, 4) };
        }
        let stack = self.stack_of(ty, resource);
        self.handles.insert(name, Handle { variable, ty: kind, known, stack });
        if let Some(define) = define {
            self.body += &statement(&define, 4);
        }
        Ok(())
    }

    /// The nested template that the resource is a stack of, if setters can express all of its properties.
    fn stack_of(&self, ty: &str, resource: &Resource) -> Option<Stacks<'a>> {
        let is_call = |node: &Node| Call::of(node, self.template.version()).is_some();
        self.stacks.get(ty).filter(|of| of.face.has(resource.properties.as_ref(), is_call)).cloned()
    }

    fn properties(&self, name: &str, resource: &'a Resource) -> Result<Vec<(String, &'a Node)>, Unsupported> {
        match resource.properties.as_ref().map(|node| (node, &*node.tree)) {
            None | Some((_, Tree::Null)) => Ok(Vec::new()),
            Some((node, Tree::Map(pairs))) if Call::of(node, self.template.version()).is_none() => Ok(entries(pairs)),
            Some((node, _)) => {
                let text =
                    format!("the properties of `{name}` are not a map of properties; write each property separately");
                Err(self.unsupported(node, text))
            }
        }
    }

    fn typed_resource(&mut self, name: &str, known: &'a Known, properties: &[(String, &'a Node)]) -> Option<Expr> {
        let resource = &known.resource;
        let (path, mut rest) = (known.path(&resource.handle), properties.to_vec());
        let given = |heat: &str| properties.iter().any(|(key, _)| key == heat);
        if resource.is_staged() && !given("flavor") {
            return None;
        }
        let mut expr = if resource.begins {
            let required: Vec<_> = properties
                .iter()
                .filter(|(key, _)| resource.fields.iter().any(|field| field.required && field.heat == *key))
                .cloned()
                .collect();
            rest.retain(|(key, _)| !required.iter().any(|(known, _)| known == key));
            self.begun(&path, &resource.fields, &required, known, name)?
        } else {
            // Volumes can be created in several ways.
            let begins = [
                ("size", "new"),
                ("snapshot_id", "from_snapshot"),
                ("backup_id", "from_backup"),
                ("source_volid", "from_volume"),
            ];
            let (key, begin) = begins.into_iter().find(|(key, _)| given(key))?;
            let field = known.field(key)?;
            let at = rest.iter().position(|(known, _)| known == key)?;
            let (_, value) = rest.remove(at);
            let value = self.typed(value, &field.ty, known, &format!("{name}.{key}"));
            self.uses.services.insert(known.service.clone());
            Expr::call(format!("{path}::{begin}"), [value])
        };
        for (key, value) in &rest {
            let hint = format!("{name}.{key}");
            if let Some(methods) = self.shorter(key, value, known, &hint) {
                for Method { name, arguments } in methods {
                    expr = expr.method(name, arguments);
                }
                continue;
            }
            expr = if let Some(field) = known.field(key) {
                let value = self.typed(value, &field.ty, known, &hint);
                expr.method(&field.method, [value])
            } else {
                let value = self.value(value, Context::Value, &hint).anything();
                expr.method("property", [Expr::text(key), value.expr])
            };
        }
        // Deployments on a server have no order except their dependencies.
        if self.software.servers.contains(name) {
            expr = expr.method("order", [Expr::atom("Order::Dataflow")]);
        }
        Some(expr)
    }

    fn raw(&mut self, name: &str, ty: &str, properties: &[(String, &'a Node)]) -> Expr {
        self.uses.raw = true;
        let mut expr = Expr::call("raw", [Expr::text(ty)]);
        for (key, value) in properties {
            let hint = format!("{name}.{key}");
            let value = match self.member(ty, key, value, &hint) {
                Some(member) => member,
                None => self.value(value, Context::Value, &hint).anything().expr,
            };
            expr = expr.method("property", [Expr::text(key), value]);
        }
        expr
    }

    /// The settings of a resource other than its properties.
    fn definition(&mut self, name: &str, resource: &'a Resource, variable: &str) -> Result<Option<Expr>, Unsupported> {
        let mut expr = Expr::atom("t").method("resource", [Expr::atom(variable)]);
        let mut says = false;
        let mut say = |expr: &mut Expr, method: &str, argument: Expr| {
            says = true;
            let before = std::mem::replace(expr, Expr::atom(""));
            *expr = before.method(method, [argument]);
        };
        if let Some(text) = resource.description.as_ref().and_then(Node::as_prose) {
            let text = self.literals.text(&text, &format!("{name}.description"));
            say(&mut expr, "description", text);
        }
        if let Some(condition) = &resource.condition {
            let condition = self.condition(condition, &format!("{name}.condition")).expr;
            say(&mut expr, "condition", condition);
        }
        let depends_on = resource.depends_on.as_ref();
        let others: Vec<String> = resource.depends_on().map(|(other, _)| other.to_owned()).collect();
        let items = depends_on.map_or(0, |node| match &*node.tree {
            Tree::List(items) => items.len(),
            Tree::Null => 0,
            _ => 1,
        });
        if let Some(node) = depends_on.filter(|_| items != others.len()) {
            let text = format!("`depends_on` of `{name}` is not a list of resource names");
            return Err(self.unsupported(node, text));
        }
        for other in others {
            match self.handle(&other) {
                Some((other, _)) => say(&mut expr, "depends_on", Expr::atom(other)),
                None => self.later.push((name.to_owned(), other)),
            }
        }
        for (method, node) in [
            ("metadata", &resource.metadata),
            ("deletion_policy", &resource.deletion_policy),
            ("update_policy", &resource.update_policy),
            ("external_id", &resource.external_id),
        ] {
            if let Some(node) = node.as_ref().filter(|node| !matches!(*node.tree, Tree::Null)) {
                let value = self.value(node, Context::Value, &format!("{name}.{method}")).expr;
                say(&mut expr, method, value);
            }
        }
        let says = says || self.later.iter().any(|(one, other)| one == name || other == name);
        Ok(says.then_some(expr).filter(|expr| matches!(expr, Expr::Chain(_, methods) if methods.len() > 1)))
    }

    fn note_raw(&mut self, name: &'a str, ty: &str, known: Option<&Known>) {
        if is_template(ty) {
            return;
        }
        let why = match known {
            Some(_) => {
                "it lacks properties that Heat requires of its type, or writes them differently from the catalog"
            }
            None if self.catalog.knows(ty) => "Heat discourages its type, or has removed it",
            None => "the catalog does not have its type",
        };
        let text = format!("{why}: its properties are set by Heat's names");
        self.note(name, format!("`{name}`, of the type `{ty}`"), text);
    }
}
