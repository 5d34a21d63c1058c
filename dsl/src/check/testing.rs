//! Models for tests, built one line at a time: each thing is on its own line of `blueprint.rs`.

use std::fmt::Write;

use crate::analysis::lowering::Lowering;
use crate::author::{Exports, Module, RawResource, Topology};
use crate::model::{
    After, Binding, Component, Content, Declaration, ElementKind, Export, Expr, File, FormerName, ForwardReference,
    Input, Model, Name, OutputDeclaration, Parameter, Predicate, Recipe, Requirement, Resource, Source, Tool, Type,
};

use super::{Limits, check};

/// A model under construction.
pub(super) struct Sketch {
    pub(super) model: Model,
    line: u32,
}

impl Sketch {
    pub(super) fn new() -> Self {
        let mut model = Model::new("demo");
        model.at = Source::new("blueprint.rs", 1, 1);
        Self { model, line: 1 }
    }

    /// Moves to the next line.
    pub(super) fn at(&mut self) -> Source {
        self.line += 1;
        Source::new("blueprint.rs", self.line, 5)
    }

    /// Declares that the thing named `name` was deployed as `from`.
    pub(super) fn moved(mut self, kind: ElementKind, name: &str, from: &str) -> Self {
        let at = self.at();
        self.model.moved.push(FormerName::new(kind, name.into(), from.into(), at));
        self
    }

    pub(super) fn resource(mut self, name: &str, ty: &str) -> Self {
        let at = self.at();
        self.model.resources.insert(name.into(), Resource::new(ty.into(), at));
        self
    }

    pub(super) fn server(self, name: &str) -> Self {
        self.resource(name, Resource::SERVER)
    }

    pub(super) fn property(mut self, resource: &str, name: &str, value: impl Into<Expr>) -> Self {
        let binding = Binding { value: value.into(), at: self.at() };
        self.model.resources[resource].properties.insert(name.into(), binding);
        self
    }

    pub(super) fn schema(mut self, ty: &str, json: &str) -> Self {
        self.model.schemas.insert(ty.into(), serde_json::from_str(json).expect("a schema"));
        self
    }

    /// A component type whose recipe reads every input and writes every output.
    pub(super) fn kind(mut self, name: &str, inputs: &[(&str, Type)], outputs: &[(&str, Type)]) -> Self {
        let mut text = String::from("#!/bin/sh\n");
        for (input, _) in inputs {
            writeln!(text, ": \"${input}\"").expect("text");
        }
        for (output, _) in outputs {
            writeln!(text, "echo > \"${{heat_outputs_path}}.{output}\"").expect("text");
        }
        let path = format!("recipes/{}.sh", name.to_lowercase());
        let file = File { path: path.clone().into(), content: Content::Text(text.into()) };
        let recipe = Recipe { tool: Tool::Shell, entry: path.into(), teardown: None, files: vec![file] };
        let at = self.at();
        let input = |(name, ty): &(&str, Type), at| {
            let input = Input { ty: ty.clone(), required: true, default: None, doc: String::new(), path: vec![], at };
            (Name::from(*name), input)
        };
        let output = |(name, ty): &(&str, Type), at| {
            let output = OutputDeclaration {
                ty: ty.clone(),
                bandwidth: None,
                dynamic: false,
                early: false,
                doc: String::new(),
                path: vec![],
                at,
            };
            (Name::from(*name), output)
        };
        let declaration = Declaration {
            name: name.into(),
            doc: String::new(),
            recipe,
            inputs: inputs.iter().map(|one| input(one, self.at())).collect(),
            outputs: outputs.iter().map(|one| output(one, self.at())).collect(),
            listens: Vec::new(),
            deadline: None,
            wait: None,
            bandwidth: None,
            at,
        };
        self.model.declarations.insert(name.into(), declaration);
        self
    }

    pub(super) fn component(mut self, server: &str, name: &str, kind: &str) -> Self {
        let component = Component::new(name.into(), server.into(), kind.into(), self.at());
        self.model.components.insert(Model::component_key(server, name).into(), component);
        self
    }

