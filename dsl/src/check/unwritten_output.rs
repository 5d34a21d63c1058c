//! W0705: an output that the recipe never writes.

use super::recipe;
use super::registry::check;
use super::sink::Sink;
use super::unused::is_own;

check! {
    /// A component type declares an output that its recipe does not write. Every run of the recipe would fail, and
    /// whatever reads the output would wait forever.
    ///
    /// In a blueprint, the compiler reports this. Here it is found in a model that was read from a file. Nothing is
    /// reported if a recipe computes the names that it writes, or runs code that wattle does not have.
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let web = t.on(server).run("web", Web::new());
    /// # let mut model = t.finish(Exports::new().entry("url", web.url));
    /// # for kind in model.declarations.values_mut() {
    /// let page = kind.outputs["url"].clone();
    /// kind.outputs.insert("page".into(), page);
    /// # }
    /// # assert!(wattle::check::finds(&model, "W0705"));
    /// ```
    ///
    /// If the recipe writes the output in a way that cannot be seen in its text, declare the output as `dynamic`:
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// # #[component(recipe = "src/check/examples/web.sh")]
    /// # struct Web { #[input(default = 80)] port: u16, #[output] url: String }
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let web = t.on(server).run("web", Web::new());
    /// # let mut model = t.finish(Exports::new().entry("url", web.url));
    /// # for kind in model.declarations.values_mut() {
    /// let mut page = kind.outputs["url"].clone();
    /// page.dynamic = true;
    /// kind.outputs.insert("page".into(), page);
    /// # }
    /// # assert!(!wattle::check::finds(&model, "W0705"));
    /// ```
    CHECK: "W0705", Error, "an output that the recipe never writes", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for kind in sink.model.declarations.values().filter(|kind| is_own(&kind.at)) {
        let is_known = |path: &[_]| !kind.recipe.tool.has_paths() || !path.is_empty();
        let outputs: Vec<_> =
            kind.outputs.iter().filter(|(_, output)| !output.dynamic && is_known(&output.path)).collect();
        if outputs.is_empty() {
            continue;
        }
        let Some(analysis) = recipe::analysis(kind, &kind.recipe.entry) else { continue };
        let names: Vec<String> =
            outputs.iter().map(|(name, output)| recipe::own_name(kind, name, &output.path)).collect();
        let never = wattle_recipe::never_written(&analysis, names.iter().map(String::as_str));
        for ((name, output), own) in outputs.iter().zip(&names).filter(|(_, own)| never.contains(&own.as_str())) {
            let meant = wattle_recipe::suggest(&analysis, own, names.iter().map(String::as_str));
            let diagnostic = CHECK
                .diagnostic(format!("the recipe of `{}` never writes the output `{name}`", kind.name))
                .label(&output.at, format!("`{}` does not write it", kind.recipe.entry))
                .help_if(meant.map(|meant| {
                    format!("it writes `{meant}` on line {}: did you mean `{own}`?", analysis.writes[meant])
                }))
                .help("write it in the recipe, or remove it; add `dynamic: true` if the recipe's text does not show that it is written");
            sink.push(diagnostic);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{codes, with_recipe};
    use crate::check::{Limits, check};
    use crate::model::Model;

    pub(in crate::check) fn failing() -> Model {
        with_recipe("#!/bin/sh\necho \"$port\" > \"${heat_outputs_path}.ulr\"\n")
    }

    #[test]
    fn what_was_meant_is_said() {
        let found = check(&failing(), &Limits::default());
        assert_eq!(found[0].help[0], "it writes `ulr` on line 2: did you mean `url`?");
    }

    #[test]
    fn what_cannot_be_known_is_not_judged() {
        assert!(codes(&with_recipe("#!/bin/sh\necho \"$port\" > \"${heat_outputs_path}.$1\"\n")).is_empty());
        assert!(codes(&with_recipe("#!/usr/bin/awk -f\nBEGIN { print ENVIRON[\"port\"] }\n")).is_empty());
        let mut dynamic = failing();
        dynamic.declarations["Db2"].outputs["url"].dynamic = true;
        assert!(codes(&dynamic).is_empty());
    }
}
