//! W0708: a shell recipe continues after a failed command.

use wattle_recipe::{Unnoticed, Why};

use crate::model::{Declaration, Tool};

use super::recipe;
use super::registry::check;
use super::sink::Sink;
use super::unused::is_own;

check! {
    /// When a command fails, a shell continues, and the recipe succeeds if its last command does. The component then
    /// counts as done, although what it should have installed is missing.
    ///
    /// The first command for which this is certain is reported. Nothing is reported where failures end the recipe
    /// (`set -e`, `trap ... ERR`, `#!/bin/sh -e`, also in a file that the recipe sources) or where the result of the
    /// command is tested (`if`, `||`, `$?`). The last command is not reported either, nor are builtins and programs
    /// whose failure is an answer.
    ///
    /// Even in a recipe with `set -e`, failures go unnoticed after `set +e`, and so do failures of all but the last
    /// command of a pipe without `pipefail`. Of such pipes, only two kinds are reported: those that end in `tee` or a
    /// similar program, and those in which a command fetches something for a program that accepts empty input
    /// (`curl ... | sh`).
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/careless.sh")]
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
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0708"));
    /// ```
    ///
    /// Begin the recipe with `set -e`, so that it ends with the command that fails:
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/careful.sh")]
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
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0708"));
    /// ```
    CHECK: "W0708", Warning, "a shell recipe continues after a failed command", run
}

fn run(sink: &mut Sink<'_, '_>) {
    let own = sink.model.declarations.values().filter(|kind| is_own(&kind.at) && kind.recipe.tool == Tool::Shell);
    for kind in own {
        let entries = [Some(&kind.recipe.entry), kind.recipe.teardown.as_ref()];
        for entry in entries.into_iter().flatten() {
            careless(kind, entry, sink);
        }
    }
}

fn careless(kind: &Declaration, entry: &str, sink: &mut Sink<'_, '_>) {
    let Some(Unnoticed { program, line, why }) = wattle_recipe::goes_on_after(entry, recipe::texts(kind)) else {
        return;
    };
    let (label, how, otherwise) = match why {
        Why::NeverCounts => (
            "a failure of this goes unnoticed",
            "begin the recipe with `set -e`, so that it ends with the first command that fails",
            "or handle the failure: `|| exit`, or `|| true` if it does not matter",
        ),
        Why::NoLongerCounts => (
            "after `set +e`, a failure of this goes unnoticed",
            "check its exit status (`status=$?`), or write `|| true` if it does not matter",
            "then make failures count again with `set -e`",
        ),
        Why::Piped => (
            "a pipe has the exit status of its last command, so a failure of this goes unnoticed",
            "in a recipe for bash, add `set -o pipefail`",
            "in any shell, write to a file first and read that",
        ),
    };
    let diagnostic = CHECK
        .diagnostic(format!("the recipe of `{}` continues when `{program}` fails", kind.name))
        .label(&recipe::place(kind, entry, line, &program), label)
        .help(how)
        .help(otherwise);
    sink.push(diagnostic);
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{codes, with_recipe};
    use crate::check::{Limits, check};
    use crate::model::{Content, File, Model};

    pub(in crate::check) fn failing() -> Model {
        with_recipe("#!/bin/sh\n  tar -xf app.tar\necho \"$port\" > \"${heat_outputs_path}.url\"\n")
    }

    #[test]
    fn the_command_is_named_at_its_place() {
        let found = check(&failing(), &Limits::default());
        let at = &found[0].labels[0].at;
        assert_eq!((&*at.file, at.line, at.column), ("recipes/db2.sh", 2, 3));
        assert_eq!(found[0].message, "the recipe of `Db2` continues when `tar` fails");
    }

    #[test]
    fn teardowns_are_recipes_as_well() {
        let mut model = with_recipe("#!/bin/sh\nset -e\ntar -x\necho \"$port\" > \"${heat_outputs_path}.url\"\n");
        assert!(codes(&model).is_empty());
        let recipe = &mut model.declarations["Db2"].recipe;
        recipe.files[0].content = Content::Text("#!/bin/sh\necho \"$port\" > \"${heat_outputs_path}.url\"\n".into());
        let content = Content::Text("#!/bin/sh\numount /data\necho gone\n".into());
        recipe.files.push(File { path: "recipes/remove.sh".into(), content });
        recipe.teardown = Some("recipes/remove.sh".into());
        assert_eq!(codes(&model), ["W0708"]);
    }
}
