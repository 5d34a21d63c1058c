//! Values for the catalog's setters.

use serde_json::Value;
use wattle_catalog_generate::plan::{ARGUMENTS, Field, Type};

use wattle_heat::template::{Call, Context};
use wattle_heat::yaml::{Node, Tree};

use super::blueprint::Blueprint;
use super::catalog::{Known, Ty, usable};
use super::rust::Expr;
use super::valued::{digits, entries};

impl Blueprint<'_> {
    /// The value of `node` for a setter of type `ty`. A value that does not fit is passed on for Heat to judge.
    pub(super) fn typed(&mut self, node: &Node, ty: &Type, known: &Known, hint: &str) -> Expr {
        match self.fitting(node, ty, known, hint) {
            Some(expr) => expr,
            None => self.value(node, Context::Value, hint).wrapped().expr,
        }
    }

    /// The value, if it fits the type.
    fn fitting(&mut self, node: &Node, ty: &Type, known: &Known, hint: &str) -> Option<Expr> {
        if let Some(call) = Call::of(node, self.template.version()) {
            let value = self.call(&call, Context::Value, hint);
            return value.ty.fits(ty, known).then_some(value.expr);
        }
        match (ty, &*node.tree) {
            (Type::Named("AnyValue"), _) => Some(self.value(node, Context::Value, hint).anything().expr),
            (Type::Named("AnyMap"), Tree::Map(_)) | (Type::Named("AnyList"), Tree::List(_)) => {
                let value = self.value(node, Context::Value, hint);
                Some(value.anything().expr)
            }
            (
                Type::Named("String" | "IpAddress" | "Cidr" | "Mac" | "IpOrCidr" | "AnyRef" | "SecretText")
                | Type::Reference(_),
                Tree::Text { text, .. },
            ) => {
                let text = self.named(node, text);
                Some(self.literals.text(&text, hint))
            }
            (Type::Named("bool"), Tree::Boolean(value)) => Some(Expr::atom(value.to_string())),
            (Type::Named(name), Tree::Integer(value)) => {
                is_within(name, *value).then(|| Expr::atom(digits(node, *value)))
            }
            (Type::Named("Numeric"), Tree::Float(_)) => Some(self.value(node, Context::Value, hint).expr),
            (Type::Choice(name), tree) => {
                let value = match tree {
                    Tree::Text { text, .. } => Value::from(text.as_str()),
                    Tree::Integer(value) => Value::from(i64::try_from(*value).ok()?),
                    _ => return None,
                };
                let variant = known.variant(name, &value)?;
                self.uses.services.insert(known.service.clone());
                Some(Expr::atom(format!("{}::{variant}", known.path(name))))
            }
            (Type::Nested(name), Tree::Map(_)) => self.nested(node, name, known, hint),
            (Type::List(item), Tree::List(items)) => self.list_of(items, item, known, hint),
            _ => None,
        }
    }

    fn list_of(&mut self, items: &[Node], ty: &Type, known: &Known, hint: &str) -> Option<Expr> {
        if items.is_empty() {
            return None;
        }
        let mut exprs = Vec::new();
        let mut kinds = Vec::new();
        for (n, item) in items.iter().enumerate() {
            let hint = format!("{hint}.{n}");
            let expr = self.typed(item, ty, known, &hint);
            kinds.push(self.kind(item, &expr, &hint));
            exprs.push(expr);
        }
        if kinds.windows(2).any(|two| two[0] != two[1]) {
            self.uses.item = true;
            exprs = exprs.into_iter().map(|expr| Expr::call("item", [expr])).collect();
        }
        Some(Expr::Array(exprs))
    }

    /// A key that is equal for two list items exactly if they have the same Rust type.
    fn kind(&mut self, node: &Node, expr: &Expr, hint: &str) -> String {
        let text = |expr: &Expr| match expr {
            Expr::Call(name, _) => name.clone(),
            Expr::Chain(root, _) => match &**root {
                Expr::Call(name, _) => name.clone(),
                _ => "handle".into(),
            },
            Expr::Atom(text) => text.rsplit_once("::").map_or(text.as_str(), |(path, _)| path).to_owned(),
            _ => "other".into(),
        };
        if let Expr::Array(items) = expr {
            return format!("{} of {}", items.len(), items.first().map_or_else(String::new, text));
        }
        let is_call = Call::of(node, self.template.version());
        match (is_call, &*node.tree, expr) {
            (_, _, Expr::Call(name, _)) if name.starts_with("hot::") => "value".into(),
            (Some(call), ..) => format!("{:?}", self.call(&call, Context::Value, hint).ty),
            (_, Tree::Text { .. }, Expr::Atom(literal)) if !literal.contains("::") => "text".into(),
            (_, Tree::Integer(_) | Tree::Float(_) | Tree::Boolean(_), Expr::Atom(literal))
                if !literal.contains("::") =>
            {
                node.tree.kind().into()
            }
            _ => text(expr),
        }
    }

    /// A map with a fixed set of keys.
    fn nested(&mut self, node: &Node, name: &str, known: &Known, hint: &str) -> Option<Expr> {
        let nested = known.nested(name)?;
        let Tree::Map(pairs) = &*node.tree else { return None };
        let entries = entries(pairs);
        if entries.iter().any(|(key, _)| usable(&nested.fields, key).is_none()) {
            return None;
        }
        self.begun(&known.path(name), &nested.fields, &entries, known, hint)
    }

    /// `NAME::new(...)` with setters for all given keys, if the required ones are among them.
    pub(super) fn begun(
        &mut self,
        path: &str,
        fields: &[Field],
        entries: &[(String, &Node)],
        known: &Known,
        hint: &str,
    ) -> Option<Expr> {
        let given = |field: &Field| entries.iter().find(|(key, _)| *key == field.heat).map(|(_, value)| *value);
        let required: Vec<&Field> = fields.iter().filter(|field| field.required).collect();
        if required.iter().any(|field| given(field).is_none()) {
            return None;
        }
        let values: Vec<(String, Expr)> = required
            .iter()
            .filter_map(|field| {
                let (given, hint) = (given(field)?, format!("{hint}.{}", field.heat));
                let value = match self.member(&known.resource.ty, &field.heat, given, &hint) {
                    Some(member) => member,
                    None => self.typed(given, &field.ty, known, &hint),
                };
                Some((field.method.clone(), value))
            })
            .collect();
        let arguments = if values.len() > ARGUMENTS {
            vec![Expr::Struct(format!("{path}Required"), values)]
        } else {
            values.into_iter().map(|(_, value)| value).collect()
        };
        self.uses.services.insert(known.service.clone());
        let mut expr = Expr::call(format!("{path}::new"), arguments);
        for (key, value) in entries {
            let Some(field) = usable(fields, key).filter(|field| !field.required) else { continue };
            let value = self.typed(value, &field.ty, known, &format!("{hint}.{key}"));
            expr = expr.method(&field.method, [value]);
        }
        Some(expr)
    }
}

/// Whether a literal is in the range of the type.
pub(super) fn is_within(ty: &str, value: i128) -> bool {
    match ty {
        "u8" => u8::try_from(value).is_ok(),
        "u16" => u16::try_from(value).is_ok(),
        "u32" => u32::try_from(value).is_ok(),
        "i64" => i64::try_from(value).is_ok(),
        "Numeric" => i32::try_from(value).is_ok(),
        _ => false,
    }
}

/// Properties of the type that also hold for the handle.
impl Known {
    /// The type of the handle in expressions.
    pub(super) fn handle(&self) -> Ty {
        Ty::Handle(self.path(&self.resource.handle), self.resource.kinds.clone())
    }
}
