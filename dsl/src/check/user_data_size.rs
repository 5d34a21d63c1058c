//! W0501: user data is larger than Nova accepts.

use crate::lower::user_data_sizes;
use crate::model::Source;

use super::registry::check;
use super::sink::Sink;
use super::size::{grouped, of_text};

check! {
    /// The user data of a server is larger than Nova accepts: 65,535 bytes of base64, which are 49,149 bytes of user
    /// data.
    ///
    /// Heat does not check this. Nova refuses the server when it is created.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let script = format!("#!/bin/sh\ncat > /etc/motd <<END\n{}\nEND\n", "welcome\n".repeat(10_000));
    /// t.add("server", RawResource::new("OS::Nova::Server").property("user_data", script));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0501"));
    /// ```
    ///
    /// Let the server fetch what is large, or make it a file of a component's recipe. The files of recipes are not part
    /// of the user data:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let script = "#!/bin/sh\ncurl -o /etc/motd http://files.example/motd\n";
    /// t.add("server", RawResource::new("OS::Nova::Server").property("user_data", script));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0501"));
    /// ```
    CHECK: "W0501", Error, "user data is larger than Nova accepts", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let generated = user_data_sizes(model);
    for (name, server) in model.resources.iter().filter(|(_, resource)| resource.is_server()) {
        if let Some(data) = server.properties.get("user_data") {
            let help = "let the server fetch large content, or make it a file of a component's recipe";
            judge(sink, name, of_text(&data.value), &data.at, help);
        } else if let Some(size) = generated.get(name) {
            let help = "its components read attributes of many resources, which only Heat knows and which its user data \
                        carries; put the components that read them on several servers";
            judge(sink, name, *size, &server.at, help);
        }
    }
}

fn judge(sink: &mut Sink<'_, '_>, name: &str, size: usize, at: &Source, help: &str) {
    let limit = sink.limits.user_data;
    if size > limit {
        let message = format!(
            "the user data of `{name}` has {} bytes, but Nova allows at most {}",
            grouped(size),
            grouped(limit)
        );
        sink.push(CHECK.diagnostic(message).label(at, "too large for user data").help(help));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, parameter, text};
    use crate::model::{Model, Type};

    fn of(bytes: usize) -> Model {
        Sketch::new().server("db").property("db", "user_data", "x".repeat(bytes)).model
    }

    pub(in crate::check) fn failing() -> Model {
        of(49_150)
    }

    #[test]
    fn the_limit_itself_fits() {
        assert!(codes(&of(49_149)).is_empty());
    }

    #[test]
    fn what_components_read_of_other_resources_counts() {
        use crate::model::{Binding, Expr, Resource, Source};
        let reading = |count: usize| {
            let mut t = crate::author::Topology::new("demo");
            t.add("db", crate::author::RawResource::new(Resource::SERVER));
            let mut model = t.finish(crate::author::Exports::new());
            let mut component =
                crate::model::Component::new("part".into(), "db".into(), "Part".into(), Source::caller());
            for i in 0..count {
                let resource: crate::model::Name = format!("a-port-with-a-name-of-some-length-{i:05}").into();
                model.resources.insert(resource.clone(), Resource::new("OS::Neutron::Port".into(), Source::caller()));
                let value = Expr::attribute(resource, "fixed_ips", Vec::new());
                component.inputs.insert(format!("i{i}").into(), Binding { value, at: Source::caller() });
            }
            model.components.insert("db/part".into(), component);
            let limits = crate::check::Limits::default();
            crate::check::check(&model, &limits).iter().any(|diagnostic| diagnostic.code == "W0501")
        };
        assert!(!reading(500));
        assert!(reading(1_000));
    }

    #[test]
    fn known_parts_of_text_count() {
        let sketch = Sketch::new().parameter("p", Type::STR).server("db");
        let data = text(["x".repeat(30_000).into(), parameter("p"), "x".repeat(30_000).into()]);
        assert_eq!(codes(&sketch.property("db", "user_data", data).model), ["W0501"]);
    }
}
