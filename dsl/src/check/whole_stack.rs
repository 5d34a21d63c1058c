//! W0907: the stack is larger than Heat accepts, and cannot be split.

use crate::lower::native;

use super::registry::check;
use super::sink::Sink;
use super::size::grouped;

check! {
    /// The model is lowered for Heat's own agents (`--lowering heat-native`), and the stack would be larger than Heat
    /// accepts, which is 1,000 resources and 524,288 bytes of template. Each component type adds a config that contains
    /// the files of its recipe, and each component adds a deployment.
    ///
    /// For wattle's agents, a large model is split into nested stacks. That is possible because no server depends on
    /// another. Deployments do depend on each other.
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
    /// for n in 0..600 {
    ///     let server = t.add(format!("server{n}"), RawResource::new("OS::Nova::Server"));
    ///     t.on(server).run("web", Web::new());
    /// }
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0907"));
    /// ```
    ///
    /// Make the stack smaller, for example by splitting the blueprint into several stacks:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// for n in 0..300 {
    ///     let server = t.add(format!("server{n}"), RawResource::new("OS::Nova::Server"));
    ///     t.on(server).run("web", Web::new());
    /// }
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0907"));
    /// ```
    CHECK: "W0907", Error, "the stack is larger than Heat accepts, and cannot be split", run, only HeatNative
}

fn run(sink: &mut Sink<'_, '_>) {
    let (limit, bytes) = (sink.limits.resources, sink.limits.template);
    let resources = native::resources(sink.model);
    let too_large = |what: String| {
        CHECK
            .diagnostic(format!("the stack has {what}"))
            .label(&sink.model.at, "Heat would refuse it, and it cannot be split into nested stacks")
            .help(
                "split the blueprint into several, each with what it needs from the others as parameters; \
                 or lower it for wattle's agents",
            )
    };
    // If the author's own resources alone are too many, report that instead.
    let diagnostic = if sink.model.resources.len() > limit {
        None
    } else if resources > limit {
        let added = resources - sink.model.resources.len();
        let what = format!(
            "{} resources, {} of them configs and deployments, but Heat allows at most {}",
            grouped(resources),
            grouped(added),
            grouped(limit)
        );
        Some(too_large(what))
    } else {
        let size = native::size(sink.model);
        (size > bytes).then(|| {
            let diagnostic =
                too_large(format!("a template of {} bytes, but Heat allows at most {}", grouped(size), grouped(bytes)));
            match native::largest(sink.model) {
                Some((kind, bytes)) => diagnostic.label(
                    &kind.at,
                    format!("the largest part is `{}`: {} bytes with its files", kind.name, grouped(bytes)),
                ),
                None => diagnostic,
            }
        })
    };
    if let Some(diagnostic) = diagnostic {
        sink.push(diagnostic);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{native_codes, sound};
    use crate::model::{Content, File, Model};

    pub(in crate::check) fn failing() -> Model {
        let mut model = sound().model;
        let content = Content::Text("x".repeat(524_288).into());
        model.declarations["Db2"].recipe.files.push(File { path: "recipes/large".into(), content });
        model
    }

    #[test]
    fn configs_and_deployments_count() {
        let of = |count: usize| {
            let mut sketch = sound();
            for n in 1..count {
                sketch = sketch.server(&format!("db{n}")).component(&format!("db{n}"), "db2", "Db2").input(
                    &format!("db{n}/db2"),
                    "port",
                    50_000,
                );
            }
            sketch.model
        };
        // Servers and their deployments, and one config.
        assert!(native_codes(&of(499)).is_empty());
        assert_eq!(native_codes(&of(500)), ["W0907"]);
    }
}
