//! Values as Heat resolves them for a deployment.

use crate::lower::hot::Hot;
use crate::lower::resolve::{Late, for_heat_with};
use crate::model::{Carrier, Component, Expr, Model, Name, ParameterType, PropertyType, Reference, Type, Value};

/// The values of one model.
pub(super) struct Values<'m> {
    pub(super) model: &'m Model,
}

impl Late for Values<'_> {
    fn value(&self, reference: &Reference) -> Hot {
        match reference {
            Reference::Output { component, output } => Hot::GetAttr {
                resource: self.model.components.get(component).map_or_else(|| component.clone(), deployment_name),
                attribute: output.clone(),
                path: Vec::new(),
            },
            Reference::ForwardReference(name) => {
                self.model.fulfilled(name).map_or(Hot::Value(Value::Null), |binding| self.hot(&binding.value))
            }
            // An unsound model, or something that `check` refuses for this lowering.
            _ => Hot::Value(Value::Null),
        }
    }

    /// The value as it is printed. Heat itself would write `True`.
    fn text(&self, expr: &Expr) -> Hot {
        if !self.is_boolean(expr) {
            return self.hot(expr);
        }
        let replace = |template: Hot, params| Hot::StrReplace { template: Box::new(template), params };
        let python = replace("<1>".into(), vec![("<1>".into(), self.hot(expr))]);
        replace(python, vec![("False".into(), "false".into()), ("True".into(), "true".into())])
    }
}

impl Values<'_> {
    /// The value with its type, as far as Heat has types: an output is text.
    pub(super) fn hot(&self, expr: &Expr) -> Hot {
        for_heat_with(expr, self)
    }

    /// The value of an input that is an environment variable. It is text, except for lists and maps, which the hook
    /// writes as JSON.
    pub(super) fn variable(&self, ty: &Type, expr: &Expr) -> Hot {
        match expr {
            _ if is_structured(ty) => self.hot(expr),
            Expr::Constant(value) => variable(ty, value).into(),
            other => self.text(other),
        }
    }

    fn is_boolean(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Leaf(Reference::Parameter(name)) => {
                self.model.parameters.get(name).is_some_and(|known| known.heat_type == ParameterType::Boolean)
            }
            Expr::Leaf(Reference::Attribute { resource, attribute, path }) if path.is_empty() => {
                let schema = self.model.resources.get(resource).and_then(|known| self.model.schemas.get(&known.ty));
                let attribute = schema.and_then(|schema| schema.attributes.get(attribute));
                attribute.is_some_and(|attribute| attribute.ty == PropertyType::Boolean)
            }
            _ => false,
        }
    }
}

/// A constant in the form of [`Values::variable`].
pub(super) fn variable(ty: &Type, value: &Value) -> Value {
    match value {
        Value::Str(_) | Value::List(_) | Value::Map(_) => value.clone(),
        _ if is_structured(ty) => value.clone(),
        other => other.to_string().into(),
    }
}

/// Whether an output is a part of the value, but not all of it.
pub(super) fn holds_output(model: &Model, expr: &Expr) -> bool {
    match expr {
        Expr::List(items) => items.iter().any(|item| reads_output(model, item)),
        Expr::Map(items) => items.values().any(|item| reads_output(model, item)),
        Expr::Function { argument, .. } => reads_output(model, argument),
        Expr::Leaf(Reference::ForwardReference(name)) => {
            model.fulfilled(name).is_some_and(|binding| holds_output(model, &binding.value))
        }
        _ => false,
    }
}

/// Whether an output is the value or a part of it.
pub(super) fn reads_output(model: &Model, expr: &Expr) -> bool {
    expr.references().any(|reference| match reference {
        Reference::Output { .. } => true,
        Reference::ForwardReference(name) => {
            model.fulfilled(name).is_some_and(|binding| reads_output(model, &binding.value))
        }
        _ => false,
    })
}

/// Whether values of the type are lists or maps.
pub(super) fn is_structured(ty: &Type) -> bool {
    matches!(ty.revealed(), Type::List(_) | Type::Map(_) | Type::Struct(_))
}

/// Whether values of the type are text.
pub(super) fn is_text(ty: &Type) -> bool {
    ty.carrier() == Some(Carrier::Text)
}

/// The name of a component's deployment.
pub(crate) fn deployment_name(component: &Component) -> Name {
    format!("{}.{}", component.server, component.name).into()
}

/// The value that an input is wired to, unless it is null.
pub(super) fn given<'m>(component: &'m Component, input: &Name) -> Option<&'m Expr> {
    let value = component.inputs.get(input).map(|binding| &binding.value);
    value.filter(|value| value.constant() != Some(&Value::Null))
}
