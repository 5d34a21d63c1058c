//! W0703: an input that the recipe never reads.

use crate::model::Declaration;

use super::recipe;
use super::registry::check;
use super::sink::Sink;
use super::unused::is_own;

check! {
    /// A component type declares an input that neither its recipe nor its teardown reads, so wiring it has no effect.
    ///
    /// Nothing is reported if a recipe computes the names that it reads, or runs code that wattle does not have.
    /// Component types of libraries are not checked.
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/web.sh")]
    /// struct Web {
    ///     #[input(default = 80)]
    ///     prot: u16,
    ///     #[output]
    ///     url: String,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let web = t.on(server).run("web", Web::new());
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0703"));
    /// ```
    ///
    /// The recipe reads `$port`, so the input must have that name:
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
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let web = t.on(server).run("web", Web::new());
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0703"));
    /// ```
    CHECK: "W0703", Warning, "an input that the recipe never reads", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for kind in sink.model.declarations.values().filter(|kind| is_own(&kind.at) && !kind.inputs.is_empty()) {
        let Some(analysis) = analysis(kind) else { continue };
        let names: Vec<String> =
            kind.inputs.iter().map(|(name, input)| recipe::own_name(kind, name, &input.path)).collect();
        let never = wattle_recipe::never_read(&analysis, names.iter().map(String::as_str));
        if never.is_empty() {
            continue;
        }
        let inputs: Vec<&str> = names.iter().map(String::as_str).collect();
        let slips =
            wattle_recipe::unknown_names(kind.recipe.tool, &recipe::entries(kind), recipe::texts(kind), &inputs);
        for ((name, input), read_as) in kind.inputs.iter().zip(&names) {
            if !never.contains(&read_as.as_str()) {
                continue;
            }
            let mut diagnostic = CHECK
                .diagnostic(format!("the recipe of `{}` never reads the input `{name}`", kind.name))
                .label(&input.at, format!("`{}` does not read it", kind.recipe.entry));
            for slip in slips.iter().filter(|slip| slip.meant.as_ref() == Some(read_as)) {
                let last = slip.name.rsplit('/').next().unwrap_or_default();
                let at = recipe::place(kind, &slip.path, slip.line, last);
                diagnostic =
                    diagnostic.label(&at, format!("nothing sets this: {}", recipe::did_you_mean(kind, slip, read_as)));
            }
            let diagnostic = diagnostic
                .help_if(misspelt(&analysis, read_as, &names))
                .help("read it in the recipe, or remove it from the declaration");
            sink.push(diagnostic);
        }
    }
}

/// The inputs among these names in the recipe that it certainly never reads.
pub(super) fn never_read<'n>(kind: &Declaration, names: &[&'n str]) -> Vec<&'n str> {
    analysis(kind).map(|analysis| wattle_recipe::never_read(&analysis, names.iter().copied())).unwrap_or_default()
}

/// A name that the recipe reads, that is not an input, and that was probably meant to be this one.
fn misspelt(analysis: &wattle_recipe::Analysis, name: &str, names: &[String]) -> Option<String> {
    let others = analysis.reads.iter().filter(|(read, _)| !names.contains(read));
    let near = crate::names::nearest(name, others.map(|(read, _)| read.as_str()))?;
    Some(format!(
        "the recipe reads `{near}` on line {}, which is not an input: did you mean `{name}`?",
        analysis.reads[near]
    ))
}

fn analysis(kind: &Declaration) -> Option<wattle_recipe::Analysis> {
    let mut analysis = recipe::analysis(kind, &kind.recipe.entry)?;
    if let Some(teardown) = &kind.recipe.teardown {
        analysis.merge(recipe::analysis(kind, teardown)?);
    }
    Some(analysis)
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{codes, with_recipe};
    use crate::model::{Content, File, Model};

    pub(in crate::check) fn failing() -> Model {
        with_recipe("#!/bin/sh\necho \"$prot\"\necho > \"${heat_outputs_path}.url\"\n")
    }

    #[test]
    fn what_only_the_teardown_reads_is_read() {
        let mut model = with_recipe("#!/bin/sh\necho > \"${heat_outputs_path}.url\"\n");
        assert!(codes(&model).contains(&"W0703"));
        let recipe = &mut model.declarations["Db2"].recipe;
        let content = Content::Text("#!/bin/sh\necho \"$port\"\n".into());
        recipe.files.push(File { path: "recipes/remove.sh".into(), content });
        recipe.teardown = Some("recipes/remove.sh".into());
        assert!(codes(&model).is_empty());
    }

    #[test]
    fn a_recipe_that_computes_names_is_not_judged() {
        assert!(
            codes(&with_recipe("#!/bin/sh\neval \"echo \\$$1\"\necho > \"${heat_outputs_path}.url\"\n")).is_empty()
        );
    }
}
