//! How values flow into typed places: which have the wrong type, and which are secrets in a place that is not secret.

use std::collections::HashMap;

use crate::model::{Binding, Expr, Model, Name, Reference, Scalar, Source, Type, Value};

use super::place::Place;
use super::uses::Uses;

/// What is wrong with the values of inputs, forward references and exports.
#[derive(Default)]
pub(super) struct Flows<'m> {
    /// Values of the wrong type.
    pub(super) misfits: Vec<Misfit<'m>>,
    /// Secrets that flow to places that anyone may see.
    pub(super) leaks: Vec<Leak<'m>>,
    /// Constants in secret places.
    pub(super) constants: Vec<(Place<'m>, &'m Source)>,
}

pub(super) struct Misfit<'m> {
    pub(super) place: Place<'m>,
    pub(super) at: &'m Source,
    pub(super) target: &'m Source,
    pub(super) ty: &'m Type,
    pub(super) why: String,
}

pub(super) struct Leak<'m> {
    pub(super) place: Place<'m>,
    pub(super) at: &'m Source,
    pub(super) target: Option<&'m Source>,
    pub(super) origin: Origin<'m>,
}

/// A declaration with a type.
#[derive(Clone, Copy)]
pub(super) struct Origin<'m> {
    pub(super) what: Referent<'m>,
    pub(super) ty: &'m Type,
    pub(super) at: &'m Source,
}

#[derive(Clone, Copy)]
pub(super) enum Referent<'m> {
    Parameter(&'m Name),
    Output(&'m Name, &'m Name),
    ForwardReference(&'m Name),
    Import(&'m Name, &'m Name),
}

impl std::fmt::Display for Referent<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Parameter(name) => write!(f, "the parameter `{name}`"),
            Self::Output(component, output) => write!(f, "the output `{output}` of `{component}`"),
            Self::ForwardReference(name) => write!(f, "the forward reference `{name}`"),
            Self::Import(stack, export) => write!(f, "the export `{export}` of the stack `{stack}`"),
        }
    }
}

/// Finds the targets of references.
pub(super) struct Origins<'m> {
    model: &'m Model,
    kinds: Vec<Option<usize>>,
    imports: HashMap<(&'m str, &'m str), &'m crate::model::Import>,
}

impl<'m> Origins<'m> {
    pub(super) fn of(model: &'m Model, uses: &Uses<'m>) -> Self {
        let imports = model.imports.iter().map(|import| ((&*import.stack, &*import.export), import)).collect();
        Self { model, kinds: uses.kinds.clone(), imports }
    }

