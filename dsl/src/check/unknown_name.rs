//! W0107: a reference to something that does not exist.

use crate::model::{Model, Reference, Source};

use super::registry::check;
use super::sink::Sink;
use super::uses::Use;

check! {
    /// Something refers to a parameter, resource, component, input, output, forward reference, import or component type
    /// that is not in the model.
    ///
    /// Handles always refer to something that exists, so this happens only in models that were read from a file.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::model::{Expr, Export, Type};
    /// # let mut model = Topology::new("demo").finish(Exports::new().entry("url", "http://a/"));
    /// model.exports["url"].value = Expr::parameter("adress");
    /// # assert!(wattle::check::finds(&model, "W0107"));
    /// ```
    ///
    /// In a blueprint, use a handle. It cannot be misspelt:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/web.sh")]
    /// struct Web {
    ///     #[input(default = 80)]
    ///     port: u16,
    ///     #[output]
    ///     url: String,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let web = t.on(server).run("web", Web::new());
    /// let exports = Exports::new().entry("url", web.url);
    /// # assert!(!wattle::check::finds(&t.finish(exports), "W0107"));
    /// ```
    CHECK: "W0107", Error, "a reference to something that does not exist", run
}

/// The placeholder for a handle of another topology, which another check reports.
pub(super) const FOREIGN: &str = "#foreign";

/// Parameters that every stack has without declaring them (HOT specification, "pseudo parameters").
const PSEUDO: [&str; 3] = ["OS::stack_name", "OS::stack_id", "OS::project_id"];

fn run(sink: &mut Sink<'_, '_>) {
    for unknown in &sink.uses().unknown {
        reference(sink, unknown);
    }
    components(sink);
    orders(sink);
    recipes(sink);
}

fn reference(sink: &mut Sink<'_, '_>, unknown: &Use<'_>) {
    let Use { place, at, reference } = unknown;
    let model = sink.model;
    let (what, help) = match reference {
        // Heat provides these in every template.
        Reference::Parameter(name) if PSEUDO.contains(&&***name) => return,
        Reference::Parameter(name) => {
            (format!("the parameter `{name}`"), sink.suggest(name, model.parameters.keys().map(|name| &**name)))
        }
        Reference::Resource(name) | Reference::Attribute { resource: name, .. } => {
            (format!("the resource `{name}`"), sink.suggest(name, model.resources.keys().map(|name| &**name)))
        }
        Reference::ForwardReference(name) => (
            format!("the forward reference `{name}`"),
            sink.suggest(name, model.forward_references.keys().map(|name| &**name)),
        ),
        Reference::Output { component, output } => match model.components.get(*component) {
            None => (
                format!("the component `{component}`"),
                sink.suggest(component, model.components.keys().map(|name| &**name)),
            ),
            Some(known) => {
                let outputs = model.declaration(known).into_iter().flat_map(|kind| kind.outputs.keys());
                let what = format!("the output `{output}`, which `{component}` does not declare");
                (what, sink.suggest(output, outputs.map(|name| &**name)))
            }
        },
        Reference::Import { stack, export } => {
            (format!("the export `{export}` of the stack `{stack}`, which is not imported"), None)
        }
        Reference::Foreign { .. } => return,
    };
    push(sink, &format!("{place} refers to {what}"), &what, at, help);
}

fn push(sink: &mut Sink<'_, '_>, message: &str, what: &str, at: &Source, help: Option<String>) {
    let does_not_exist = if what.contains(", which ") { "" } else { ", which does not exist" };
    let diagnostic = CHECK
        .diagnostic(format!("{message}{does_not_exist}"))
        .label(at, format!("there is no such {}", what.split_whitespace().nth(1).unwrap_or("thing")))
        .help_if(help);
    sink.push(diagnostic);
}

