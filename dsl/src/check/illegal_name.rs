//! W0202: an invalid name: one that Heat, a shell or the data space would not accept.

use std::collections::HashSet;

use crate::model::{ElementKind, Model, Source};

use super::registry::check;
use super::sink::Sink;

check! {
    /// A name contains characters other than letters, digits, `_` and `-`, or does not begin with a letter.
    ///
    /// Names become the names of Heat resources, which cannot contain `/` or be longer than 255 characters, and paths
    /// in the data space. The names of inputs become environment variables, which cannot contain `-` either. In a model
    /// without components, resources and parameters may have any name that Heat allows, which is any name without `/`.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("app/server", RawResource::new("OS::Nova::Server"));
    /// # assert!(wattle::check::finds(&t.finish(Exports::new()), "W0202"));
    /// ```
    ///
    /// Use only the characters that are allowed:
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # let mut t = Topology::new("demo");
    /// t.add("app-server", RawResource::new("OS::Nova::Server"));
    /// # assert!(!wattle::check::finds(&t.finish(Exports::new()), "W0202"));
    /// ```
    CHECK: "W0202", Error, "an invalid name", run
}

/// Heat's `physical_resource_name_limit`, and the width of the column that holds resource names.
const LONGEST: usize = 255;

fn run(sink: &mut Sink<'_, '_>) {
    let names = Names {
        twice: sink.model.duplicates.iter().map(|duplicate| &*duplicate.name).collect(),
        are_heats: sink.model.components.is_empty(),
    };
    let model = sink.model;
    if !is_stack_name(&model.stack) {
        let diagnostic = CHECK
            .diagnostic(format!("`{}` cannot be the name of a stack", model.stack))
            .label(&model.at, "Heat would refuse it")
            .help(
                "a stack's name begins with a letter, followed by letters, digits, `_`, `-` and `.`, 255 characters at most",
            );
        sink.push(diagnostic);
    }
    for (key, resource) in &model.resources {
        names.qualified(sink, ElementKind::Resource, key, &resource.at);
    }
    for (key, module) in &model.modules {
        names.qualified(sink, ElementKind::Module, key, &module.at);
    }
    for (key, forward) in &model.forward_references {
        // A forward reference of another topology is stored under a generated name, and another check reports it.
        if !key.starts_with("forward-reference#") {
            names.qualified(sink, ElementKind::ForwardReference, key, &forward.at);
        }
    }
    for (key, parameter) in &model.parameters {
        names.plain(sink, ElementKind::Parameter, key, &parameter.at);
    }
    for (key, export) in &model.exports {
        names.plain(sink, ElementKind::Export, key, &export.at);
    }
    for (key, requirement) in &model.requirements {
        // These names are used only in messages.
        let own = match key.rsplit_once('.') {
            Some((module, own)) if model.modules.contains_key(module) => own,
            _ => key,
        };
        if own.trim().is_empty() || own.chars().any(char::is_control) {
            let diagnostic = CHECK
                .diagnostic(format!("`{}` cannot be the name of a requirement", own.escape_debug()))
                .label(&requirement.at, "named here")
                .help("a requirement's name is one line of text");
            sink.push(diagnostic);
        }
    }
    for component in model.components.values() {
        if !is_name(&component.name) {
            push(sink, "component", &component.name, &component.at, HELP);
        }
    }
    ports(sink, model);
}

fn ports(sink: &mut Sink<'_, '_>, model: &Model) {
    for kind in model.declarations.values() {
        for (name, input) in &kind.inputs {
            let legal = if kind.recipe.tool.has_paths() { is_name(name) } else { is_variable(name) };
            if !legal {
                push(
                    sink,
                    "input",
                    name,
                    &input.at,
                    "an input's name has letters, digits and `_`, and begins with a letter or `_`",
                );
            }
        }
        for (name, output) in kind.outputs.iter().filter(|(name, _)| !is_name(name) && !is_variable(name)) {
            push(sink, "output", name, &output.at, HELP);
        }
    }
}

struct Names<'m> {
    twice: HashSet<&'m str>,
    /// Whether all names are used only by Heat.
    are_heats: bool,
}

