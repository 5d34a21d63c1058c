//! W0302: a component runs on a resource that is not a server.

use crate::model::{IndexMap, Resource};

use super::registry::check;
use super::sink::Sink;
use super::unknown_type::is_unknown;

check! {
    /// Components run on servers, but this resource is not a server.
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
    /// let mut t = Topology::new("demo");
    /// let net = t.add("net", RawResource::new("OS::Neutron::Net"));
    /// let web = t.on(net).run("web", Web::new());
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0302"));
    /// ```
    ///
    /// Run the component on a server:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let web = t.on(server).run("web", Web::new());
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0302"));
    /// ```
    CHECK: "W0302", Error, "a component runs on a resource that is not a server", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let mut wrong = IndexMap::default();
    for ((key, component), host) in model.components.iter().zip(&sink.uses().hosts) {
        if let Some((name, resource)) = host.and_then(|host| model.resources.get_index(host))
            && !resource.is_server()
            && !is_unknown(model, resource)
        {
            wrong.entry(name).or_insert((resource, Vec::new())).1.push((key, component));
        }
    }
    for (name, (resource, components)) in wrong {
        let mut diagnostic = CHECK.diagnostic(format!("`{name}` is not a server and cannot run components"));
        for (key, component) in components {
            diagnostic = diagnostic.label(&component.at, format!("`{key}` is to run on it"));
        }
        let diagnostic = diagnostic
            .label(&resource.at, format!("`{name}` has the type `{}`", resource.ty))
            .help(format!("components run on resources of the type `{}`", Resource::SERVER));
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::Sketch;
    use crate::model::Model;

    pub(in crate::check) fn failing() -> Model {
        let sketch = Sketch::new().resource("net", "OS::Neutron::Net").kind("K", &[], &[]);
        sketch.component("net", "a", "K").component("net", "b", "K").model
    }
}
