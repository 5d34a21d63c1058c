//! W0203: a name is reserved.

use wattle_agent_core::SERVER;

use crate::model::Source;

use super::registry::check;
use super::sink::Sink;

check! {
    /// A name is reserved by wattle, or already has a meaning where recipes run.
    ///
    /// Parameters and resources whose names begin with `wattle_` are those that wattle adds to the template. A
    /// component named `server` would take the place in the data space where the attributes of the server itself are
    /// kept. An input named `PATH` would change how the recipe finds programs.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("wattle_server", RawResource::new("OS::Nova::Server"));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0203"));
    /// ```
    ///
    /// Choose another name:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("server", RawResource::new("OS::Nova::Server"));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0203"));
    /// ```
    CHECK: "W0203", Error, "a name is reserved", run
}

/// The prefix of the template's own parameters and resources.
const PREFIX: &str = crate::analysis::lowering::RESERVED;

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let resources = model.resources.iter().map(|(name, resource)| ("resource", name, &resource.at));
    let modules = model.modules.iter().map(|(name, module)| ("module", name, &module.at));
    let parameters = model.parameters.iter().map(|(name, parameter)| ("parameter", name, &parameter.at));
    let within = |name: &str| name.rsplit_once('.').is_some_and(|(module, _)| model.modules.contains_key(module));
    for (kind, name, at) in resources.chain(modules).chain(parameters) {
        // A part's name begins with its module's name, which is reported there.
        if name.starts_with(PREFIX) && !within(name) {
            push(
                sink,
                kind,
                name,
                at,
                &format!("names that begin with `{PREFIX}` are reserved for the template's own parts"),
            );
        }
    }
    for component in model.components.values().filter(|component| &*component.name == SERVER) {
        push(
            sink,
            "component",
            SERVER,
            &component.at,
            "the data space keeps the server's own attributes under this name",
        );
    }
    for kind in model.declarations.values().filter(|kind| !kind.recipe.tool.has_paths()) {
        for (name, input) in &kind.inputs {
            if wattle_recipe::environment::is_taken(name) {
                push(sink, "input", name, &input.at, "the recipe already has a variable of this name");
            }
        }
    }
}

fn push(sink: &mut Sink<'_, '_>, kind: &str, name: &str, at: &Source, why: &str) {
    let a = if kind == "input" { "an" } else { "a" };
    let diagnostic = CHECK
        .diagnostic(format!("`{name}` cannot be the name of {a} {kind}"))
        .label(at, why)
        .help("choose another name");
    sink.push(diagnostic);
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, modules, parameter, sound};
    use crate::model::{Model, Type};

    pub(in crate::check) fn failing() -> Model {
        Sketch::new().server("wattle_node").model
    }

    #[test]
    fn parameters_components_and_inputs_are_judged() {
        let parameter = sound().parameter("wattle_x", Type::STR).export("x", Type::STR, parameter("wattle_x"));
        assert_eq!(codes(&parameter.model), ["W0203"]);
        let component = sound().kind("K", &[], &[]).component("db", "server", "K");
        assert_eq!(codes(&component.model), ["W0203"]);
        let input = sound().kind("K", &[("PATH", Type::STR)], &[]);
        assert_eq!(codes(&input.model), ["W0203"]);
    }

    #[test]
    fn a_module_is_reported_alone() {
        assert_eq!(codes(&modules(&["wattle_net"])), ["W0203"]);
    }
}
