//! The declaration of a component type: its recipe, its inputs and outputs.

use wattle::extended::short_name;
use wattle::model::{Declaration, Input, Listen, Name, OutputDeclaration, Ports, Protocol, Recipe, Tool, Type};
use wattle::names::meant;

use super::value::own_constant;
use super::{Reader, items, pairs};
use wattle_heat::yaml::{Node, Span, Tree};

/// The keys of a component, as an extended template describes it.
pub const COMPONENT: &[&str] = &[
    "name",
    "kind",
    "recipe",
    "teardown",
    "inputs",
    "types",
    "outputs",
    "after",
    "deadline",
    "wait",
    "listens",
    "bandwidth",
    "doc",
    "title",
];

/// The keys that are part of the type's declaration.
pub(super) const DECLARING: &[&str] =
    &["recipe", "teardown", "types", "outputs", "deadline", "wait", "listens", "bandwidth", "doc", "title"];

impl<'l> Reader<'l> {
    /// The declaration of a component type whose first component is `key`.
    pub(super) fn kind(&mut self, kind: &Name, key: &str, node: &'l Node, span: Span) -> Declaration {
        let what = if key.is_empty() { format!("the component type `{kind}`") } else { format!("`{key}`") };
        let name = match node.get("name").and_then(|name| name.tree.as_text()) {
            Some(name) if **kind == *key => name.to_owned(),
            _ => short_name(kind.rsplit('/').next().unwrap_or(kind)).to_owned(),
        };
        // A faulty recipe is reported, and reading continues, so that other mistakes are reported too.
        let unknown = || Recipe { tool: Tool::Chef, entry: "".into(), teardown: None, files: Vec::new() };
        let recipe = self.recipe(&what, key, node, span).unwrap_or_else(unknown);
        let mut declaration = Declaration {
            name: self.text_of(node, "title", &what).map_or_else(|| name.into(), Name::from),
            doc: self.text_of(node, "doc", &what).unwrap_or_default().to_owned(),
            recipe,
            inputs: wattle_model::IndexMap::default(),
            outputs: wattle_model::IndexMap::default(),
            listens: Vec::new(),
            deadline: self.seconds(node, "deadline", &what),
            wait: self.seconds(node, "wait", &what),
            bandwidth: self.bandwidth(node, &what),
            at: self.at(span),
        };
        if let Some(types) = node.get("types")
            && self.is_map(types, &format!("`types` of {what}"))
        {
            for (input, at, node) in pairs(types) {
                let declared = self.input(&input, at, node);
                declaration.inputs.insert(input.into(), declared);
            }
        }
        if let Some(outputs) = node.get("outputs") {
            self.outputs_of(&what, outputs, &mut declaration);
        }
        if let Some(listens) = node.get("listens")
            && self.is_list(listens, &format!("`listens` of {what}"))
        {
            declaration.listens = items(listens).iter().filter_map(|listen| self.listen(listen)).collect();
        }
        declaration
    }

    fn outputs_of(&mut self, what: &str, outputs: &'l Node, declaration: &mut Declaration) {
        match &*outputs.tree {
            Tree::List(names) => {
                for node in names {
                    let at = self.at(node.span);
                    if matches!(*node.tree, Tree::List(_) | Tree::Map(_)) {
                        let found = node.tree.kind();
                        let message =
                            format!("an output of {what} is {found}, but a list of outputs contains their names");
                        let help = "if an output has a type, write a map of all outputs: `outputs: {url: url}`";
                        self.malformed(node.span, message, "a name is expected here", help.into());
                        continue;
                    }
                    let name = Name::from(node.as_key());
                    if declaration.outputs.contains_key(&name) {
                        let message = format!("{what} has two outputs `{name}`");
                        self.malformed(node.span, message, "the second one", "name each output once".into());
                    }
                    declaration.outputs.insert(name, output(Type::STR, at));
                }
            }
            Tree::Map(_) => {
                for (name, at, node) in pairs(outputs) {
                    let declared = self.output_of(&name, at, node);
                    declaration.outputs.insert(name.into(), declared);
                }
            }
            other => {
                let message = format!("`outputs` of {what} is {}", other.kind());
                let help = "write a list of names, or a map of each one's type";
                self.malformed(outputs.span, message, "neither a list nor a map", help.into());
            }
        }
    }

    /// The type, and the rest of a map that has a key `type`. An invalid type is reported and treated as any type, so that
    /// other mistakes are reported too.
    fn typed(&mut self, node: &'l Node, what: &str, keys: &[&str]) -> (Type, Option<&'l Node>) {
        match node.get("type") {
            Some(ty) => {
                self.only(node, what, keys);
                (self.ty(ty).unwrap_or(Type::Any), Some(node))
            }
            None => (self.ty(node).unwrap_or(Type::Any), None),
        }
    }

