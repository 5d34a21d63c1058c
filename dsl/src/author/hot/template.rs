//! Metadata of a template, and the files that it refers to.

use crate::author::blueprint::Blueprint;
use crate::author::expression::Expression;
use crate::author::topology::Topology;
use crate::lower;
use crate::model::{Content, ParameterGroup, Source};
use wattle_heat::emit;

use super::nested::Nested;
use super::value::Value;

impl Topology {
    /// Sets the template's HOT version, as a date or a release name. The default is the newest version, which Heat has
    /// supported since 2021.
    pub fn version(&mut self, version: &str) {
        self.model.version = version.into();
    }

    /// Returns the content of a file, text or bytes. The content stays in a file beside the template, named `path`.
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

    /// Emits the template of `blueprint` beside this one, as the file `path`. Resources of the type `path` are stacks
    /// of that template, and their properties are its parameters. Call `stack` on the result to make one, with a setter
    /// for each parameter.
    ///
    /// A [`Module`](crate::Module) is the usual way to write a part of a blueprint. This method is for parts that Heat
    /// keeps as stacks of their own: one for each member of a group, or one under a condition.
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
    /// If the blueprint's model has errors. The blueprint is also a program of its own, which reports them.
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

    /// Groups parameters, given by their names, so that they are shown together.
    #[track_caller]
    pub fn parameter_group(&mut self, label: &str, description: &str, parameters: &[&str]) {
        let mut group = ParameterGroup::new(parameters.iter().map(|name| (*name).into()).collect(), Source::caller());
        label.clone_into(&mut group.label);
        description.clone_into(&mut group.description);
        self.model.parameter_groups.push(group);
    }
}
