//! Inferred types.

use std::collections::HashMap;

use wattle::extended;
use wattle::model::{Expr, Input, Name, ParameterType, Reference, Type, Value};
use wattle_model::IndexMap;

use super::Reader;

impl Reader<'_> {
    /// Infers the types of wired inputs without a written type and of parameters that are wired to inputs, schemas, and the
    /// attribute paths in Chef recipes.
    pub(super) fn infer(&mut self) {
        self.parameters_of_inputs();
        self.untyped_inputs();
        self.places_in_cookbooks();
        self.schemas();
    }

    /// The type of a value, as far as it is certain. It is secret if any part of the value is.
    pub(super) fn type_of(&self, value: &Expr) -> Type {
        let ty = match value {
            Expr::Constant(Value::Str(_)) | Expr::Text(_) | Expr::Leaf(Reference::Resource(_)) => Type::STR,
            Expr::Constant(Value::Boolean(_)) => Type::BOOLEAN,
            Expr::Constant(Value::Integer(_)) => Type::integer(i64::MIN, u64::MAX),
            Expr::Constant(Value::Float(_)) => Type::FLOAT,
            Expr::Leaf(reference) => return self.model.declared(reference.referred()).cloned().unwrap_or(Type::Any),
            _ => Type::Any,
        };
        if self.is_secret(value) { Type::Hidden(Box::new(ty)) } else { ty }
    }

    fn is_secret(&self, value: &Expr) -> bool {
        value.references().any(|reference| self.model.declared(reference).is_some_and(Type::is_secret))
    }

    /// A parameter without a written type gets the type of the inputs that it is wired to, if Heat's type can carry that.
    fn parameters_of_inputs(&mut self) {
        let said = self.stack.and_then(|stack| stack.get("parameters"));
        let mut wired: HashMap<Name, Type> = HashMap::new();
        for component in self.model.components.values() {
            let Some(kind) = self.model.declaration(component) else { continue };
            for (input, binding) in &component.inputs {
                if let (Expr::Leaf(Reference::Parameter(name)), Some(declared)) =
                    (&binding.value, kind.inputs.get(input))
                {
                    wired.entry(name.clone()).or_insert_with(|| declared.ty.revealed().clone());
                }
            }
        }
        for (name, ty) in wired {
            let Some(parameter) = self.model.parameters.get_mut(&name) else { continue };
            let is_said = said.is_some_and(|said| said.get(&name).is_some());
            if !is_said && ty != Type::Any && carries(parameter.heat_type, &ty) {
                let hidden = parameter.ty.is_secret();
                parameter.ty = if hidden { Type::Hidden(Box::new(ty)) } else { ty };
            }
        }
    }

    fn untyped_inputs(&mut self) {
        let mut found: IndexMap<(Name, Name), Input> = IndexMap::default();
        let mut of_kind: HashMap<Name, usize> = HashMap::new();
        let mut wired: HashMap<(Name, Name), usize> = HashMap::new();
        for component in self.model.components.values() {
            *of_kind.entry(component.declaration.clone()).or_default() += 1;
            let Some(kind) = self.model.declaration(component) else { continue };
            for (name, binding) in &component.inputs {
                if kind.inputs.contains_key(name) {
                    continue;
                }
                let key = (component.declaration.clone(), name.clone());
                *wired.entry(key.clone()).or_default() += 1;
                let ty = if self.is_secret(&binding.value) { Type::Hidden(Box::new(Type::Any)) } else { Type::Any };
                let input = Input {
                    ty: ty.clone(),
                    required: true,
                    default: None,
                    doc: String::new(),
                    path: Vec::new(),
                    at: binding.at.clone(),
                };
                let known = found.entry(key).or_insert(input);
                if ty.is_secret() {
                    known.ty = ty;
                }
            }
        }
        for ((kind, name), mut input) in found {
            input.required = wired.get(&(kind.clone(), name.clone())) == of_kind.get(&kind);
            if let Some(declaration) = self.model.declarations.get_mut(&kind) {
                declaration.inputs.insert(name, input);
            }
        }
    }

    /// Adds the catalog's schemas of the types in use. For a model that `wattle::extended` wrote, only those that it
    /// recorded.
    fn schemas(&mut self) {
        let known: Vec<Name> = match self.stack.and_then(|stack| stack.get("schemas")) {
            Some(listed) => super::items(listed).iter().map(super::words).collect(),
            None => self.model.resources.values().map(|resource| resource.ty.clone()).collect(),
        };
        for ty in known {
            if !self.model.schemas.contains_key(&ty)
                && let Some(schema) = wattle_heat::schema::schema(&ty)
            {
                self.model.schemas.insert(ty, schema);
            }
        }
    }
}

/// Whether parameters of Heat's type can have values of `ty`.
fn carries(heat_type: ParameterType, ty: &Type) -> bool {
    let own = extended::parameter_type(heat_type, false);
    ParameterType::of(ty) == heat_type || own == *ty || heat_type == ParameterType::Json
}
