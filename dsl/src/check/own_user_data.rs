//! W0304: a server that runs components and has its own user data.

use crate::model::{Expr, Value};

use super::registry::check;
use super::sink::Sink;

check! {
    /// Where wattle's agents run components, wattle writes the user data of each server that has components, because
    /// the user data starts the agent. A `user_data` of your own would be lost, and a `user_data_format` other than
    /// `RAW` would wrap what starts the agent.
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
    /// let script = "#!/bin/sh\napt-get install -y nginx\n";
    /// let server = t.add("server", RawResource::new("OS::Nova::Server").property("user_data", script));
    /// let web = t.on(server).run("web", Web::new());
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0304"));
    /// ```
    ///
    /// Do what the script did in a component:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let web = t.on(server).run("web", Web::new());
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0304"));
    /// ```
    CHECK: "W0304", Error, "a server that runs components has its own user data", run, only Agents
}

fn run(sink: &mut Sink<'_, '_>) {
    let model = sink.model;
    let mut runs = vec![false; model.resources.len()];
    for host in sink.uses().hosts.iter().flatten() {
        runs[*host] = true;
    }
    for ((name, server), _) in
        model.resources.iter().zip(runs).filter(|((_, resource), runs)| *runs && resource.is_server())
    {
        let raw = |value: &Expr| matches!(value, Expr::Constant(Value::Str(text)) if &**text == "RAW");
        let data = server.properties.get("user_data");
        let format = server.properties.get("user_data_format").filter(|format| !raw(&format.value));
        let mut diagnostic =
            CHECK.diagnostic(format!("the server `{name}` runs components, which its user data starts"));
        if let Some(data) = data {
            diagnostic =
                diagnostic.label(&data.at, "this would be lost").help("move its work into a component on this server");
        }
        if let Some(format) = format {
            diagnostic = diagnostic
                .label(&format.at, "this would wrap the user data")
                .help("remove `user_data_format`: it is then `RAW`");
        }
        if data.is_some() || format.is_some() {
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, codes, sound};
    use crate::model::Model;

    pub(in crate::check) fn failing() -> Model {
        sound().property("db", "user_data", "#!/bin/sh").property("db", "user_data_format", "SOFTWARE_CONFIG").model
    }

    #[test]
    fn a_server_without_components_has_what_it_likes() {
        assert!(codes(&Sketch::new().server("db").property("db", "user_data", "#!/bin/sh").model).is_empty());
    }

    #[test]
    fn raw_is_raw() {
        assert!(codes(&sound().property("db", "user_data_format", "RAW").model).is_empty());
        assert_eq!(codes(&sound().property("db", "user_data_format", "HEAT_CFNTOOLS").model), ["W0304"]);
    }
}