fn components(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let hosts = &sink.uses().hosts;
    for ((key, component, kind), host) in sink.components().zip(hosts) {
        let server = &component.server;
        if host.is_none() && **server != *FOREIGN {
            let help = sink.suggest(server, model.resources.keys().map(|name| &**name));
            let what = format!("the resource `{server}`");
            push(sink, &format!("`{key}` runs on {what}"), &what, &component.at, help);
        }
        let Some(kind) = kind else {
            let what = format!("the type `{}`", component.declaration);
            let help = sink.suggest(&component.declaration, model.declarations.keys().map(|name| &**name));
            push(sink, &format!("`{key}` is of {what}"), &what, &component.at, help);
            continue;
        };
        for (input, binding) in component.inputs.iter().filter(|(input, _)| !kind.inputs.contains_key(*input)) {
            let help = sink.suggest(input, kind.inputs.keys().map(|name| &**name));
            let what = format!("the input `{input}`, which its component type `{}` does not declare", kind.name);
            push(sink, &format!("`{key}` wires {what}"), &what, &binding.at, help);
        }
    }
}

fn orders(sink: &mut Sink<'_, '_>) {
    let model: &Model = sink.model;
    for after in &model.after {
        for name in [&after.component, &after.predecessor] {
            if **name != *FOREIGN && !model.components.contains_key(name) {
                let help = sink.suggest(name, model.components.keys().map(|name| &**name));
                let what = format!("the component `{name}`");
                push(sink, &format!("an order refers to {what}"), &what, &after.at, help);
            }
        }
    }
}

fn recipes(sink: &mut Sink<'_, '_>) {
    for kind in sink.model.declarations.values() {
        let recipe = &kind.recipe;
        if recipe.tool.runs_files() && !recipe.files.iter().any(|file| *file.path == *recipe.entry) {
            let help = sink.suggest(&recipe.entry, recipe.files.iter().map(|file| &*file.path));
            let what = format!("the file `{}`, which is not among its files", recipe.entry);
            push(sink, &format!("the component type `{}` runs {what}", kind.name), &what, &kind.at, help);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, attribute, codes, forward_reference, output, parameter, resource, sound};
    use crate::check::{Limits, check};
    use crate::model::{Expr, Model, Type};

    pub(in crate::check) fn failing() -> Model {
        sound().export("other", Type::URI, output("db/db2", "ulr")).model
    }

    #[test]
    fn every_kind_of_name_is_looked_up() {
        let import = Expr::import("other", "url");
        for wrong in [
            parameter("x"),
            resource("x"),
            attribute("x", "name"),
            output("db/x", "url"),
            output("db/db2", "x"),
            forward_reference("x"),
            import,
        ] {
            let model = sound().export("other", Type::STR, Expr::List(vec![wrong.clone()])).model;
            // Also wrapped in text, so that the type is right and nothing else is reported.
            let model_of_text = sound().export("other", Type::STR, Expr::Text(vec![wrong.clone()])).model;
            assert!(codes(&model).contains(&"W0107"), "{wrong:?}");
            assert_eq!(codes(&model_of_text), ["W0107"], "{wrong:?}");
        }
    }

    #[test]
    fn servers_kinds_inputs_orders_and_files_are_looked_up() {
        let server = sound().component("bd", "db2", "Db2").input("bd/db2", "port", 1);
        let kind = sound().component("db", "web", "Db3").input("db/web", "port", 1);
        let input = sound().input("db/db2", "prot", 1);
        let order = sound().after("db/db2", "db/dB2");
        let mut file = sound();
        file.model.declarations["Db2"].recipe.entry = "recipes/bd2.sh".into();
        for sketch in [server, kind, input, order, file] {
            let found = check(&sketch.model, &Limits::default());
            assert_eq!(found.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(), ["W0107"]);
            assert!(found[0].help[0].starts_with("did you mean `"), "{found:?}");
        }
    }

    #[test]
    fn an_output_of_a_component_of_unknown_kind_is_not_reported_again() {
        let model =
            Sketch::new().server("db").component("db", "web", "Web").export("u", Type::URI, output("db/web", "u"));
        assert_eq!(codes(&model.model), ["W0107"]);
    }
}
