//! W0909: a user data format that heat-agents cannot use.

use crate::model::{Expr, Value};

use super::registry::check;
use super::sink::Sink;

/// The format in which a server receives its deployments.
const NEEDED: &str = "SOFTWARE_CONFIG";

check! {
    /// A server runs components, and the model is lowered for Heat's own agents (`--lowering heat-native`). They learn
    /// what to run only if the user data has the format `SOFTWARE_CONFIG`. If the server does not set a format, this
    /// one is used.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// let server = RawResource::new("OS::Nova::Server").property("user_data_format", "RAW");
    /// let server = t.add("server", server);
    /// let web = t.on(server).run("web", Web::new());
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0909"));
    /// ```
    ///
    /// Leave the format out. A `user_data` of your own, which may install the agents, is kept:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// let server = RawResource::new("OS::Nova::Server").property("user_data", "#!/bin/sh\ninstall-heat-agents\n");
    /// let server = t.add("server", server);
    /// let web = t.on(server).run("web", Web::new());
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0909"));
    /// ```
    CHECK: "W0909", Error, "a user data format that heat-agents cannot use", run, only HeatNative
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let hosts: std::collections::HashSet<_> = model.components.values().map(|component| &component.server).collect();
    let servers = model.resources.iter().filter(|(name, resource)| resource.is_server() && hosts.contains(name));
    for (name, server) in servers {
        let Some(format) = server.properties.get("user_data_format") else { continue };
        if matches!(&format.value, Expr::Constant(Value::Str(text)) if &**text == NEEDED) {
            continue;
        }
        let diagnostic = CHECK
            .diagnostic(format!("the server `{name}` runs components, but Heat's agents would not find out about them"))
            .label(&format.at, format!("they find out only with `{NEEDED}`"))
            .help(format!("remove `user_data_format`: it is then `{NEEDED}`"));
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{native_codes, parameter, sound};
    use crate::model::{Model, Type};

    pub(in crate::check) fn failing() -> Model {
        sound().property("db", "user_data_format", "RAW").model
    }

    #[test]
    fn the_format_that_is_needed_may_be_said() {
        assert!(native_codes(&sound().property("db", "user_data_format", "SOFTWARE_CONFIG").model).is_empty());
        let unknown = sound().parameter("format", Type::STR).property("db", "user_data_format", parameter("format"));
        assert_eq!(native_codes(&unknown.model), ["W0909"]);
    }

    #[test]
    fn user_data_comes_along() {
        assert!(native_codes(&sound().property("db", "user_data", "#!/bin/sh").model).is_empty());
    }
}
