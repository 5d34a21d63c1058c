//! W0501: user data that Nova would not take.

use super::registry::check;
use super::sink::Sink;
use super::size::{grouped, of_text};

check! {
    /// A server's user data is larger than Nova takes: 65,535 bytes of base64, which are 49,149 bytes.
    ///
    /// Heat does not look at this; Nova refuses the server when it is created.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let script = format!("#!/bin/sh\ncat > /etc/motd <<END\n{}\nEND\n", "welcome\n".repeat(10_000));
    /// t.add("server", RawResource::new("OS::Nova::Server").property("user_data", script));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0501"));
    /// ```
    ///
    /// What is large is fetched by the server itself, or is a file of a component's recipe, which does not travel in the
    /// user data:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// let script = "#!/bin/sh\ncurl -o /etc/motd http://files.example/motd\n";
    /// t.add("server", RawResource::new("OS::Nova::Server").property("user_data", script));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0501"));
    /// ```
    USER_DATA_SIZE: "W0501", Error, "user data is larger than Nova takes", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for (name, server) in sink.model.resources.iter().filter(|(_, resource)| resource.is_server()) {
        let Some(data) = server.properties.get("user_data") else { continue };
        let (size, limit) = (of_text(&data.value), sink.limits.user_data);
        if size > limit {
            let finding = USER_DATA_SIZE
                .finding(format!(
                    "the user data of `{name}` is {} bytes, and Nova takes {}",
                    grouped(size),
                    grouped(limit)
                ))
                .label(&data.at, "too large to be user data")
                .help("let the server fetch what is large, or make it a file of a component's recipe");
            sink.push(finding);
        }
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
    fn known_parts_of_text_count() {
        let sketch = Sketch::new().parameter("p", Type::String).server("db");
        let data = text(["x".repeat(30_000).into(), parameter("p"), "x".repeat(30_000).into()]);
        assert_eq!(codes(&sketch.property("db", "user_data", data).model), ["W0501"]);
    }
}
