//! W0305: an export that cannot be computed.

use crate::model::{Expr, Model, Reference};

use super::registry::check;
use super::sink::Sink;
use super::unknown_type::is_unknown;

check! {
    /// An export combines an output of a component with something that only Heat knows. Nothing knows both, so nothing
    /// can compute the export.
    ///
    /// Outputs exist on the servers, at run time. The identity of a resource, and the attributes of a resource that is
    /// not a server, are known to Heat, which passes them to the servers that read them.
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
    /// let net = t.add("net", RawResource::new("OS::Neutron::Net"));
    /// let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let web = t.on(server).run("web", Web::new());
    /// let name = net.attribute::<String>("name");
    /// let exports = Exports::new().entry("where", text!("{} on {}", web.url, name));
    /// # assert!(wattle::check::finds(&t.finish(exports), "W0305"));
    /// ```
    ///
    /// Export the two values separately, or wire the attribute to a component that writes the combined value as its
    /// output:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// # let net = t.add("net", RawResource::new("OS::Neutron::Net"));
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let web = t.on(server).run("web", Web::new());
    /// let exports = Exports::new().entry("url", web.url).entry("network", net.attribute::<String>("name"));
    /// # assert!(!wattle::check::finds(&t.finish(exports), "W0305"));
    /// ```
    CHECK: "W0305", Error, "an export that cannot be computed", run, only Agents
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    for (name, export) in &model.exports {
        if let (Some(running), Some(created)) = parts(model, &export.value) {
            let diagnostic = CHECK
                .diagnostic(format!("the export `{name}` is made of {running} and of {created}"))
                .label(&export.at, "nothing knows both values")
                .note("outputs exist on the servers at run time; only Heat knows what it creates")
                .help(format!("wire {created} to an input of a component, and export an output of that component"))
                .help("or export the two separately");
            sink.push(diagnostic);
        }
    }
}

/// The parts of `value` that are known only at run time, and those that only Heat knows; the first of each.
fn parts(model: &Model, value: &Expr) -> (Option<String>, Option<String>) {
    let (mut running, mut created) = (None, None);
    let mut forward_references = std::collections::HashSet::new();
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        value.references().for_each(|reference| match reference {
            Reference::Output { component, output } => {
                running.get_or_insert_with(|| format!("the output `{output}` of `{component}`"));
            }
            Reference::Import { stack, export } => {
                running.get_or_insert_with(|| format!("the export `{export}` of the stack `{stack}`"));
            }
            Reference::Attribute { resource, attribute, .. }
                if model
                    .resources
                    .get(resource)
                    .is_some_and(|resource| !resource.is_server() && !is_unknown(model, resource)) =>
            {
                created.get_or_insert_with(|| format!("the attribute `{attribute}` of `{resource}`"));
            }
            Reference::ForwardReference(name) if forward_references.insert(name) => {
                let bindings = model.forward_references.get(name).into_iter().flat_map(|forward| &forward.fulfilled);
                pending.extend(bindings.map(|binding| &binding.value));
            }
            // A server's own agent publishes its attributes; Heat and agents know the others.
            Reference::Attribute { .. }
            | Reference::ForwardReference(_)
            | Reference::Parameter(_)
            | Reference::Resource(_)
            | Reference::Foreign { .. } => {}
        });
        // A key within a server's attribute is not a part of the value itself.
        let identity =
            |leaf: &'_ Reference| if let Reference::Resource(name) = leaf { Some(name.clone()) } else { None };
        if let (None, Some(resource)) = (&created, value.leaves().find_map(identity)) {
            created = Some(format!("the ID of `{resource}`"));
        }
    }
    (running, created)
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{attribute, codes, forward_reference, output, resource, sound, text};
    use crate::model::{Expr, Model, Type};

    fn export(value: Expr) -> Model {
        sound().resource("net", "OS::Neutron::Net").export("x", Type::STR, value).model
    }

    pub(in crate::check) fn failing() -> Model {
        export(text([output("db/db2", "url"), attribute("net", "name")]))
    }

    #[test]
    fn identities_and_forward_references_count() {
        assert_eq!(codes(&export(text([output("db/db2", "url"), resource("net")]))), ["W0305"]);
        let sketch = sound()
            .resource("net", "OS::Neutron::Net")
            .forward_reference("p", Type::URI)
            .fulfil("p", output("db/db2", "url"));
        let model = sketch.export("x", Type::STR, text([attribute("net", "name"), forward_reference("p")])).model;
        assert_eq!(codes(&model), ["W0305"]);
    }

    #[test]
    fn a_servers_attributes_are_known_at_run_time_too() {
        assert!(codes(&export(text([output("db/db2", "url"), attribute("db", "name")]))).is_empty());
        assert!(codes(&export(text([attribute("net", "name"), attribute("db", "name")]))).is_empty());
    }
}
