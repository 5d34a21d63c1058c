//! Faults in the form of an environment, as Heat judges it.

use wattle_model::Source;
use wattle_model::names::{list, meant};

use crate::yaml::{Node, Span, Tree, counting};

use super::{Environment, File, SECTIONS, place};

/// A part of an environment that Heat refuses.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The problem.
    pub message: String,
    /// The place.
    pub at: Source,
    /// The label of that place.
    pub label: &'static str,
    /// How to fix it.
    pub help: String,
}

impl Environment {
    /// Its faults of form, file by file.
    pub fn faults(&self) -> Vec<Fault> {
        let faults = |file| {
            let mut judge = Judge { file, all: &self.files, found: Vec::new() };
            judge.sections();
            judge.found
        };
        self.files.iter().flat_map(faults).collect()
    }

    /// A fault that Heat accepts, but that cannot be passed on to a nested stack: null `parameter_defaults`.
    pub(crate) fn kept_from_nested(&self) -> Option<Fault> {
        let name = "parameter_defaults";
        let (file, section) = self.files.iter().rev().find_map(|file| Some((file, file.root.pair(name)?)))?;
        let (value, mut judge) = (&section.value, Judge { file, all: &self.files, found: Vec::new() });
        let is_passed_on = value.is_truthy() || matches!(*value.tree, Tree::Text { .. } | Tree::List(_) | Tree::Map(_));
        if is_passed_on || judge.is_filled(name) {
            return None;
        }
        let message =
            format!("`{name}` is {} instead of a map, so it cannot be passed to nested stacks", value.tree.kind());
        judge.refuse(message, section.key.span, "this section", EMPTY);
        judge.found.pop()
    }
}

const EMPTY: &str = "remove the section if it is empty";

const HOOKS: [&str; 6] = ["pre-create", "pre-update", "pre-delete", "post-create", "post-update", "post-delete"];
const ACTIONS: [&str; 2] = ["update", "replace"];

/// The level within the registry: clients read types, and the types of a resource, but nothing deeper.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Types,
    Resources,
    OfResource,
    Deeper,
}

/// A file being checked, and its faults so far.
struct Judge<'f> {
    file: &'f File,
    /// All files that are merged, including this one, in order.
    all: &'f [File],
    found: Vec<Fault>,
}

