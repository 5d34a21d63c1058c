//! W0405: a property depends on running software.

use std::collections::HashSet;

use crate::model::{Listen, Model, Name, Ports, Reference, Referred, Source};

use super::place::Place;
use super::registry::check;
use super::sink::Sink;
use super::uses::Use;

check! {
    /// A property has a value that exists only once software runs, but Heat must know all properties before that.
    ///
    /// In a blueprint, the compiler reports this. Here it is found in a model that was read from a file.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::model::Expr;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # t.add("net", RawResource::new("OS::Neutron::Net").property("name", "net"));
    /// # t.on(server).run("web", Web::new());
    /// # let mut model = t.finish(Exports::new());
    /// let url = Expr::output("server/web", "url");
    /// model.resources["net"].properties["name"].value = url;
    /// # assert!(wattle::check::finds(&model, "W0405"));
    /// ```
    ///
    /// Use a constant, a parameter or an attribute:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::model::Expr;
    /// # let mut t = Topology::new("demo");
    /// # t.add("net", RawResource::new("OS::Neutron::Net").property("name", "net"));
    /// # let mut model = t.finish(Exports::new());
    /// model.resources["net"].properties["name"].value = "backbone".into();
    /// # assert!(!wattle::check::finds(&model, "W0405"));
    /// ```
    CHECK: "W0405", Error, "a property depends on running software", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let mut ports = HashSet::new();
    for Use { place, at, reference } in &sink.uses().late {
        let Some(what) = late(*reference) else { continue };
        if let Some((component, input)) = listens(sink.model, *place, at) {
            // A rule uses the port twice, as the first and as the last one; there may be many rules.
            if ports.insert((component, input)) {
                let diagnostic = CHECK
                    .diagnostic(format!("a security group cannot open the port of `{component}`, which is {what}"))
                    .label(at, "not known when Heat creates the group's rules")
                    .note(
                        "a component's output exists only once its server runs, but Heat needs properties before that",
                    )
                    .help(format!("wire the input `{input}` to a constant, a parameter or an attribute"));
                sink.push(diagnostic);
            }
            continue;
        }
        let diagnostic = CHECK
            .diagnostic(format!("{place} cannot be set from {what}"))
            .label(at, "not known when Heat creates the resource")
            .note("a component's output exists only once its server runs, but Heat needs properties before that")
            .help("set it from a constant, a parameter or an attribute, or use the value in a component instead");
        sink.push(diagnostic);
    }
}

/// The component and the input from which a property gets its value, if the component listens on that port.
fn listens<'m>(model: &'m Model, place: Place<'_>, at: &Source) -> Option<(&'m Name, &'m Name)> {
    let Place::Property { .. } = place else { return None };
    model.components.iter().find_map(|(key, component)| {
        let listens = &model.declaration(component)?.listens;
        let is_port = |name: &Name| listens.iter().any(|Listen { ports, .. }| *ports == Ports::OfInput(name.clone()));
        let input = component.inputs.iter().find(|(name, binding)| binding.at == *at && is_port(name));
        input.map(|(name, _)| (key, name))
    })
}

fn late(reference: Referred<'_>) -> Option<String> {
    match reference {
        Reference::Output { component, output } => Some(format!("the output `{output}` of `{component}`")),
        Reference::ForwardReference(forward) => Some(format!("the forward reference `{forward}`")),
        Reference::Import { stack, export } => Some(format!("the export `{export}` of the stack `{stack}`")),
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, forward_reference, output, sound, text};
    use crate::model::{Model, Type};

    pub(in crate::check) fn failing() -> Model {
        let url = text(["see ".into(), output("db/db2", "url")]);
        sound().resource("net", "OS::Neutron::Net").property("net", "name", url).model
    }

    #[test]
    fn a_forward_reference_is_late_whatever_fulfils_it() {
        let sketch =
            Sketch::new().forward_reference("p", Type::STR).fulfil("p", "net").resource("net", "OS::Neutron::Net");
        assert_eq!(codes(&sketch.property("net", "name", forward_reference("p")).model), ["W0405"]);
    }
}
