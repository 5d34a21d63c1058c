//! W0105: an input is wired more than once.

use crate::model::ElementKind;

use super::registry::check;
use super::sink::Sink;

check! {
    /// An input of a component is wired more than once, but only the last value would count.
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
    /// let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let web = t.on(server).run("web", Web::new().port(8080).port(8443));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0105"));
    /// ```
    ///
    /// Wire it once:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let web = t.on(server).run("web", Web::new().port(8443));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0105"));
    /// ```
    CHECK: "W0105", Error, "an input is wired more than once", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for duplicate in sink.model.duplicates.iter().filter(|duplicate| duplicate.kind == ElementKind::Input) {
        // `SERVER/COMPONENT.INPUT`; the names of servers may have dots, those of inputs have none.
        let message = match duplicate.name.rsplit_once('.') {
            Some((component, input)) => format!("the input `{input}` of `{component}` is wired more than once"),
            None => format!("the input `{}` is wired more than once", duplicate.name),
        };
        let diagnostic = CHECK
            .diagnostic(message)
            .label(&duplicate.again, "wired again here")
            .label(&duplicate.first, "wired first here")
            .help("keep one of them");
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::Sketch;
    use crate::model::{Duplicate, ElementKind, Model, Type};

    pub(in crate::check) fn failing() -> Model {
        let mut sketch =
            Sketch::new().server("db").kind("Web", &[("port", Type::FLOAT)], &[]).component("db", "web", "Web");
        let first = sketch.at();
        sketch = sketch.input("db/web", "port", 80);
        let again = sketch.model.components["db/web"].inputs["port"].at.clone();
        sketch.model.duplicates.push(Duplicate { kind: ElementKind::Input, name: "db/web.port".into(), first, again });
        sketch.model
    }
}
