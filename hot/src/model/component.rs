//! The components of servers.

use std::collections::HashMap;

use wattle::extended::KEY;
use wattle::model::{After, Binding, Component, Model, Name, Resource};

use super::component_type::{COMPONENT, DECLARING};
use super::{Reader, Written, items, pairs};
use crate::codes::{COMPONENT_TYPE, MISPLACED, OLD_VERSION};
use wattle_heat::schema::is_type;
use wattle_heat::template::{self, Version};
use wattle_heat::yaml::{Node, Span, Tree};

impl<'l> Reader<'l> {
    /// Reads the components without their inputs, and the declarations of their types.
    pub(super) fn software(&mut self) {
        let template = self.template;
        for (name, resource) in &template.resources {
            let Some(ours) = resource.metadata.as_ref().and_then(|metadata| metadata.get(KEY)) else { continue };
            if name != wattle::extended::MODEL {
                self.server(name, resource, ours);
            }
        }
        self.kinds();
        let oldest = Version::V2015_10_15;
        if !self.written.is_empty() && template.version() < oldest {
            let at = template.root.get("heat_template_version").map_or_else(Span::default, |version| version.span);
            let diagnostic = OLD_VERSION
                .diagnostic(format!("software cannot run in a template of version {}", template.version()))
                .label(&self.at(at), "the version is set here")
                .help(format!("use {oldest} or later; the newest is {}", Version::default()));
            self.push(diagnostic);
        }
    }

    fn server(&mut self, name: &str, resource: &'l template::Resource, ours: &'l Node) {
        let what = format!("`metadata.wattle` of `{name}`");
        if !self.is_map(ours, &what) {
            return;
        }
        // An unknown type is reported separately. The resource may be a misspelt server, so its software is read: otherwise
        // all references to that software would be wrong, too.
        let is_unknown = resource.kind().is_some_and(|ty| self.loaded.implementation(name, ty, &is_type).is_none());
        if !is_unknown && resource.kind() != Some(Resource::SERVER) {
            let found = resource.kind().unwrap_or("nothing");
            let diagnostic = MISPLACED
                .diagnostic(format!("`{name}` declares software that runs on it, but is not a server"))
                .label(&self.at(ours.span), "software is declared here")
                .note(format!("`{name}` has the type `{found}`"))
                .help(format!("declare it in the metadata of a resource of the type `{}`", Resource::SERVER));
            self.push(diagnostic);
            return;
        }
        self.only(ours, &what, &["components", "metadata"]);
        let Some(components) = ours.get("components") else { return };
        let mut entries: Vec<(String, Span, &Node)> = Vec::new();
        match &*components.tree {
            Tree::List(list) => {
                for node in list {
                    let what = format!("a component of `{name}`");
                    if !self.is_map(node, &what) {
                        continue;
                    }
                    match node.get("name").map(|name| (name, name.tree.as_text())) {
                        Some((at, Some(text))) => entries.push((text.to_owned(), at.span, node)),
                        Some((written, None)) => {
                            let found = written.tree.kind();
                            let message = format!("the name of {what} is {found}, not text");
                            self.malformed(written.span, message, found, "write it in quotes".into());
                        }
                        None => self.malformed(
                            node.span,
                            format!("{what} has no name"),
                            "this component",
                            "add `name: ...`, or write a map of components by name if they need no order".into(),
                        ),
                    }
                }
            }
            Tree::Map(_) => {
                self.unordered.insert(name.to_owned());
                for (component, at, node) in pairs(components) {
                    if self.is_map(node, &format!("the component `{component}` of `{name}`")) {
                        entries.push((component, at, node));
                    }
                }
            }
            _ => {
                self.malformed(
                    components.span,
                    format!("the components of `{name}` are {}", components.tree.kind()),
                    "neither a list nor a map",
                    "write a list in the order in which they run, or a map if they need no order".into(),
                );
            }
        }
        for (component, at, node) in entries {
            self.component(name, &component, at, node);
        }
    }

    fn component(&mut self, server: &str, name: &str, at: Span, node: &'l Node) {
        let key: Name = Model::component_key(server, name).into();
        self.only(node, &format!("the component `{key}`"), COMPONENT);
        if let Some(first) = self.written.get(&key) {
            let diagnostic = COMPONENT_TYPE
                .diagnostic(format!("`{server}` has two components `{name}`"))
                .label(&self.at(at), "the second one")
                .label(&self.at(first.name), "the first one")
                .help("give each component of a server its own name");
            self.push(diagnostic);
            return;
        }
        let said = self.text_of(node, "kind", &format!("`{key}`")).map(Name::from);
        let kind = said.unwrap_or_else(|| key.clone());
        let component = Component::new(name.into(), server.into(), kind, self.at(at));
        self.written.insert(key.clone(), Written { node, name: at });
        self.model.components.insert(key, component);
    }

