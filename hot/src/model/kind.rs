//! What a kind of component declares: its recipe, its inputs and outputs.

use wattle::extended::short_name;
use wattle::model::{Declaration, Input, Listen, Name, OutputDeclaration, Ports, Protocol, Recipe, Tool, Type};

use super::value::own_constant;
use super::{Reader, items, pairs};
use crate::yaml::{Node, Span, Tree};

/// The keys of a component.
pub(super) const COMPONENT: &[&str] = &[
    "name", "kind", "recipe", "teardown", "inputs", "types", "outputs", "after", "deadline", "wait", "listens", "doc",
    "title",
];

/// Those that say what a kind declares.
pub(super) const DECLARING: &[&str] =
    &["recipe", "teardown", "types", "outputs", "deadline", "wait", "listens", "doc", "title"];

impl<'l> Reader<'l> {
    /// The declaration of a kind, of which `key` is the first component.
    pub(super) fn kind(&mut self, kind: &Name, key: &str, node: &'l Node, span: Span) -> Declaration {
        let what = if key.is_empty() { format!("the kind `{kind}`") } else { format!("`{key}`") };
        let name = match node.get("name").and_then(|name| name.tree.as_text()) {
            Some(name) if **kind == *key => name.to_owned(),
            _ => short_name(kind.rsplit('/').next().unwrap_or(kind)).to_owned(),
        };
        // What is wrong with a recipe is told; what is wrong elsewhere is not to be overlooked for that.
        let unknown = || Recipe { tool: Tool::Chef, entry: "".into(), teardown: None, files: Vec::new() };
        let recipe = self.recipe(&what, key, node, span).unwrap_or_else(unknown);
        let mut declaration = Declaration {
            name: self.text_of(node, "title", &what).map_or_else(|| name.into(), Name::from),
            doc: self.text_of(node, "doc", &what).unwrap_or_default().to_owned(),
            recipe,
            inputs: indexmap::IndexMap::new(),
            outputs: indexmap::IndexMap::new(),
            listens: Vec::new(),
            deadline: self.seconds(node, "deadline", &what),
            wait: self.seconds(node, "wait", &what),
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
                for name in names {
                    let at = self.at(name.span);
                    declaration.outputs.insert(name.as_key().into(), output(Type::Str, at));
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

    /// The type, and what more is said in a map that has a key `type`. What is no type is told, and stands for any, so that
    /// what is wrong elsewhere is told as well.
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
        let (ty, more) = self.typed(node, &what, &["type", "dynamic", "early", "doc", "path"]);
        let mut output = output(ty, self.at(at));
        if let Some(node) = more {
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
            Tree::Integer(port) => u16::try_from(*port).ok().map(|port| Ports::Fixed { first: port, last: port }),
            Tree::Text { text, .. } => match text.split_once('-') {
                Some((first, last)) => {
                    let port = |text: &str| text.trim().parse::<u16>().ok();
                    port(first).zip(port(last)).map(|(first, last)| Ports::Fixed { first, last })
                }
                None => Some(Ports::OfInput(text.as_str().into())),
            },
            _ => None,
        };
        let listen = found.and_then(|(protocol, written)| Some(Listen { protocol, ports: ports(written)? }));
        if listen.is_none() {
            let help = "write `{tcp: 8080}`, `{udp: \"1000-2000\"}`, or the input that tells it: `{tcp: port}`";
            self.malformed(node.span, "this says no ports".into(), "ports are expected here", help.into());
        }
        listen
    }
}

fn output(ty: Type, at: wattle::model::Source) -> OutputDeclaration {
    OutputDeclaration { ty, dynamic: false, early: false, doc: String::new(), path: Vec::new(), at }
}