impl Names<'_> {
    fn qualified(&self, sink: &mut Sink<'_, '_>, kind: ElementKind, key: &str, at: &Source) {
        // Faults in a module's own name are reported at the module.
        let own = match key.rsplit_once('.') {
            Some((module, own)) if sink.model.modules.contains_key(module) => own,
            _ => key,
        };
        let written = self.written(key, own);
        let is_heats = self.are_heats && kind == ElementKind::Resource && is_for_heat(written);
        if !is_heats && !written.split('.').all(is_name) {
            push(sink, &kind.to_string(), written, at, HELP);
        } else if key.len() > LONGEST && kind == ElementKind::Resource {
            let diagnostic = CHECK
                .diagnostic(format!(
                    "the name of the resource `{}…` has {} characters",
                    key.chars().take(40).collect::<String>(),
                    key.chars().count()
                ))
                .label(at, "Heat allows 255, modules included");
            sink.push(diagnostic);
        }
    }

    fn plain(&self, sink: &mut Sink<'_, '_>, kind: ElementKind, key: &str, at: &Source) {
        let written = self.written(key, key);
        let is_heats = self.are_heats && kind == ElementKind::Parameter && is_for_heat(written);
        if !is_heats && !is_name(written) {
            push(sink, &kind.to_string(), written, at, HELP);
        }
    }

    /// The name as the author wrote it: without the `#2` of a second use.
    fn written<'n>(&self, key: &str, own: &'n str) -> &'n str {
        let Some((name, count)) = own.rsplit_once('#') else { return own };
        let base = key.len() - count.len() - 1;
        let numbered = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        if numbered && self.twice.contains(&key[..base]) { name } else { own }
    }
}

const HELP: &str = "a name begins with a letter, followed by letters, digits, `_` and `-`";

fn push(sink: &mut Sink<'_, '_>, kind: &str, name: &str, at: &Source, help: &str) {
    let a = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    let legal: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect();
    let legal = if is_name(&legal) { legal } else { format!("{}{legal}", &kind[..1]) };
    let legal = if kind == "input" { legal.replace('-', "_") } else { legal };
    let diagnostic = CHECK
        .diagnostic(format!("`{}` cannot be the name of {a} {kind}", name.escape_debug()))
        .label(at, "named here")
        .help(help)
        .help_if((is_name(&legal)).then(|| format!("for example `{legal}`")));
    sink.push(diagnostic);
}

/// `[A-Za-z][A-Za-z0-9_-]*`.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// Whether Heat accepts the name for a resource.
fn is_for_heat(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '#'])
}

/// Whether the name is valid for a variable of a POSIX shell.
fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_stack_name(name: &str) -> bool {
    name.len() <= LONGEST
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

#[cfg(test)]
pub(super) mod tests {
    use crate::author::{Exports, RawResource, Subject as _, Topology};
    use crate::check::testing::{Sketch, codes, forward_reference, modules, sound};
    use crate::model::{Model, Type};

    pub(in crate::check) fn failing() -> Model {
        Sketch::new().server("app/server 1").model
    }

    #[test]
    fn a_requirement_is_called_by_a_line_of_text() {
        let named = |name: &str| {
            let mut t = Topology::new("demo");
            t.require(name, crate::author::that(3).at_least(2));
            codes(&t.finish(Exports::new()))
        };
        assert_eq!((named("enough: 3 nodes"), named("two\nlines"), named(" ")), (vec![], vec!["W0202"], vec!["W0202"]));
    }

    #[test]
    fn every_kind_of_name_is_judged() {
        let mut names = vec![
            sound().resource("1st", "OS::Neutron::Net").model,
            sound().resource("", "OS::Neutron::Net").model,
            sound().resource("a..b", "OS::Neutron::Net").model,
            sound().resource("a#2", "OS::Neutron::Net").model,
            sound().resource("straße", "OS::Neutron::Net").model,
            sound().resource(&"a".repeat(256), "OS::Neutron::Net").model,
            sound()
                .forward_reference("a b", Type::STR)
                .fulfil("a b", "x")
                .export("p", Type::STR, forward_reference("a b"))
                .model,
            sound().export("a.b", Type::STR, "x").model,
            sound().kind("K", &[("with-dash", Type::STR)], &[]).model,
            sound()
                .kind("K", &[], &[("a/b", Type::STR)])
                .component("db", "k", "K")
                .export("k", Type::STR, crate::check::testing::output("db/k", "a/b"))
                .model,
            sound().kind("K", &[], &[]).component("db", "a/b", "K").model,
        ];
        let mut stack = sound().model;
        stack.stack = "my stack".into();
        names.push(stack);
        for model in names {
            assert!(codes(&model).iter().all(|code| ["W0202", "W0703", "W0705"].contains(code)), "{:?}", codes(&model));
            assert!(codes(&model).contains(&"W0202"), "{model:?}");
        }
    }

    #[test]
    fn without_software_names_are_heats() {
        let mut t = Topology::new("demo");
        t.add("1. größe", RawResource::new("OS::Neutron::Net"));
        assert!(codes(&t.finish(Exports::new())).is_empty());
    }

    #[test]
    fn a_modules_name_is_reported_at_the_module_alone() {
        assert_eq!(codes(&modules(&["my net"])), ["W0202"]);
    }

    #[test]
    fn names_of_parts_of_modules_are_legal() {
        assert!(codes(&sound().resource("apps.node1", "OS::Nova::Server").model).is_empty());
    }
}