    pub(super) fn input(mut self, component: &str, name: &str, value: impl Into<Expr>) -> Self {
        let binding = Binding { value: value.into(), at: self.at() };
        self.model.components[component].inputs.insert(name.into(), binding);
        self
    }

    pub(super) fn after(mut self, component: &str, predecessor: &str) -> Self {
        let after = After { component: component.into(), predecessor: predecessor.into(), at: self.at() };
        self.model.after.push(after);
        self
    }

    pub(super) fn forward_reference(mut self, name: &str, ty: Type) -> Self {
        let forward = ForwardReference { ty, at: self.at(), fulfilled: vec![] };
        self.model.forward_references.insert(name.into(), forward);
        self
    }

    pub(super) fn fulfil(mut self, name: &str, value: impl Into<Expr>) -> Self {
        let binding = Binding { value: value.into(), at: self.at() };
        self.model.forward_references[name].fulfilled.push(binding);
        self
    }

    pub(super) fn parameter(mut self, name: &str, ty: Type) -> Self {
        let parameter = Parameter::new(ty, self.at());
        self.model.parameters.insert(name.into(), parameter);
        self
    }

    pub(super) fn require(mut self, name: &str, predicate: Predicate<Expr>) -> Self {
        let requirement = Requirement::new(predicate, self.at());
        self.model.requirements.insert(name.into(), requirement);
        self
    }

    pub(super) fn export(mut self, name: &str, ty: Type, value: impl Into<Expr>) -> Self {
        let export = Export { ty, value: value.into(), stack: None, at: self.at() };
        self.model.exports.insert(name.into(), export);
        self
    }
}

/// A valid model: a server `db` that runs `db/db2`, whose output `url` is exported.
pub(super) fn sound() -> Sketch {
    Sketch::new()
        .server("db")
        .kind("Db2", &[("port", Type::integer(0, 65_535))], &[("url", Type::URI)])
        .component("db", "db2", "Db2")
        .input("db/db2", "port", 50_000)
        .export("url", Type::URI, output("db/db2", "url"))
}

/// The same model, with this text as the recipe.
pub(super) fn with_recipe(text: &'static str) -> Model {
    let mut model = sound().model;
    model.declarations["Db2"].recipe.files[0].content = Content::Text(text.into());
    model
}

pub(super) fn secret(ty: Type) -> Type {
    Type::Hidden(Box::new(ty))
}

pub(super) fn output(component: &str, output: &str) -> Expr {
    Expr::output(component, output)
}

pub(super) fn attribute(resource: &str, attribute: &str) -> Expr {
    Expr::attribute(resource, attribute, vec![])
}

pub(super) fn forward_reference(name: &str) -> Expr {
    Expr::forward_reference(name)
}

pub(super) fn parameter(name: &str) -> Expr {
    Expr::parameter(name)
}

pub(super) fn resource(name: &str) -> Expr {
    Expr::resource(name)
}

pub(super) fn foreign(what: &str) -> Expr {
    Expr::foreign(what)
}

pub(super) fn text(parts: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Text(parts.into_iter().collect())
}

pub(super) fn map<const N: usize>(parts: [(&str, Expr); N]) -> Expr {
    Expr::Map(parts.map(|(name, value)| (name.into(), value)).into_iter().collect())
}

/// A topology with modules of these names, each with one network.
pub(super) fn modules(names: &[&str]) -> Model {
    struct Net;
    impl Module for Net {
        type Outputs = ();
        fn build(self, t: &mut Topology) {
            t.add("net", RawResource::new("OS::Neutron::Net"));
        }
    }
    let mut t = Topology::new("demo");
    names.iter().for_each(|name| t.add(name, Net));
    t.finish(Exports::new())
}

/// The codes of all diagnostics, in order.
pub(super) fn codes(model: &Model) -> Vec<&'static str> {
    check(model, &Limits::default()).iter().map(|diagnostic| diagnostic.code).collect()
}

/// The same, for Heat's own agents.
pub(super) fn native_codes(model: &Model) -> Vec<&'static str> {
    let limits = Limits { lowering: Lowering::HeatNative, ..Limits::default() };
    check(model, &limits).iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn the_sound_model_is_sound() {
    assert!(codes(&sound().model).is_empty());
}