impl Judge<'_> {
    fn refuse(&mut self, message: impl Into<String>, span: Span, label: &'static str, help: impl Into<String>) {
        let at = place(&self.file.name, span);
        self.found.push(Fault { message: message.into(), at, label, help: help.into() });
    }

    /// Whether another file fills a section that is null here: clients merge maps from all files, and use the last value of
    /// everything else.
    fn is_filled(&self, section: &str) -> bool {
        let mut sections = self.all.iter().filter_map(|file| file.root.get(section)).map(|node| &*node.tree);
        match section {
            "event_sinks" => matches!(sections.next_back(), Some(Tree::List(_))),
            _ => sections.any(|tree| matches!(tree, Tree::Map(_))),
        }
    }

    fn sections(&mut self) {
        let file = self.file;
        if let Some(error) = &file.unreadable {
            for error in error.all() {
                self.refuse(error.problem.to_string(), error.span, "here", "fix the environment's YAML");
            }
            return;
        }
        let pairs = match &*file.root.tree {
            Tree::Map(pairs) => pairs,
            Tree::Null => return,
            other => {
                let message = format!("the environment is {} instead of a map of sections", other.kind());
                let help = "write `parameters:`, and the parameters below it";
                return self.refuse(message, file.root.span, "this is not a map", help);
            }
        };
        for pair in counting(pairs) {
            let name = pair.key.as_key();
            if !SECTIONS.contains(&&*name) {
                let help = meant(&name, SECTIONS).unwrap_or_else(|| "put parameters below `parameters`".to_owned());
                let message = format!("an environment has no section `{}`", name.escape_debug());
                self.refuse(message, pair.key.span, "Heat refuses it", help);
                continue;
            }
            let (value, is_map) = (&pair.value, matches!(*pair.value.tree, Tree::Map(_)));
            let is_null = matches!(*value.tree, Tree::Null);
            if is_null && self.is_filled(&name) {
                continue;
            }
            let form = match &*name {
                "parameters" if !is_map && (value.is_truthy() || is_null) => "a map",
                "parameter_defaults" if !is_map && value.is_truthy() => "a map",
                "resource_registry" if !is_map => "a map",
                "event_sinks" if !matches!(*value.tree, Tree::List(_)) && (value.is_truthy() || is_null) => "a list",
                "resource_registry" => {
                    self.registry(value, Level::Types);
                    continue;
                }
                "event_sinks" => {
                    self.sinks(value);
                    continue;
                }
                _ => continue,
            };
            let message = format!("`{name}` is {} instead of {form}", value.tree.kind());
            self.refuse(message, pair.key.span, "this section", EMPTY);
        }
    }

    fn registry(&mut self, section: &Node, level: Level) {
        let Tree::Map(pairs) = &*section.tree else { return };
        for pair in counting(pairs) {
            let (name, key) = (pair.key.as_key(), pair.key.span);
            if pair.key.tree.as_text().is_none() {
                let message = format!("`{}` is {} instead of a name", name.escape_debug(), pair.key.tree.kind());
                let label = "types and resources are named by strings";
                self.refuse(message, key, label, "quote it, or write the name of a type");
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
                            let message = format!("there is no {what} `{}`", text.escape_debug());
                            let help = format!("write {}", list(known.iter().copied(), "or"));
                            self.refuse(message, item.span, "Heat does not know it", help);
                        }
                    }
                }
                (None, Tree::Map(_)) => {
                    let deeper = match level {
                        Level::Types if name == "resources" => Level::Resources,
                        Level::Resources => Level::OfResource,
                        _ => Level::Deeper,
                    };
                    self.registry(&pair.value, deeper);
                }
                (None, Tree::Text { .. })
                    if level != Level::Resources && (level, &*name) != (Level::Types, "resources") => {}
                (None, Tree::Null) if level == Level::Deeper => {}
                (None, other) => {
                    let message = format!("`{}` is mapped to {}", name.escape_debug(), other.kind());
                    let help = "write a type, such as `OS::Heat::None`, or the path of a template";
                    self.refuse(message, key, "a type can be mapped to another type or a template", help);
                }
            }
        }
    }

    fn sinks(&mut self, section: &Node) {
        let Tree::List(items) = &*section.tree else { return };
        for item in items {
            let ty = item.get("type").and_then(|ty| ty.tree.as_text());
            let help = "write the type `zaqar-queue`: `{type: zaqar-queue, target: QUEUE}`, with an optional `ttl`";
            if ty != Some("zaqar-queue") {
                self.refuse("an event sink has a type that Heat does not support", item.span, "this sink", help);
                continue;
            }
            let Tree::Map(pairs) = &*item.tree else { continue };
            let mut keys = pairs.iter().map(|pair| &pair.key);
            if let Some(key) = keys.find(|key| !matches!(key.tree.as_text(), Some("type" | "target" | "ttl"))) {
                self.refuse("an event sink has a key that sinks of this type do not have", key.span, "this key", help);
            } else if item.get("target").is_none() {
                self.refuse("an event sink has no `target`", item.span, "this sink", help);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of faults in environments with these texts.
    fn faults(texts: &[&str]) -> usize {
        Environment::read(texts.iter().map(|text| ("e.yaml", *text))).faults().len()
    }

    #[test]
    fn a_section_that_says_nothing_is_filled_by_another_file() {
        let (null, map) = ("parameters:", "parameters: {p: a}");
        let (types, mapped) = ("resource_registry:", "resource_registry: {A: OS::Heat::None}");
        let (sinks, listed) = ("event_sinks:", "event_sinks: []");
        for texts in
            [[null, map], [map, null], [null, "parameters: {}"], [types, mapped], [mapped, types], [sinks, listed]]
        {
            assert_eq!(faults(&texts), 0, "{texts:?}");
        }
        for texts in [[null, mapped], ["{}", null], [types, map], [listed, sinks]] {
            assert_eq!(faults(&texts), 1, "{texts:?}");
        }
        assert_eq!(faults(&[null]), 1);
    }
}