    /// Reads the declarations of component types, each where its first component declares it.
    fn kinds(&mut self) {
        let mut declared: HashMap<Name, Span> = HashMap::new();
        for (key, written) in self.written.clone() {
            let kind = self.model.components[&key].declaration.clone();
            if !DECLARING.iter().any(|field| written.node.get(field).is_some()) {
                continue;
            }
            if let Some(first) = declared.get(&kind) {
                let diagnostic = COMPONENT_TYPE
                    .diagnostic(format!("the component type `{kind}` is declared twice"))
                    .label(&self.at(written.name), "declared again here")
                    .label(&self.at(*first), "first declared here")
                    .help("write only `kind` and `inputs` in the second component, or give it another `kind`");
                self.push(diagnostic);
                continue;
            }
            declared.insert(kind.clone(), written.name);
            let declaration = self.kind(&kind, &key, written.node, written.name);
            self.model.declarations.insert(kind, declaration);
        }
        if let Some(kinds) = self.stack.and_then(|stack| stack.get("kinds")) {
            for (kind, span, node) in pairs(kinds) {
                if !declared.contains_key(kind.as_str()) {
                    let declaration = self.kind(&kind.as_str().into(), "", node, span);
                    self.model.declarations.insert(kind.into(), declaration);
                }
            }
        }
        for (key, written) in self.written.clone() {
            let kind = self.model.components[&key].declaration.clone();
            if self.model.declarations.contains_key(&kind) {
                continue;
            }
            if hides_declaration(written.node) {
                let declaration = self.kind(&kind, &key, written.node, written.name);
                self.model.declarations.insert(kind, declaration);
                continue;
            }
            let diagnostic = match written.node.get("kind") {
                Some(named) => COMPONENT_TYPE
                    .diagnostic(format!("no component declares the component type `{kind}`"))
                    .label(&self.at(named.span), "named here")
                    .help_if(wattle::names::meant(&kind, declared.keys().map(|kind| &**kind)))
                    .help("add what it runs to one component of this type: `recipe: recipes/install.sh`"),
                None => COMPONENT_TYPE
                    .diagnostic(format!("`{key}` has neither a recipe nor a `kind`"))
                    .label(&self.at(written.name), "this component")
                    .help("add what it runs: `recipe: recipes/install.sh`"),
            };
            self.push(diagnostic);
        }
    }

    /// Reads the values that the components' inputs are wired to, and the components that they follow.
    pub(super) fn inputs(&mut self) {
        for (key, written) in self.written.clone() {
            if let Some(inputs) = written.node.get("inputs")
                && self.is_map(inputs, &format!("`inputs` of `{key}`"))
            {
                for (input, _, value) in pairs(inputs) {
                    let binding = Binding { value: self.own_value(value), at: self.at(value.span) };
                    self.model.components[&key].inputs.insert(input.into(), binding);
                }
            }
            let Some(after) = written.node.get("after") else { continue };
            if self.is_list(after, &format!("`after` of `{key}`")) {
                for node in items(after) {
                    self.runs_after(&key, node);
                }
            }
        }
    }

    fn runs_after(&mut self, key: &Name, node: &Node) {
        let named = node.as_key();
        let server = self.model.components[key].server.clone();
        let predecessor = if named.contains('/') { named } else { Model::component_key(&server, &named) };
        let at = self.at(node.span);
        self.model.after.push(After { component: key.clone(), predecessor: predecessor.into(), at });
    }
}

/// Whether the component has an invalid key that was probably meant as its recipe or type. That key has already been
/// reported.
pub(super) fn hides_declaration(node: &Node) -> bool {
    let is_unreadable = |kind: &Node| kind.tree.as_text().is_none();
    let is_meant = |name: &str| {
        !COMPONENT.contains(&name)
            && matches!(wattle::names::nearest(name, COMPONENT.iter().copied()), Some("recipe" | "kind"))
    };
    node.get("kind").is_some_and(is_unreadable) || pairs(node).any(|(name, ..)| is_meant(&name))
}
