//! W0708: a shell recipe continues after a failed command.

use wattle_recipe::{Unnoticed, Why};

use crate::model::Declaration;

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
    /// whose failure is an answer. A command after `||` is reported if it does something that is missing
    /// (`[ -d app ] || mkdir app`), because nothing handles its own failure. A trap on `ERR` that does not end the recipe
    /// changes nothing, and a trap that ends it with `exit 0` hides the failure.
    ///
    /// Even in a recipe with `set -e`, failures go unnoticed after `set +e`, and so do failures of all but the last
    /// command of a pipe without `pipefail`. Of such pipes, only two kinds are reported: those that end in `tee` or a
    /// similar program, and those in which a command fetches something for a program that accepts empty input
    /// (`curl ... | sh`).
    ///
    /// `set -e` does not apply where the exit status of a command is tested (`if`, `&&`, `||`, `!`), and therefore not
    /// within a function that is called there: `install || exit` continues in the middle of `install`. The same holds
    /// for commands in braces and parentheses. A function that ends with a test is not reported, and neither is
    /// `install || true`.
    ///
    /// `local x=$(...)` and `export x=$(...)` succeed whatever runs within them, and so do `echo "$(curl ...)" >file`,
    /// `for x in $(curl ...)`, and a loop that reads `< <(...)`. Bash clears `set -e` in substitutions unless
    /// `shopt -s inherit_errexit` is set: `x=$(cd app; make)` continues if `cd` fails, and so does a function in
    /// `x=$(f)`. `wait` succeeds however the background command ended; `wait "$pid"` does not.
    ///
    /// A shell that the recipe starts (`sh -c '...'`, `ssh HOST '...'`) has no `set -e` of its own. The same holds for
    /// `shell:` in a playbook, `exec` in a manifest, `cmd.run` in a Salt state, and `bash`, `script` and `execute` in a
    /// cookbook, also in files that the recipe includes: a role, a class, a state. A script among the recipe's files
    /// that it runs (`./install.sh`, `script:` in a playbook, `cmd.script` in a Salt state) needs its own `set -e`:
    /// that of its caller has no effect there. An Ansible task with `poll: 0` is reported unless an `async_status`
    /// checks its result.
    ///
    /// In a list such as `cd app && make`, `set -e` applies only to the last command: if `cd` fails, the recipe
    /// continues after the list. Only programs that do something are reported there, because others are tests.
    ///
    /// Some programs succeed although they have failed, and are reported unless an option changes that: `curl` that
    /// saves an error page (`--fail`), `psql` that runs a script (`-v ON_ERROR_STOP=1`), and `find` with `-exec ... ;`.
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
    let own = sink.model.declarations.values().filter(|kind| is_own(&kind.at));
    for kind in own {
        let entries = [Some(&kind.recipe.entry), kind.recipe.teardown.as_ref()];
        for entry in entries.into_iter().flatten() {
            careless(kind, entry, sink);
        }
    }
}

fn careless(kind: &Declaration, entry: &str, sink: &mut Sink<'_, '_>) {
    let found = wattle_recipe::goes_on_after(kind.recipe.tool, entry, recipe::texts(kind));
    let Some(Unnoticed { file, program, line, why }) = found else { return };
    let file = file.as_deref().unwrap_or(entry);
    let [label, how, otherwise] = words(&why);
    let diagnostic = CHECK
        .diagnostic(format!("the recipe of `{}` continues when `{program}` fails", kind.name))
        .label(&recipe::place(kind, file, line, &program), label)
        .help(how)
        .help(otherwise);
    sink.push(diagnostic);
}

