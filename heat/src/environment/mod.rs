//! Environments: parameter values, and mappings of resource types.
//!
//! What lives here: reading and merging environment files as python-heatclient does, and the registry with the lookups of
//! Heat's engine. What must not: file access, and which values a parameter accepts (`parameters`).

mod form;
mod registry;

use std::sync::Arc;

use wattle_model::Source;

use crate::template::Map;
use crate::yaml::{self, Node, Pair, Span, Tree};

pub use form::Fault;
pub use registry::is_template;
pub use registry::{Implementation, Registry, Target};

/// The sections that an environment can have.
pub const SECTIONS: [&str; 6] = [
    "parameters",
    "parameter_defaults",
    "resource_registry",
    "encrypted_param_names",
    "event_sinks",
    "parameter_merge_strategies",
];

/// Several environment files merged into one. Later files take precedence.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The files themselves, in order.
    pub files: Vec<File>,
    /// Values of parameters.
    pub parameters: Map<Given>,
    /// Values of parameters that a template may have, including nested templates.
    pub parameter_defaults: Map<Given>,
    /// The mappings of resource types.
    pub registry: Registry,
    /// The names of parameters that Heat stores encrypted.
    pub encrypted_param_names: Vec<String>,
    /// The targets of events, as written.
    pub event_sinks: Vec<Node>,
}

/// An environment file as written.
#[derive(Clone, Debug)]
pub struct File {
    /// Its name.
    pub name: Arc<str>,
    /// Its content. Null if it is not YAML.
    pub root: Node,
    /// Why it could not be read.
    pub unreadable: Option<yaml::Error>,
}

/// A value that an environment gives.
#[derive(Clone, Debug)]
pub struct Given {
    /// The value.
    pub value: Node,
    /// The file that contains it.
    pub file: Arc<str>,
    /// The extent of its name.
    pub name_span: Span,
}

impl Given {
    /// The place of its name.
    pub fn at(&self) -> Source {
        place(&self.file, self.name_span)
    }
}

/// A place in a file.
pub(crate) fn place(file: &str, span: Span) -> Source {
    Source {
        file: file.to_owned().into(),
        line: span.start.line.saturating_add(1),
        column: span.start.column.saturating_add(1),
    }
}

impl Environment {
    /// Merges these texts, each given with its file's name, into one environment. Faulty parts are left out, and `check`
    /// reports them.
    pub fn read<'t>(texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        let mut environment = Self::default();
        for (name, text) in texts {
            let name: Arc<str> = name.into();
            match yaml::read(text) {
                Ok(root) => {
                    environment.add(&name, &root);
                    environment.files.push(File { name, root, unreadable: None });
                }
                Err(error) => environment.files.push(File { name, root: Node::null(), unreadable: Some(error) }),
            }
        }
        environment
    }

    /// The value given for a parameter, if there is one. Null counts as no value.
    pub fn given(&self, parameter: &str) -> Option<&Given> {
        let mut all = [&self.parameters, &self.parameter_defaults].into_iter().filter_map(|given| given.get(parameter));
        all.find(|given| !matches!(*given.value.tree, Tree::Null))
    }

    /// All values given for parameters. A parameter can occur twice.
    pub fn values(&self) -> impl Iterator<Item = (&String, &Given)> {
        let names = self.parameter_defaults.keys().chain(self.parameters.keys());
        names.filter_map(|name| Some((name, self.given(name)?)))
    }

    fn add(&mut self, file: &Arc<str>, root: &Node) {
        for (section, into) in
            [("parameters", &mut self.parameters), ("parameter_defaults", &mut self.parameter_defaults)]
        {
            if let Some(Tree::Map(pairs)) = root.get(section).map(|section| &*section.tree) {
                for pair in pairs {
                    let (name, name_span) = (pair.key.as_key(), pair.key.span);
                    let value = match into.get(&name) {
                        Some(given) => merged(&given.value, &pair.value),
                        None => pair.value.clone(),
                    };
                    into.insert(name, Given { value, file: file.clone(), name_span });
                }
            }
        }
        if let Some(registry) = root.get("resource_registry") {
            self.registry.add(file, registry);
        }
        if let Some(Tree::List(names)) = root.get("encrypted_param_names").map(|names| &*names.tree) {
            self.encrypted_param_names = names.iter().map(Node::as_key).collect();
        }
        if let Some(Tree::List(sinks)) = root.get("event_sinks").map(|sinks| &*sinks.tree) {
            self.event_sinks.clone_from(sinks);
        }
    }
}

/// Merges maps with those of earlier files, key by key. Other values replace earlier ones, except that null does not replace
/// a map.
fn merged(old: &Node, new: &Node) -> Node {
    match (&*old.tree, &*new.tree) {
        (Tree::Map(_), Tree::Null) => old.clone(),
        (Tree::Map(old), Tree::Map(new_pairs)) => {
            let mut pairs: Map<Pair> = old.iter().map(|pair| (pair.key.as_key(), pair.clone())).collect();
            for pair in new_pairs {
                match pairs.get_mut(&pair.key.as_key()) {
                    Some(old) => old.value = merged(&old.value, &pair.value),
                    None => {
                        pairs.insert(pair.key.as_key(), pair.clone());
                    }
                }
            }
            Node::new(Tree::Map(pairs.into_values().collect()), new.span)
        }
        _ => new.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_files_count_and_maps_are_merged() {
        let environment = Environment::read([
            ("a.yaml", "parameters: {a: 1, m: {x: 1, y: {z: 2}}, n: {k: 1}}\nparameter_defaults: {d: 1}"),
            ("b.yaml", "parameters: {a: 2, m: {y: {w: 3}}, n: }\nencrypted_param_names: [a]"),
            ("c.yaml", "- no map"),
            ("d.yaml", "{"),
        ]);
        let literal = |name: &str| crate::evaluate::Value::literal(&environment.parameters[name].value).python();
        assert_eq!(literal("a"), "2");
        assert_eq!(literal("m"), "{'x': 1, 'y': {'z': 2, 'w': 3}}");
        assert_eq!(literal("n"), "{'k': 1}");
        let at = environment.parameters["a"].at();
        assert_eq!((&*at.file, at.line, at.column), ("b.yaml", 1, 14));
        assert_eq!(environment.encrypted_param_names, ["a"]);
        assert!(environment.parameter_defaults.contains_key("d"));
        assert!(environment.files[3].unreadable.is_some());
    }
}
