//! W0710: a recipe defines something that it never runs.

use wattle_recipe::{Definition, NeverRun};

use crate::model::Declaration;

use super::recipe;
use super::registry::check;
use super::sink::Sink;
use super::unused::is_own;

check! {
    /// A recipe defines something and never runs it: a function that a shell recipe never calls, a class or a defined
    /// type of Puppet that nothing uses, a virtual resource of Puppet that nothing realizes, or a handler of a playbook
    /// that no task notifies. The recipe succeeds without it, and the component counts as done.
    ///
    /// A function is reported only if it does something that may fail, and only if its name appears nowhere else.
    /// Nothing is reported where a recipe runs what it computes (`"$@"`, `eval`, `include $classes`,
    /// `notify: "{{ handler }}"`), or includes files that are not known.
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/uncalled.sh")]
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
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0710"));
    /// ```
    ///
    /// Call the function, or remove it:
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/called.sh")]
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
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0710"));
    /// ```
    CHECK: "W0710", Warning, "a recipe defines something that it never runs", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for kind in sink.model.declarations.values().filter(|kind| is_own(&kind.at)) {
        for entry in recipe::entries(kind) {
            idle(kind, entry, sink);
        }
    }
}

fn idle(kind: &Declaration, entry: &str, sink: &mut Sink<'_, '_>) {
    let Some(NeverRun { kind: definition, name, line }) =
        wattle_recipe::never_run(kind.recipe.tool, entry, recipe::texts(kind))
    else {
        return;
    };
    let (what, label, help) = match definition {
        Definition::Function => ("calls the function", "nothing calls this", format!("call it: `{name}`")),
        Definition::Class => ("includes the class", "nothing includes this", format!("include it: `include {name}`")),
        Definition::DefinedType => {
            ("uses the type", "no resource has this type", format!("declare one: `{name} {{ 'title': }}`"))
        }
        Definition::Handler => (
            "notifies the handler",
            "no task notifies this",
            format!("notify it from the task that it is for: `notify: {name}`"),
        ),
        Definition::Virtual => {
            ("realizes the virtual", "nothing realizes this", "realize it, or remove the `@` in front of it".to_owned())
        }
    };
    let diagnostic = CHECK
        .diagnostic(format!("the recipe of `{}` never {what} `{name}`", kind.name))
        .label(&recipe::place(kind, entry, line, &name), label)
        .help(help)
        .help("or remove it");
    sink.push(diagnostic);
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::with_recipe;
    use crate::model::Model;

    pub(in crate::check) fn failing() -> Model {
        with_recipe(
            "#!/bin/sh\nset -e\nmain() {\n  tar -xf app.tar\n}\necho \"$port\" > \"${heat_outputs_path}.url\"\n",
        )
    }
}
