//! W0707: a recipe reads a name that nothing sets.

use crate::model::{Input, Name};

use super::recipe;
use super::registry::check;
use super::sink::Sink;
use super::unread_input;
use super::unused::is_own;

check! {
    /// A recipe reads a variable that is not an input and that nothing sets. Either an input is misspelt, or it was
    /// never declared. A shell continues with an empty value. Other tools fail when they reach the variable, or
    /// continue with an empty value as well.
    ///
    /// The following names are not reported:
    ///
    /// - names that the recipe sets itself, in any order, and names that have a default;
    /// - names that the recipe tests for (`[ -n "$name" ]`);
    /// - names that the system provides: variables of shells and sessions, facts, and Ansible's own variables.
    ///
    /// Nothing is reported if the recipe computes names, or includes code that wattle does not have. In some cases a
    /// name is reported only if it is almost the name of an input: facts that are read by name, attributes outside of
    /// the cookbook's own (which a machine may have), a shell's variables with a default, and names in a cookbook of
    /// several recipes. In a Salt state, a variable is never an input, because inputs are in the pillar.
    ///
    /// ```standalone_crate
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/slip.sh")]
    /// struct Greeter {
    ///     #[input]
    ///     name: String,
    ///     #[output]
    ///     greeting: String,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let greeter = t.on(server).run("greeter", Greeter::new().name("you"));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("greeting", greeter.greeting)), "W0707"));
    /// ```
    ///
    /// The recipe reads `$naem` in one place. Let it read `$name` there, as it does elsewhere:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// #[component(recipe = "src/check/examples/greet.sh")]
    /// struct Greeter {
    ///     #[input]
    ///     name: String,
    ///     #[output]
    ///     greeting: String,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// # let greeter = t.on(server).run("greeter", Greeter::new().name("you"));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("greeting", greeter.greeting)), "W0707"));
    /// ```
    CHECK: "W0707", Warning, "a recipe reads a name that nothing sets", run
}

fn run(sink: &mut Sink<'_, '_>) {
    for kind in sink.model.declarations.values().filter(|kind| is_own(&kind.at)) {
        let own = |(name, input): (&Name, &Input)| recipe::own_name(kind, name, &input.path);
        let names: Vec<String> = kind.inputs.iter().map(own).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = wattle_recipe::unknown_names(kind.recipe.tool, &recipe::entries(kind), recipe::texts(kind), &names);
        if found.is_empty() {
            continue;
        }
        let never = unread_input::never_read(kind, &names);
        for unknown in &found {
            let last = unknown.name.rsplit('/').next().unwrap_or_default();
            let place = recipe::place(kind, &unknown.path, unknown.line, last);
            let diagnostic = CHECK
                .diagnostic(format!("the recipe of `{}` reads `{}`, which is not defined", kind.name, unknown.name))
                .label(&place, "nothing sets this");
            let Some(meant) = &unknown.meant else {
                let spare = wattle_recipe::sparing(kind.recipe.tool, &unknown.name);
                sink.push(
                    diagnostic
                        .help(format!("declare it as an input of `{}`, or set it in the recipe", kind.name))
                        .help(format!("if it is optional, write `{spare}` where it is read")),
                );
                continue;
            };
            // W0703 reports an input that is never read.
            let at = names.iter().position(|name| name == meant && !never.contains(name));
            if let Some((input, declared)) = at.and_then(|at| kind.inputs.get_index(at)) {
                let diagnostic = diagnostic.label(&declared.at, format!("the input `{input}`"));
                sink.push(diagnostic.help(recipe::did_you_mean(kind, unknown, meant)));
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{codes, with_recipe};
    use crate::check::{Limits, check};
    use crate::model::{Content, File, Model, Tool};

    pub(in crate::check) fn failing() -> Model {
        with_recipe("#!/bin/sh\necho \"$port\"\necho \"on $prot\" > \"${heat_outputs_path}.url\"\n")
    }

    #[test]
    fn the_place_in_the_recipe_and_what_was_meant_are_said() {
        let found = check(&failing(), &Limits::default());
        let at = &found[0].labels[0].at;
        assert_eq!((&*at.file, at.line, at.column), ("recipes/db2.sh", 3, 11));
        assert_eq!(found[0].help, ["did you mean `port`?"]);
    }

    #[test]
    fn what_is_like_no_input_is_said_to_be_undeclared() {
        let text = "#!/bin/sh\necho \"$port $database\" > \"${heat_outputs_path}.url\"\n";
        let found = check(&with_recipe(text), &Limits::default());
        assert_eq!(found.iter().map(|one| one.code).collect::<Vec<_>>(), ["W0707"]);
        assert!(found[0].help[1].contains("`${database:-}`"), "{:?}", found[0].help);
    }

    #[test]
    fn of_a_state_the_pillar_is_named() {
        let text = "x:\n  test.nop:\n    - x: {{ port }} {{ pillar['port'] }}\n\"{{ pillar['heat_outputs_path'] }}.url\":\n  file.managed: []\n";
        let mut model = with_recipe("");
        let recipe = &mut model.declarations["Db2"].recipe;
        recipe.tool = Tool::Salt;
        recipe.entry = "recipes/db2.sls".into();
        recipe.files = vec![File { path: "recipes/db2.sls".into(), content: Content::Text(text.into()) }];
        let found = check(&model, &Limits::default());
        assert_eq!(found.iter().map(|one| one.code).collect::<Vec<_>>(), ["W0707"]);
        assert_eq!(found[0].help, ["did you mean `pillar['port']`?"]);
    }

    #[test]
    fn what_the_recipe_sets_is_no_slip() {
        let text = "#!/bin/sh\nprot=$port\necho \"on $prot\" > \"${heat_outputs_path}.url\"\n";
        assert!(codes(&with_recipe(text)).is_empty());
    }
}