/// The label, and two ways to fix it.
fn words(why: &Why) -> [String; 3] {
    let fixed: [&str; 3] = match why {
        Why::NeverCounts => [
            "a failure of this goes unnoticed",
            "begin the recipe with `set -e`, so that it ends with the first command that fails",
            "or handle the failure: `|| exit`, or `|| true` if it does not matter",
        ],
        Why::NotYetCounts => [
            "this comes before `set -e`, so a failure of it goes unnoticed",
            "begin the recipe with `set -e`",
            "or handle the failure: `|| exit`, or `|| true` if it does not matter",
        ],
        Why::Joined => [
            "`set -e` does not apply to a command before `&&`, so a failure of this goes unnoticed",
            "write each command on a line of its own, without `&&`",
            "or handle the failure after the last one: `|| exit`, or `|| true` if it does not matter",
        ],
        Why::NoLongerCounts => [
            "after `set +e`, a failure of this goes unnoticed",
            "check its exit status (`status=$?`), or write `|| true` if it does not matter",
            "then turn `set -e` on again",
        ],
        Why::Piped => [
            "a pipe has the exit status of its last command, so a failure of this goes unnoticed",
            "in a recipe for bash, add `set -o pipefail`",
            "in any shell, write to a file first, and read the file",
        ],
        Why::OwnShell => [
            "the shell that runs this has no `set -e`, so a failure of this goes unnoticed",
            "give it one: `sh -ec '...'`, or `set -e` as the first command of the text",
            "or join its commands with `&&`",
        ],
        Why::Cleared { function: None } => [
            "bash clears `set -e` within `$(...)`, so a failure of this goes unnoticed",
            "add `shopt -s inherit_errexit`",
            "or join the commands with `&&`",
        ],
        Why::Cleared { function: Some((name, line)) } => {
            return [
                format!(
                    "line {line} calls `{name}` within `$(...)`, where bash clears `set -e`, so a failure of this goes unnoticed"
                ),
                "add `shopt -s inherit_errexit`".to_owned(),
                "or end the command with `|| return`, or `|| true` if its failure does not matter".to_owned(),
            ];
        }
        Why::Background => [
            "`wait` does not say how this ended, so a failure of it goes unnoticed",
            "keep its process ID (`pid=$!`) and wait for it: `wait \"$pid\"`",
            "or handle the failure in the background: `|| touch failed`, and check for the file",
        ],
        Why::Unpolled => [
            "with `poll: 0`, Ansible does not check how this ended, so a failure of it goes unnoticed",
            "check later with an `async_status` task, and `until: job.finished`",
            "or leave out `poll: 0`, so that Ansible waits for it",
        ],
        Why::Asked { function: None } => [
            "`set -e` does not apply where `if`, `&&`, `||` or `!` tests how the commands end, so a failure of this goes unnoticed",
            "join the commands with `&&`",
            "or end each with `|| exit`, or `|| true` if it does not matter",
        ],
        Why::Asked { function: Some((name, line)) } => {
            return [
                format!(
                    "line {line} tests how `{name}` ends, so `set -e` does not apply here, and a failure of this goes unnoticed"
                ),
                "end the command with `|| return`, or `|| true` if its failure does not matter".to_owned(),
                format!("or call `{name}` by itself, without `if`, `&&`, `||` or `!`"),
            ];
        }
        Why::Forgiven { line } => {
            return [
                format!("the trap of line {line} ends the recipe with success, so a failure of this goes unnoticed"),
                "leave out its `exit 0`: the recipe then ends as it would without the trap".to_owned(),
                "or keep the exit status: `status=$?` first, and `exit \"$status\"` last".to_owned(),
            ];
        }
        Why::Content { what, fix } => {
            return [
                format!("this succeeds although {what}, so the failure goes unnoticed"),
                (*fix).to_owned(),
                "or check the result".to_owned(),
            ];
        }
        Why::Substituted { name, by } => {
            return [
                format!("`{by}` does not fail when the substitution fails, so a failure of this goes unnoticed"),
                format!("assign in a separate command: `{name}=$(...)`"),
                "or handle the failure inside the substitution: `|| true` if it does not matter".to_owned(),
            ];
        }
    };
    fixed.map(str::to_owned)
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
    fn why_set_e_does_not_apply_is_said() {
        let write = "echo \"$port\" > \"${heat_outputs_path}.url\"\n";
        let said = |text: &str| {
            let mut model = failing();
            let shell = if text.contains("x=$(") { "bash" } else { "sh" };
            let text = format!("#!/bin/{shell}\nset -e\n{text}{write}");
            model.declarations["Db2"].recipe.files[0].content = Content::Text(text.clone().into());
            let found = check(&model, &Limits::default());
            let [one] = &*found else { panic!("{text}: {found:?}") };
            (one.labels[0].at.line, one.labels[0].text.clone(), one.help[0].clone())
        };
        let (line, label, help) = said("install() {\n  tar -x\n  make\n}\nif ! install; then exit 1; fi\n");
        assert_eq!(line, 4);
        assert!(label.starts_with("line 7 tests how `install` ends, so `set -e` does not apply here"), "{label}");
        assert!(help.contains("`|| return`"), "{help}");
        let (line, label, help) = said("(cd /opt; make) || exit\n");
        assert_eq!((line, help.as_str()), (3, "join the commands with `&&`"));
        assert!(label.starts_with("`set -e` does not apply where"), "{label}");
        let (line, label, help) = said("export key=$(gpg --export)\n");
        assert_eq!((line, help.as_str()), (3, "assign in a separate command: `key=$(...)`"));
        assert!(label.starts_with("`export` does not fail when the substitution fails"), "{label}");
        let (line, label, help) = said("x=$(cd /opt; make)\n");
        assert_eq!((line, help.as_str()), (3, "add `shopt -s inherit_errexit`"));
        assert!(label.starts_with("bash clears `set -e` within `$(...)`"), "{label}");
        let (line, label, help) = said("tar -x &\nwait\n");
        assert_eq!(line, 3);
        assert!(label.starts_with("`wait` does not say how this ended"), "{label}");
        assert!(help.contains("`wait \"$pid\"`"), "{help}");
        let (line, label, help) = said("cd /opt/app && make\n");
        assert_eq!((line, help.as_str()), (3, "write each command on a line of its own, without `&&`"));
        assert!(label.starts_with("`set -e` does not apply to a command before `&&`"), "{label}");
        let (line, label, help) = said("curl -o app.tar http://example.org/app.tar\n");
        assert_eq!((line, help.as_str()), (3, "add `--fail`"));
        assert!(label.starts_with("this succeeds although the server answers with an error"), "{label}");
        let (line, label, help) = said("trap 'rm -f app.tar; exit 0' EXIT\ntar -x\n");
        assert_eq!(line, 4);
        assert!(label.starts_with("the trap of line 3 ends the recipe with success"), "{label}");
        assert!(help.contains("`exit 0`"), "{help}");
        let (line, label, help) = said("su - app -c 'cd site\nmake\necho done'\n");
        assert_eq!(line, 3);
        assert!(label.starts_with("the shell that runs this has no `set -e`"), "{label}");
        assert!(help.contains("`sh -ec '...'`"), "{help}");
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