    /// The type of `value` and where it was declared; `None` if it has no declared type or does not exist.
    pub(super) fn origin(&self, value: &'m Expr) -> Option<Origin<'m>> {
        let model = self.model;
        match value {
            Expr::Leaf(Reference::Parameter(name)) => {
                let parameter = model.parameters.get(name)?;
                Some(Origin { what: Referent::Parameter(name), ty: &parameter.ty, at: &parameter.at })
            }
            Expr::Leaf(Reference::Output { component, output }) => {
                let index = model.components.get_index_of(component)?;
                let (_, kind) = model.declarations.get_index(self.kinds[index]?)?;
                let declared = kind.outputs.get(output)?;
                Some(Origin { what: Referent::Output(component, output), ty: &declared.ty, at: &declared.at })
            }
            Expr::Leaf(Reference::ForwardReference(name)) => {
                let forward = model.forward_references.get(name)?;
                Some(Origin { what: Referent::ForwardReference(name), ty: &forward.ty, at: &forward.at })
            }
            Expr::Leaf(Reference::Import { stack, export }) => {
                let import = self.imports.get(&(&**stack, &**export))?;
                Some(Origin { what: Referent::Import(stack, export), ty: &import.ty, at: &import.at })
            }
            Expr::Leaf(Reference::Resource(_) | Reference::Attribute { .. } | Reference::Foreign { .. })
            | Expr::Constant(_)
            | Expr::Text(_)
            | Expr::List(_)
            | Expr::Map(_)
            | Expr::Function { .. } => None,
        }
    }

    /// The declared type of `value`, if it has one.
    pub(super) fn type_of(&self, value: &Expr) -> Option<Type> {
        self.origin(value).map(|origin| origin.ty.clone())
    }

    /// All secrets that `value` is made of.
    pub(super) fn secrets(&self, value: &'m Expr) -> impl Iterator<Item = Origin<'m>> {
        value.each().filter_map(|part| self.origin(part)).filter(|origin| origin.ty.is_secret())
    }
}

impl<'m> Flows<'m> {
    pub(super) fn of(model: &'m Model, uses: &Uses<'m>) -> Self {
        let mut flow = Flow { origins: Origins::of(model, uses), found: Self::default() };
        for ((key, component), kind) in model.components.iter().zip(&uses.kinds) {
            let Some((_, kind)) = kind.and_then(|kind| model.declarations.get_index(kind)) else { continue };
            for (input, binding) in &component.inputs {
                let Some(declared) = kind.inputs.get(input) else { continue };
                let absent = !declared.required && binding.value.constant() == Some(&Value::Null);
                if !absent {
                    flow.binding(Place::Input { component: key, input }, binding, &declared.ty, &declared.at);
                }
            }
        }
        for (name, forward) in &model.forward_references {
            for binding in &forward.fulfilled {
                flow.binding(Place::ForwardReference(name), binding, &forward.ty, &forward.at);
            }
        }
        for (name, export) in &model.exports {
            flow.value(Place::Export(name), &export.at, &export.value, &export.ty, &export.at);
        }
        flow.found
    }
}

struct Flow<'m> {
    origins: Origins<'m>,
    found: Flows<'m>,
}

impl<'m> Flow<'m> {
    fn binding(&mut self, place: Place<'m>, binding: &'m Binding, ty: &'m Type, target: &'m Source) {
        self.value(place, &binding.at, &binding.value, ty, target);
    }

    fn value(&mut self, place: Place<'m>, at: &'m Source, value: &'m Expr, ty: &'m Type, target: &'m Source) {
        if let Some(why) = self.misfit(ty, value) {
            self.found.misfits.push(Misfit { place, at, target, ty, why });
            return;
        }
        let mut leaks = Vec::new();
        let mut constant = false;
        self.confidentiality(ty, value, &mut leaks, &mut constant);
        self.found.leaks.extend(leaks.into_iter().map(|origin| Leak { place, at, target: Some(target), origin }));
        if constant {
            self.found.constants.push((place, at));
        }
    }

    /// Why `value` does not fit `ty`, if that is certain.
    fn misfit(&self, ty: &Type, value: &'m Expr) -> Option<String> {
        let of = |found: &str| Some(format!("expected {}, found {found}", ty.revealed()));
        match (ty.revealed(), value) {
            (inner, Expr::Constant(value)) => {
                inner.refuse(value).map(|why| if ty.is_secret() { format!("it is not {inner}") } else { why })
            }
            (Type::Any, _) | (Type::Scalar(Scalar::Str), Expr::Leaf(Reference::Resource(_))) => None,
            (Type::Scalar(scalar), Expr::Text(parts)) if scalar.is_composed() => {
                let parts = parts.iter().map(|part| part.constant().map(Value::as_str).unwrap_or_default());
                let wrong = scalar.refuse_parts(parts)?;
                Some(if ty.is_secret() {
                    format!("it is not {scalar}")
                } else {
                    format!("{wrong} cannot be part of {scalar}")
                })
            }
            (_, Expr::Text(_)) => of("text"),
            (_, Expr::Leaf(Reference::Resource(_))) => of("the ID of a resource, which is text"),
            (Type::List(item), Expr::List(items)) => items
                .iter()
                .enumerate()
                .find_map(|(index, value)| self.misfit(item, value).map(|why| format!("item {index}: {why}"))),
            (_, Expr::List(_)) => of("a list"),
            (Type::Map(item), Expr::Map(items)) => {
                items.iter().find_map(|(name, value)| self.misfit(item, value).map(|why| format!("`{name}`: {why}")))
            }
            (Type::Struct(fields), Expr::Map(items)) => {
                let missing = fields.keys().find(|name| !items.contains_key(*name));
                let unknown = items.keys().find(|name| !fields.contains_key(*name));
                let wrong = || {
                    items.iter().find_map(|(name, value)| {
                        let why = fields.get(name).and_then(|field| self.misfit(field, value))?;
                        Some(format!("`{name}`: {why}"))
                    })
                };
                missing
                    .map(|name| format!("`{name}` is missing"))
                    .or_else(|| unknown.map(|name| format!("`{name}` is unknown")))
                    .or_else(wrong)
            }
            (_, Expr::Map(_)) => of("a map"),
            (inner, value) => {
                let origin = self.origins.origin(value)?;
                (!origin.ty.is_within(inner))
                    .then(|| format!("expected {inner}, found {}, which is {}", origin.what, origin.ty))
            }
        }
    }

