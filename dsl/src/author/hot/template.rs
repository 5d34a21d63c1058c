//! What a template says of itself, and the files that it names.

use crate::author::blueprint::Blueprint;
use crate::author::expression::Expression;
use crate::author::topology::Topology;
use crate::lower;
use crate::model::{Content, ParameterGroup, Source};
use wattle_heat::emit;

use super::nested::Nested;
use super::value::Value;

impl Topology {
    /// The version of HOT that the template is of, by its date or its release's name. Without it, it is the newest that Heat has had since 2021.
    pub fn version(&mut self, version: &str) {
        self.model.version = version.into();
    }

    /// The content of a file, text or bytes, which stays one beside the template: `path` is its name there.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// fn script(t: &mut Topology) -> hot::Value {
    ///     // Usually `include_str!`.
    ///     t.file("scripts/install.sh", "#!/bin/sh\ntrue\n")
    /// }
    /// # let mut t = Topology::new("demo");
    /// # script(&mut t);
    /// # assert!(t.finish(Exports::new()).files.contains_key("scripts/install.sh"));
    /// ```
    pub fn file<C: AsRef<[u8]> + ?Sized>(&mut self, path: &str, content: &'static C) -> Value {
        let bytes = content.as_ref();
        let content =
            std::str::from_utf8(bytes).map_or(Content::Binary(bytes.into()), |text| Content::Text(text.into()));
        self.model.files.insert(path.into(), content);
        Value(Expression::Function { name: "get_file".into(), argument: Box::new(path.into()) })
    }

    /// Emits the template of `blueprint` beside this one, as the file `path`: resources of the type `path` are stacks
    /// of it, with its parameters as their properties. `stack` of what it returns makes one, with a setter for each.
    ///
    /// A [`Module`](crate::Module) is the usual way to a part of a blueprint; this is for parts that Heat keeps as stacks
    /// of their own: one of each in a group, or one under a condition.
    ///
    /// ```
    /// use wattle::prelude::*;
    ///
    /// #[derive(Parameters)]
    /// pub struct Settings {
    ///     /// Its name.
    ///     name: Parameter<String>,
    /// }
    ///
    /// #[blueprint]
    /// pub fn member(t: &mut Topology, p: Settings) {
    ///     t.add("network", RawResource::new("OS::Neutron::Net").property("name", p.name));
    /// }
    ///
    /// #[blueprint]
    /// pub fn members(t: &mut Topology) {
    ///     let of_member = t.template("member.yaml", member);
    ///     t.add("first", of_member.stack().name("one"));
    /// }
    /// # let model = wattle::author::Blueprint::model(&members, Default::default());
    /// # assert!(model.files.contains_key("member.yaml"));
    /// ```
    ///
    /// # Panics
    /// When the blueprint's model has errors. It is a program of its own as well, which tells them.
    pub fn template<B: Blueprint>(&mut self, path: &str, blueprint: B) -> Nested<B> {
        let model = blueprint.model(B::Config::default());
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let whole =
            lower::Options { stack_resources: usize::MAX, stack_bytes: usize::MAX, ..lower::Options::default() };
        let lowered = lower::lower(&model, &lower::Options { decisions: false, ..whole });
        let mut text = Vec::new();
        emit::yaml(&lowered.template, &mut text).expect("INVARIANT: memory takes what is written");
        let text = String::from_utf8(text).expect("INVARIANT: YAML is text");
        self.model.files.insert(path.into(), Content::Text(text.into()));
        for (name, content) in model.files {
            let name = if folder.is_empty() { name } else { format!("{folder}/{name}").into() };
            self.model.files.insert(name, content);
        }
        Nested::new(path)
    }

    /// Shows parameters as belonging together, by their names.
    #[track_caller]
    pub fn parameter_group(&mut self, label: &str, description: &str, parameters: &[&str]) {
        let mut group = ParameterGroup::new(parameters.iter().map(|name| (*name).into()).collect(), Source::caller());
        label.clone_into(&mut group.label);
        description.clone_into(&mut group.description);
        self.model.parameter_groups.push(group);
    }
}
