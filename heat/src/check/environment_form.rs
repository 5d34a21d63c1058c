//! W1008: an environment that is not in Heat's form.

use wattle_model::Diagnostic;
use wattle_model::names::meant;

use crate::environment::{Environment, File, SECTIONS, place};
use crate::yaml::{Node, Span, Tree};

use super::Sink;
use super::registry::check;

check! {
    /// An environment has the sections `parameters`, `parameter_defaults`, `resource_registry`,
    /// `encrypted_param_names`, `event_sinks` and `parameter_merge_strategies`. In the registry a type stands for another
    /// type or a template, and hooks and restricted actions are those that Heat has.
    ///
    /// ```yaml
    /// # environment.yaml
    /// parameter:
    ///   image: debian
    /// ```
    ///
    /// ```yaml
    /// # environment.yaml
    /// parameter_defaults:
    ///   image: debian
    /// ```
    ENVIRONMENT_FORM: "W1008", Error, "an environment that is not in Heat's form", Whole(run)
}

const HOOKS: [&str; 6] = ["pre-create", "pre-update", "pre-delete", "post-create", "post-update", "post-delete"];
const ACTIONS: [&str; 2] = ["update", "replace"];

fn run(sink: &mut Sink<'_>) {
    let diagnostics = faults(&sink.loaded.environment);
    diagnostics.into_iter().for_each(|diagnostic| sink.push(diagnostic));
}

/// What Heat refuses in an environment's form, file by file.
pub fn faults(environment: &Environment) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    environment.files.iter().for_each(|file| judge(file, &mut diagnostics));
    diagnostics
}

fn judge(file: &File, diagnostics: &mut Vec<Diagnostic>) {
    let at = |span: Span| place(&file.name, span);
    if let Some(error) = &file.unreadable {
        let diagnostic = ENVIRONMENT_FORM.diagnostic(error.problem.to_string()).label(&at(error.span), "here");
        diagnostics.push(diagnostic.help("fix the environment's YAML"));
        return;
    }
    let pairs = match &*file.root.tree {
        Tree::Map(pairs) => pairs,
        Tree::Null => return,
        other => {
            let diagnostic = ENVIRONMENT_FORM
                .diagnostic(format!("the environment is {} instead of a map of sections", other.kind()))
                .label(&at(file.root.span), "this is no map")
                .help("write `parameters:` and the parameters below it");
            diagnostics.push(diagnostic);
            return;
        }
    };
    for pair in crate::yaml::counting(pairs) {
        let name = pair.key.as_key();
        if !SECTIONS.contains(&&*name) {
            let diagnostic = ENVIRONMENT_FORM
                .diagnostic(format!("an environment has no section `{}`", name.escape_debug()))
                .label(&at(pair.key.span), "Heat refuses it")
                .help(meant(&name, SECTIONS).unwrap_or_else(|| "parameters stand below `parameters`".to_owned()));
            diagnostics.push(diagnostic);
            continue;
        }
        let (value, is_map) = (&pair.value, matches!(*pair.value.tree, Tree::Map(_)));
        let is_null = matches!(*value.tree, Tree::Null);
        let form = match &*name {
            "parameters" if !is_map && (value.is_truthy() || is_null) => "a map",
            "parameter_defaults" if !is_map && value.is_truthy() => "a map",
            "resource_registry" if !is_map => "a map",
            "event_sinks" if !matches!(*value.tree, Tree::List(_)) && (value.is_truthy() || is_null) => "a list",
            "resource_registry" => {
                registry(value, Level::Types, &at, diagnostics);
                continue;
            }
            "event_sinks" => {
                sinks(value, &at, diagnostics);
                continue;
            }
            _ => continue,
        };
        let diagnostic = ENVIRONMENT_FORM
            .diagnostic(format!("`{name}` is {} instead of {form}", value.tree.kind()))
            .label(&at(pair.key.span), "this section")
            .help("leave the section out if it is empty");
        diagnostics.push(diagnostic);
    }
}

/// How deep within the registry: clients look at types, and at those of a resource, and at nothing deeper.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Types,
    Resources,
    OfResource,
    Deeper,
}

fn registry(
    section: &Node,
    level: Level,
    at: &dyn Fn(Span) -> wattle_model::Source,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Tree::Map(pairs) = &*section.tree else { return };
    for pair in crate::yaml::counting(pairs) {
        let name = pair.key.as_key();
        if pair.key.tree.as_text().is_none() {
            let diagnostic = ENVIRONMENT_FORM
                .diagnostic(format!("`{}` is {} in place of a name", name.escape_debug(), pair.key.tree.kind()))
                .label(&at(pair.key.span), "types and resources are named by strings")
                .help("quote it, or write the name of a type");
            diagnostics.push(diagnostic);
            continue;
        }
        let known = match &*name {
            "hooks" => Some(("hook", &HOOKS[..])),
            "restricted_actions" => Some(("restricted action", &ACTIONS[..])),
            _ => None,
        };
        match (known, &*pair.value.tree) {
            (Some((what, known)), tree) => {
                let items = match tree {
                    Tree::List(items) => items.as_slice(),
                    _ => std::slice::from_ref(&pair.value),
                };
                for item in items {
                    let text = item.as_key();
                    if !known.contains(&&*text) {
                        let diagnostic = ENVIRONMENT_FORM
                            .diagnostic(format!("there is no {what} `{}`", text.escape_debug()))
                            .label(&at(item.span), "Heat does not know it")
                            .help(format!("write {}", wattle_model::names::list(known.iter().copied(), "or")));
                        diagnostics.push(diagnostic);
                    }
                }
            }
            (None, Tree::Map(_)) => {
                let deeper = match level {
                    Level::Types if name == "resources" => Level::Resources,
                    Level::Resources => Level::OfResource,
                    _ => Level::Deeper,
                };
                registry(&pair.value, deeper, at, diagnostics);
            }
            (None, Tree::Text { .. })
                if level != Level::Resources && (level, &*name) != (Level::Types, "resources") => {}
            (None, Tree::Null) if level == Level::Deeper => {}
            (None, other) => {
                let diagnostic = ENVIRONMENT_FORM
                    .diagnostic(format!("`{}` stands for {}", name.escape_debug(), other.kind()))
                    .label(&at(pair.key.span), "a type stands for another one or a template")
                    .help("write a type, such as `OS::Heat::None`, or the path of a template");
                diagnostics.push(diagnostic);
            }
        }
    }
}

fn sinks(section: &Node, at: &dyn Fn(Span) -> wattle_model::Source, diagnostics: &mut Vec<Diagnostic>) {
    let Tree::List(items) = &*section.tree else { return };
    for item in items {
        let ty = item.get("type").and_then(|ty| ty.tree.as_text());
        if ty != Some("zaqar-queue") {
            let diagnostic = ENVIRONMENT_FORM
                .diagnostic("an event sink of no type that Heat has")
                .label(&at(item.span), "this sink")
                .help("Heat has the type `zaqar-queue`: `{type: zaqar-queue, target: QUEUE}`");
            diagnostics.push(diagnostic);
        }
    }
}
