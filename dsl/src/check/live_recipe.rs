//! W0902: a recipe that uses commands of wattle's agent, which heat-agents do not have.

use crate::model::{Content, Declaration};

use super::registry::check;
use super::sink::Sink;

check! {
    /// A recipe calls `wattle get` or `wattle set`, but the model is lowered for Heat's own agents
    /// (`--lowering heat-native`), which have neither. Heat passes inputs when a component starts, and takes outputs
    /// when it is done.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// // port=$(wattle get port)
    /// // wattle set url "http://localhost:$port"
    /// #[component(recipe = "src/check/examples/live.sh")]
    /// struct Web {
    ///     #[input(default = 80)]
    ///     port: u16,
    ///     #[output]
    ///     url: String,
    /// }
    ///
    /// # let mut t = Topology::new("demo");
    /// # let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let web = t.on(server).run("web", Web::new());
    /// # assert!(wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0902"));
    /// ```
    ///
    /// Read inputs from variables, and write outputs to files:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// // echo "http://localhost:$port" > "${heat_outputs_path}.url"
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
    /// let web = t.on(server).run("web", Web::new());
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new().entry("url", web.url)), "W0902"));
    /// ```
    CHECK: "W0902", Error, "a recipe uses commands that heat-agents do not have", run, only HeatNative
}

/// Commands and variables that only wattle's agent provides.
const TALK: [&str; 4] = ["wattle get", "wattle set", "WATTLE_SOCKET", "WATTLE_TOKEN"];

fn run(sink: &mut Sink<'_, '_>) {
    for kind in sink.model.declarations.values() {
        let Some((path, line, talk)) = talk(kind) else { continue };
        let diagnostic = CHECK
            .diagnostic(format!("the recipe of `{}` talks to wattle's agent, which Heat does not have", kind.name))
            .label(&kind.at, format!("`{path}` has `{talk}` on line {line}"))
            .help("read inputs from the environment, and write outputs to `${heat_outputs_path}.NAME`");
        sink.push(diagnostic);
    }
}

/// The first line of a kind's files that is not a comment and talks to the agent.
fn talk(kind: &Declaration) -> Option<(&str, usize, &'static str)> {
    kind.recipe.files.iter().find_map(|file| {
        let Content::Text(text) = &file.content else { return None };
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with('#'));
        let mut found = lines.filter_map(|(index, line)| {
            TALK.into_iter().find(|talk| line.contains(talk)).map(|talk| (&*file.path, index + 1, talk))
        });
        found.next()
    })
}

#[cfg(test)]
pub(super) mod tests {
    use crate::check::testing::{native_codes, with_recipe};
    use crate::model::Model;

    pub(in crate::check) fn failing() -> Model {
        with_recipe("#!/bin/sh\necho \"$port\"\n  wattle set url http://db\n")
    }

    #[test]
    fn a_comment_may_speak_of_it() {
        let text = "#!/bin/sh\n# not `wattle set`\necho \"$port\" > \"${heat_outputs_path}.url\"\n";
        assert!(native_codes(&with_recipe(text)).is_empty());
    }
}
