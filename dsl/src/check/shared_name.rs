//! W0204: a parameter and a resource have the same name.

use super::registry::check;
use super::sink::Sink;

check! {
    /// A parameter and a resource have the same name. Heat refuses the template with the error "Duplicate names".
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// #[derive(Parameters)]
    /// struct Settings {
    ///     /// Name of the network.
    ///     #[parameter]
    ///     network: Parameter<String>,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// t.add("network", RawResource::new("OS::Neutron::Net").property("name", p.network));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0204"));
    /// ```
    ///
    /// Rename one of them:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[derive(Parameters)]
    /// # struct Settings { #[parameter] network: Parameter<String> }
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// t.add("backbone", RawResource::new("OS::Neutron::Net").property("name", p.network));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0204"));
    /// ```
    CHECK: "W0204", Error, "a parameter and a resource have the same name", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for (name, parameter) in &sink.model.parameters {
        if let Some(resource) = sink.model.resources.get(name) {
            let diagnostic = CHECK
                .diagnostic(format!("a parameter and a resource are both named `{name}`"))
                .label(&resource.at, "the resource")
                .label(&parameter.at, "the parameter")
                .help("give one of them another name: a template looks up both by name alone");
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, parameter};
    use crate::model::{Model, Type};

    pub(in crate::check) fn failing() -> Model {
        let sketch = Sketch::new().parameter("network", Type::STR).resource("network", "OS::Neutron::Net");
        sketch.property("network", "name", parameter("network")).model
    }
}
