//! W0702: a parameter that is never used.

use super::registry::check;
use super::sink::Sink;

check! {
    /// A parameter is declared but not used, so the person who deploys the stack chooses a value that has no effect.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// #[derive(Parameters)]
    /// struct Settings {
    ///     /// Glance image of every server.
    ///     #[parameter]
    ///     image: Parameter<String>,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// t.add("server", RawResource::new("OS::Nova::Server").property("image", "debian-12"));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0702"));
    /// ```
    ///
    /// Use the parameter, or remove it:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[derive(Parameters)]
    /// # struct Settings { #[parameter] image: Parameter<String> }
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// t.add("server", RawResource::new("OS::Nova::Server").property("image", p.image));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0702"));
    /// ```
    CHECK: "W0702", Warning, "a parameter that is never used", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let used = &sink.uses().parameters;
    for ((name, parameter), _) in sink.model.parameters.iter().zip(used).filter(|(_, used)| !**used) {
        let diagnostic = CHECK
            .diagnostic(format!("the parameter `{name}` is never used"))
            .label(&parameter.at, "declared here")
            .help("use it, or remove it");
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{codes, parameter, sound, text};
    use crate::model::{Model, Type};

    pub(in crate::check) fn failing() -> Model {
        sound().parameter("image", Type::STR).model
    }

    #[test]
    fn a_use_within_text_counts() {
        let sketch = sound().parameter("image", Type::STR);
        assert!(codes(&sketch.property("db", "name", text(["on ".into(), parameter("image")])).model).is_empty());
    }
}