    fn input(&mut self, name: &str, at: Span, node: &'l Node) -> Input {
        let what = format!("the input `{name}`");
        let (ty, more) = self.typed(node, &what, &["type", "required", "default", "doc", "path"]);
        let mut input =
            Input { ty, required: true, default: None, doc: String::new(), path: Vec::new(), at: self.at(at) };
        if let Some(node) = more {
            input.default = node.get("default").map(own_constant);
            input.required = self.flag(node, "required", &what).unwrap_or(input.default.is_none());
            self.text_of(node, "doc", &what).unwrap_or_default().clone_into(&mut input.doc);
            input.path = self.texts(node, "path", &what);
        }
        input
    }

    fn output_of(&mut self, name: &str, at: Span, node: &'l Node) -> OutputDeclaration {
        let what = format!("the output `{name}`");
        let (ty, more) = self.typed(node, &what, &["type", "bandwidth", "dynamic", "early", "doc", "path"]);
        let mut output = output(ty, self.at(at));
        if let Some(node) = more {
            output.bandwidth = self.bandwidth(node, &what);
            output.dynamic = self.flag(node, "dynamic", &what).unwrap_or_default();
            output.early = self.flag(node, "early", &what).unwrap_or_default();
            self.text_of(node, "doc", &what).unwrap_or_default().clone_into(&mut output.doc);
            output.path = self.texts(node, "path", &what);
        }
        output
    }

    /// `{tcp: 8080}`, `{udp: "1000-2000"}`, or `{tcp: INPUT}`.
    fn listen(&mut self, node: &Node) -> Option<Listen> {
        let mut listens = pairs(node);
        let found = match (listens.next(), listens.next()) {
            (Some((protocol, _, ports)), None) => match protocol.as_str() {
                "tcp" => Some((Protocol::Tcp, ports)),
                "udp" => Some((Protocol::Udp, ports)),
                _ => None,
            },
            _ => None,
        };
        let ports = |ports: &Node| match &*ports.tree {
            Tree::Integer(port) => {
                u16::try_from(*port).ok().filter(|port| *port > 0).map(|port| Ports::Fixed { first: port, last: port })
            }
            Tree::Text { text, .. } => match range(text) {
                Some((first, last)) if 0 < first && first <= last => Some(Ports::Fixed { first, last }),
                None if !text.contains('-') && !is_number(text) => Some(Ports::OfInput(text.as_str().into())),
                _ => None,
            },
            _ => None,
        };
        let listen = found.and_then(|(protocol, written)| Some(Listen { protocol, ports: ports(written)? }));
        if listen.is_none() {
            let text = found.and_then(|(_, ports)| ports.tree.as_text()).unwrap_or_default();
            let (message, help) = if range(text).is_some() {
                let help = "write the first port, at least 1, and the last port, which is not smaller";
                (format!("`{text}` is not a range of ports"), help.to_owned())
            } else if is_number(text) {
                let help = format!("write it without quotes: `{{tcp: {text}}}`");
                (format!("a port is a number, but `{text}` is text"), help)
            } else {
                let help = "write `{tcp: 8080}`, `{udp: \"1000-2000\"}`, or the input that has the port: `{tcp: port}`";
                ("this does not name ports".to_owned(), help.to_owned())
            };
            self.malformed(node.span, message, "ports are expected here", help);
        }
        listen
    }

    /// Reports ports that refer to an input that does not exist.
    pub(super) fn listens(&mut self) {
        for (key, written) in self.written.clone() {
            let component = &self.model.components[&key];
            let Some(kind) = self.model.declaration(component) else { continue };
            let inputs: Vec<Name> = kind.inputs.keys().cloned().collect();
            for (_, _, ports) in written.node.get("listens").map(items).unwrap_or_default().iter().flat_map(pairs) {
                let Some(name) = ports.tree.as_text().filter(|name| !name.contains('-') && !is_number(name)) else {
                    continue;
                };
                if inputs.iter().any(|input| **input == *name) {
                    continue;
                }
                let message = format!("`{key}` listens on the port in its input `{name}`, but has no such input");
                let help = meant(name, inputs.iter().map(|input| &**input))
                    .unwrap_or_else(|| "write the port, or add this input to the component".to_owned());
                self.malformed(ports.span, message, "not an input", help);
            }
        }
    }
}

/// The first and last port of a range.
fn range(text: &str) -> Option<(u16, u16)> {
    let port = |text: &str| text.trim().parse().ok();
    let (first, last) = text.split_once('-')?;
    port(first).zip(port(last))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn output(ty: Type, at: wattle::model::Source) -> OutputDeclaration {
    OutputDeclaration { ty, bandwidth: None, dynamic: false, early: false, doc: String::new(), path: Vec::new(), at }
}
