//! Rust names for the names of a template.

use std::collections::HashSet;

use wattle_catalog_generate::naming::{is_keyword, words};

/// Names that generated modules already use: the catalog's modules, and other items that they refer to.
pub(super) const MODULES: [&str; 30] = [
    "aodh",
    "barbican",
    "blazar",
    "cinder",
    "designate",
    "glance",
    "heat",
    "hot",
    "ironic",
    "item",
    "keystone",
    "magnum",
    "manila",
    "mistral",
    "monasca",
    "neutron",
    "nova",
    "octavia",
    "raw",
    "sahara",
    "senlin",
    "swift",
    "text",
    "trove",
    "vitrage",
    "zaqar",
    "zun",
    "blueprint",
    "component",
    "main",
];

/// The name of a variable, field, function or module: `web_server` for `WebServer`.
pub(super) fn snake(name: &str) -> String {
    let name = words(name).join("_");
    let name = match name.chars().next() {
        None => "unnamed".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("n{name}"),
        Some(_) => name,
    };
    if is_keyword(&name) || name == "union" { name + "_" } else { name }
}

/// The name of a constant: `WEB_USER_DATA`.
pub(super) fn constant(name: &str) -> String {
    snake(name).to_ascii_uppercase()
}

/// A name that Cargo accepts for a crate and Heat for a stack.
pub(super) fn of_crate(name: &str) -> String {
    let name = snake(name);
    // Crates with these names exist already, or would shadow a crate that is always available.
    let is_crate = ["test", "core", "std", "alloc", "proc_macro", "wattle", "wattle_catalog"].contains(&&*name);
    if is_crate || MODULES.contains(&&*name) { name + "_stack" } else { name }
}

/// The names of one scope, each used only once.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// A scope in which the names `taken` are already in use.
    pub(super) fn without<'a>(taken: impl IntoIterator<Item = &'a str>) -> Self {
        Self(taken.into_iter().map(str::to_owned).collect())
    }

    /// `name`, with a number appended if it is taken.
    pub(super) fn fresh(&mut self, name: String) -> String {
        let mut candidate = name.clone();
        let mut count = 1;
        while !self.0.insert(candidate.clone()) {
            count += 1;
            candidate = format!("{}{count}", name.trim_end_matches('_'));
        }
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_rusts() {
        for (name, rust) in [
            ("WebServer", "web_server"),
            ("web-server", "web_server"),
            ("type", "type_"),
            ("1st", "n1st"),
            ("größe", "gr_e"),
            ("日本", "unnamed"),
            ("self", "self_"),
            ("OS::x", "os_x"),
        ] {
            assert_eq!(snake(name), rust);
        }
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut names = Names::without(["t"]);
        let fresh = ["t", "web", "web", "type_", "type_"].map(|name| names.fresh(name.into()));
        assert_eq!(fresh, ["t2", "web", "web2", "type_", "type2"]);
    }
}