    fn confidentiality(&self, ty: &Type, value: &'m Expr, leaks: &mut Vec<Origin<'m>>, constant: &mut bool) {
        match (ty, value) {
            (_, Expr::Constant(value)) => *constant |= holds_secret(ty, value),
            (Type::Hidden(_), Expr::Text(parts)) => {
                *constant |= parts.iter().all(|part| part.constant().is_some());
            }
            (Type::Hidden(inner), Expr::List(items)) => {
                if let Type::List(item) = inner.revealed() {
                    let item = Type::Hidden(item.clone());
                    for value in items {
                        self.confidentiality(&item, value, &mut Vec::new(), constant);
                    }
                }
            }
            (Type::Hidden(_), _) => {}
            (Type::List(item), Expr::List(items)) => {
                for value in items {
                    self.confidentiality(item, value, leaks, constant);
                }
            }
            (Type::Map(item), Expr::Map(items)) => {
                for value in items.values() {
                    self.confidentiality(item, value, leaks, constant);
                }
            }
            (Type::Struct(fields), Expr::Map(items)) => {
                for (name, value) in items {
                    if let Some(field) = fields.get(name) {
                        self.confidentiality(field, value, leaks, constant);
                    }
                }
            }
            (Type::Any, Expr::List(items)) => {
                items.iter().for_each(|value| self.confidentiality(ty, value, leaks, constant));
            }
            (Type::Any, Expr::Map(items)) => {
                items.values().for_each(|value| self.confidentiality(ty, value, leaks, constant));
            }
            (_, Expr::Text(_) | Expr::Function { .. }) => leaks.extend(self.origins.secrets(value)),
            (ty, value) => leaks.extend(self.origins.origin(value).filter(|origin| reveals(origin.ty, ty))),
        }
    }
}

/// Whether a value of type `from` reveals a secret where `into` is expected.
fn reveals(from: &Type, into: &Type) -> bool {
    match (from, into) {
        (_, Type::Hidden(_)) => false,
        (Type::Hidden(_), _) => true,
        (Type::List(from), Type::List(into)) | (Type::Map(from), Type::Map(into)) => reveals(from, into),
        (Type::Struct(from), Type::Map(into)) => from.values().any(|from| reveals(from, into)),
        (Type::Struct(from), Type::Struct(into)) => {
            from.iter().any(|(name, from)| into.get(name).is_some_and(|into| reveals(from, into)))
        }
        (from, Type::Any) => from.is_secret(),
        _ => false,
    }
}

/// Whether `value`, as a value of type `ty`, contains a secret.
pub(super) fn holds_secret(ty: &Type, value: &Value) -> bool {
    match (ty, value) {
        (_, Value::Null) => false,
        (Type::Hidden(inner), Value::List(items)) if matches!(**inner, Type::List(_)) => !items.is_empty(),
        (Type::Hidden(_), _) => true,
        (Type::List(item), Value::List(items)) => items.iter().any(|value| holds_secret(item, value)),
        (Type::Map(item), Value::Map(items)) => items.values().any(|value| holds_secret(item, value)),
        (Type::Struct(fields), Value::Map(items)) => {
            items.iter().any(|(name, value)| fields.get(name).is_some_and(|field| holds_secret(field, value)))
        }
        _ => false,
    }
}
