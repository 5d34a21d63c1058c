//! Components, and the declarations of their types.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::lower::hot::Hot;
use crate::model::{
    Bandwidth, Component, Content, Declaration, File, Input, Listen, Name, Order, OutputDeclaration, Ports, Recipe,
    Value,
};

use super::value::ty;
use super::{Fields, Writer, names, text};

impl<'m> Writer<'m> {
    /// A component as its server's metadata contains it: with the declaration of its type, if no earlier component has that
    /// type.
    pub(super) fn component(&self, component: &'m Component, order: Order, declared: &mut HashSet<&'m Name>) -> Hot {
        let mut fields = Vec::new();
        if order == Order::Declared {
            fields.add("name", text(&component.name));
        }
        fields.add("kind", text(&component.declaration));
        if declared.insert(&component.declaration)
            && let Some(declaration) = self.model.declaration(component)
        {
            fields.extend(self.kind(&component.declaration, declaration));
        }
        let inputs = component.inputs.iter();
        fields.add_map("inputs", inputs.map(|(name, binding)| (name.clone(), self.value_of(&binding.value))));
        Hot::Map(fields)
    }

    /// The declaration of a component type.
    pub(super) fn kind(&self, key: &'m Name, declaration: &'m Declaration) -> Vec<(Name, Hot)> {
        let mut fields = Vec::new();
        if *declaration.name != *short_name(key) {
            fields.add("title", text(&declaration.name));
        }
        fields.add_text("doc", &declaration.doc);
        fields.add("recipe", self.recipe(key, &declaration.recipe));
        fields.add_map("types", declaration.inputs.iter().map(|(name, declared)| (name.clone(), input(declared))));
        fields.add_map("outputs", declaration.outputs.iter().map(|(name, declared)| (name.clone(), output(declared))));
        if !declaration.listens.is_empty() {
            fields.add("listens", Hot::List(declaration.listens.iter().map(listen).collect()));
        }
        add_bandwidth(&mut fields, declaration.bandwidth);
        for (name, seconds) in [("deadline", declaration.deadline), ("wait", declaration.wait)] {
            if let Some(seconds) = seconds {
                fields.add(name, Hot::Value(seconds.into()));
            }
        }
        fields
    }

    fn recipe(&self, key: &'m Name, recipe: &'m Recipe) -> Hot {
        let mut fields = Vec::new();
        fields.add("tool", text(recipe.tool.to_string()));
        fields.add("entry", text(&recipe.entry));
        if let Some(teardown) = &recipe.teardown {
            fields.add("teardown", text(teardown));
        }
        let file = |file: &'m File| {
            let first = *self.files.borrow_mut().entry((&*file.path, &file.content)).or_insert(key);
            let content =
                if **first == **key { content(&file.content) } else { Hot::Map(vec![("of".into(), text(first))]) };
            (Name::from(&*file.path), content)
        };
        fields.add("files", names(recipe.files.iter().map(file)));
        Hot::Map(fields)
    }
}

/// The default display name of a component type.
pub fn short_name(kind: &str) -> &str {
    kind.rsplit("::").next().unwrap_or(kind)
}

fn input(input: &Input) -> Hot {
    let mut fields = vec![("type".into(), ty(&input.ty))];
    if input.required != input.default.is_none() {
        fields.add("required", Hot::Value(input.required.into()));
    }
    if let Some(default) = &input.default {
        fields.add("default", super::value::constant(default));
    }
    fields.add_text("doc", &input.doc);
    add_path(&mut fields, &input.path);
    short(fields)
}

fn output(output: &OutputDeclaration) -> Hot {
    let mut fields = vec![("type".into(), ty(&output.ty))];
    add_bandwidth(&mut fields, output.bandwidth);
    for (name, is_so) in [("dynamic", output.dynamic), ("early", output.early)] {
        if is_so {
            fields.add(name, Hot::Value(true.into()));
        }
    }
    fields.add_text("doc", &output.doc);
    add_path(&mut fields, &output.path);
    short(fields)
}

fn add_bandwidth(fields: &mut Vec<(Name, Hot)>, bandwidth: Option<Bandwidth>) {
    if let Some(bandwidth) = bandwidth {
        fields.add("bandwidth", text(bandwidth.to_string()));
    }
}

fn add_path(fields: &mut Vec<(Name, Hot)>, path: &[Name]) {
    if !path.is_empty() {
        fields.add("path", Hot::List(path.iter().map(text).collect()));
    }
}

/// The type alone, if nothing else is declared.
fn short(mut fields: Vec<(Name, Hot)>) -> Hot {
    if fields.len() == 1 { fields.remove(0).1 } else { Hot::Map(fields) }
}

fn listen(listen: &Listen) -> Hot {
    let ports = match &listen.ports {
        Ports::OfInput(input) => text(input),
        Ports::Fixed { first, last } if first == last => Hot::Value(Value::from(*first)),
        Ports::Fixed { first, last } => text(format!("{first}-{last}")),
    };
    Hot::Map(vec![(listen.protocol.to_string().into(), ports)])
}

/// The content of a file, unchanged.
pub(super) fn content(content: &Content) -> Hot {
    match content {
        Content::Text(content) => text(content),
        Content::Binary(bytes) => Hot::Map(vec![("base64".into(), text(STANDARD.encode(bytes)))]),
    }
}
