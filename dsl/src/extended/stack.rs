//! Everything that does not belong to one server.

use std::collections::HashSet;

use crate::lower::hot::Hot;
use crate::model::{Declaration, Model, Name, ParameterType, Type};

use super::component::content;
use super::value::ty;
use super::{FORMAT, Fields, RUN_TIME, Writer, names, text};

/// The type of a parameter that declares only a Heat type.
pub fn parameter_type(heat_type: ParameterType, hidden: bool) -> Type {
    let ty = match heat_type {
        ParameterType::Str => Type::STR,
        ParameterType::Number => Type::FLOAT,
        ParameterType::Boolean => Type::BOOLEAN,
        ParameterType::CommaDelimitedList => Type::List(Box::new(Type::STR)),
        ParameterType::Json => Type::Map(Box::new(Type::STR)),
    };
    if hidden { Type::Hidden(Box::new(ty)) } else { ty }
}

impl<'m> Writer<'m> {
    /// The metadata of [`super::MODEL`].
    pub(super) fn stack(&self) -> Vec<(Name, Hot)> {
        let model = self.model;
        let mut fields = Vec::new();
        fields.add("format", text(FORMAT));
        fields.add("stack", text(&model.stack));
        if *self.run_time != *RUN_TIME {
            fields.add("run_time", text(&self.run_time));
        }
        fields.add_map("parameters", model.parameters.iter().map(|(name, known)| (name.clone(), ty(&known.ty))));
        fields.add_map("modules", model.modules.iter().map(|(name, module)| (name.clone(), text(&module.kind))));
        fields.add_map(
            "promises",
            model.forward_references.iter().map(|(name, forward)| {
                let mut fields = vec![("type".into(), ty(&forward.ty))];
                if let Some(fulfilled) = forward.fulfilled.first() {
                    fields.add("value", self.value_of(&fulfilled.value));
                }
                (name.clone(), Hot::Map(fields))
            }),
        );
        if !model.imports.is_empty() {
            let imports = model.imports.iter().map(|import| {
                Hot::Map(vec![
                    ("stack".into(), text(&import.stack)),
                    ("export".into(), text(&import.export)),
                    ("type".into(), ty(&import.ty)),
                ])
            });
            fields.add("imports", Hot::List(imports.collect()));
        }
        fields.add_map(
            "exports",
            model.exports.iter().map(|(name, export)| {
                let mut fields = vec![("type".into(), ty(&export.ty))];
                if let Some(stack) = &export.stack {
                    fields.add("stack", text(stack));
                }
                (name.clone(), Hot::Map(fields))
            }),
        );
        fields.add_map(
            "requirements",
            model.requirements.iter().map(|(name, requirement)| (name.clone(), self.requirement(requirement))),
        );
        if !model.after.is_empty() {
            let after = model.after.iter();
            let pair = |one, other| Hot::List(vec![text(one), text(other)]);
            fields.add("after", Hot::List(after.map(|after| pair(&after.component, &after.predecessor)).collect()));
        }
        if !model.moved.is_empty() {
            let moved = model.moved.iter().map(|moved| {
                Hot::Map(vec![(moved.kind.to_string().into(), text(&moved.name)), ("from".into(), text(&moved.from))])
            });
            fields.add("moved", Hot::List(moved.collect()));
        }
        self.order(&mut fields);
        fields.add_map("files", model.files.iter().map(|(name, file)| (name.clone(), content(file))));
        fields.add("schemas", Hot::List(model.schemas.keys().map(text).collect()));
        fields.add("sources", self.places());
        fields
    }

    /// Orders that the file does not show, and component types without components.
    fn order(&self, fields: &mut Vec<(Name, Hot)>) {
        let model = self.model;
        let components: Vec<&Name> = model.components.keys().collect();
        if components != shown_components(model) {
            fields.add("components", Hot::List(components.into_iter().map(text).collect()));
        }
        let used = shown_kinds(model);
        let kinds: Vec<&Name> = model.declarations.keys().collect();
        if kinds != used {
            let known: HashSet<&Name> = used.into_iter().collect();
            let field = |(key, declaration): (&'m Name, &'m Declaration)| {
                let fields = if known.contains(key) { Vec::new() } else { self.kind(key, declaration) };
                (key.clone(), Hot::Map(fields))
            };
            fields.add("kinds", names(model.declarations.iter().map(field)));
        }
    }
}

/// The components in the order of the file: server by server.
fn shown_components(model: &Model) -> Vec<&Name> {
    let mut by_server: Vec<Vec<&Name>> = vec![Vec::new(); model.resources.len()];
    for (key, component) in &model.components {
        if let Some(server) = model.resources.get_index_of(&component.server) {
            by_server[server].push(key);
        }
    }
    by_server.into_iter().flatten().collect()
}

/// The component types in the order of their first components.
fn shown_kinds(model: &Model) -> Vec<&Name> {
    let mut seen = HashSet::new();
    let kinds =
        model.components.values().filter_map(|component| model.declarations.get_key_value(&component.declaration));
    kinds.map(|(key, _)| key).filter(|key| seen.insert(*key)).collect()
}
