//! W0711: a recipe shows a secret.

use wattle_recipe::{How, Shown};

use crate::model::Declaration;

use super::recipe;
use super::registry::check;
use super::sink::Sink;
use super::unused::is_own;

check! {
    /// A recipe prints a secret input, or writes it into an output that is not secret. What a recipe prints is in the
    /// log of its component. Agents mask secrets of four or more characters there, but masking is only a safety net:
    /// it does not recognize what a recipe derives from a secret. The agent refuses an output that is not secret
    /// but contains a secret, once the recipe has run.
    ///
    /// Only certain cases are reported: `echo`, `printf` and a heredoc for `cat` whose output goes neither to a file
    /// nor to another program; a command with the secret after `set -x`; `env`, `printenv` and `export -p` by
    /// themselves; `debug` and `fail` of Ansible without `no_log`; and `notify` and `notice` of Puppet. A variable that
    /// the recipe itself sets is not reported.
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/telling.sh")]
    /// struct Login {
    ///     #[input]
    ///     password: Secret<String>,
    ///     #[output]
    ///     digest: String,
    /// }
    /// # #[derive(Parameters)]
    /// # struct Settings { #[parameter] password: Parameter<Secret<String>> }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let login = t.on(server).run("login", Login::new().password(p.password));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("digest", login.digest)), "W0711"));
    /// ```
    ///
    /// Leave the secret out of what is printed:
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/discreet.sh")]
    /// struct Login {
    ///     #[input]
    ///     password: Secret<String>,
    ///     #[output]
    ///     digest: String,
    /// }
    /// # #[derive(Parameters)]
    /// # struct Settings { #[parameter] password: Parameter<Secret<String>> }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let p = <Settings as wattle::author::Parameters>::declare(&mut t);
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let login = t.on(server).run("login", Login::new().password(p.password));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("digest", login.digest)), "W0711"));
    /// ```
    CHECK: "W0711", Warning, "a recipe shows a secret", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for kind in sink.model.declarations.values().filter(|kind| is_own(&kind.at)) {
        for entry in recipe::entries(kind) {
            shown(kind, entry, sink);
        }
    }
}

fn shown(kind: &Declaration, entry: &str, sink: &mut Sink<'_, '_>) {
    let secrets: Vec<&str> =
        kind.inputs.iter().filter(|(_, input)| input.ty.is_secret()).map(|(name, _)| &**name).collect();
    let plain: Vec<&str> =
        kind.outputs.iter().filter(|(_, output)| !output.ty.is_secret()).map(|(name, _)| &**name).collect();
    let Some((_, source)) = recipe::texts(kind).find(|(path, _)| *path == entry) else { return };
    let Some(Shown { name, line, how }) = wattle_recipe::shows(kind.recipe.tool, source, &secrets, &plain) else {
        return;
    };
    let whose = format!("the recipe of `{}`", kind.name);
    let mask = "the agent masks secrets of four or more characters in the log, but masking is only a safety net";
    let (message, label, word, note, help) = match &how {
        How::Printed { by } => (
            format!("{whose} prints the secret `{name}`"),
            format!("`{by}` writes it into the log of the component"),
            by.as_str(),
            Some(mask),
            "leave it out, or send it where it is needed: to a file, or to another program".to_owned(),
        ),
        How::Traced => (
            format!("{whose} prints the secret `{name}`"),
            "with `set -x`, the shell writes this command into the log, with the value of the secret".to_owned(),
            name.as_str(),
            Some(mask),
            "write `set +x` before the first command that uses a secret".to_owned(),
        ),
        How::Environment { by } => (
            format!("{whose} prints all variables, the secret `{name}` among them"),
            format!("`{by}` writes them into the log of the component"),
            by.as_str(),
            Some(mask),
            "print only the variables that you want to see".to_owned(),
        ),
        How::Written { output } => (
            format!("{whose} writes the secret `{name}` into the output `{output}`, which is not secret"),
            "everybody could read it, so the agent refuses the output once the recipe has run".to_owned(),
            name.as_str(),
            None,
            format!("declare `{output}` as `Secret<...>`, or leave the secret out"),
        ),
    };
    let diagnostic = CHECK.diagnostic(message).label(&recipe::place(kind, entry, line, word), label).help(help);
    sink.push(match note {
        Some(note) => diagnostic.note(note),
        None => diagnostic,
    });
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{Sketch, output, parameter, secret};
    use crate::check::{Limits, check};
    use crate::model::{Content, Model, Type};

    fn with(text: &str) -> Model {
        let sketch = Sketch::new().parameter("password", secret(Type::STR)).server("db");
        let kinds = sketch.kind("Login", &[("password", secret(Type::STR))], &[("digest", Type::STR)]);
        let wired = kinds.component("db", "login", "Login").input("db/login", "password", parameter("password"));
        let mut model = wired.export("digest", Type::STR, output("db/login", "digest")).model;
        let text = format!("#!/bin/sh\nset -e\n{text}\nprintf x >\"${{heat_outputs_path}}.digest\"\n");
        model.declarations["Login"].recipe.files[0].content = Content::Text(text.into());
        model
    }

    pub(in crate::check) fn failing() -> Model {
        with("  echo \"logging in with $password\"")
    }

    #[test]
    fn how_a_secret_is_shown_is_said() {
        let said = |text: &str| {
            let found = check(&with(text), &Limits::default());
            let [one] = &*found else { panic!("{text}: {found:?}") };
            assert_eq!((one.code, one.labels[0].at.line), ("W0711", 4), "{text}");
            (one.message.clone(), one.labels[0].text.clone())
        };
        let (message, label) = said("\nprintf '%s' \"$password\"");
        assert_eq!(message, "the recipe of `Login` prints the secret `password`");
        assert_eq!(label, "`printf` writes it into the log of the component");
        let (_, label) = said("set -x\ncurl -fu \"x:$password\" http://x");
        assert!(label.starts_with("with `set -x`, the shell writes this command"), "{label}");
        let (message, _) = said(": \"$password\"\nenv");
        assert_eq!(message, "the recipe of `Login` prints all variables, the secret `password` among them");
        let (message, label) = said("\necho \"$password\" >\"${heat_outputs_path}.digest\"");
        assert!(message.ends_with("into the output `digest`, which is not secret"), "{message}");
        assert!(label.contains("the agent refuses the output"), "{label}");
    }

    #[test]
    fn an_output_may_be_a_secret() {
        let mut model = with("echo \"$password\" >\"${heat_outputs_path}.digest\"");
        model.declarations["Login"].outputs["digest"].ty = secret(Type::STR);
        assert!(!check(&model, &Limits::default()).iter().any(|one| one.code == "W0711"));
    }
}
