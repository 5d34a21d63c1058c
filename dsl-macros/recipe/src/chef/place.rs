//! The part of the node that an expression refers to.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use lib_ruby_parser::Node;
use lib_ruby_parser::nodes::Send;

/// A path below the node; `None` stands for a computed key.
pub(super) type Place = Vec<Option<String>>;

/// More alternatives than this are not worth distinguishing.
pub(super) const ALTERNATIVES: usize = 64;

/// Longer chains of calls are not paths; the limit keeps hostile input from being followed at every link.
const LONGEST: u32 = 64;

/// Precedence levels of attributes, and other methods that return the same tree.
pub(super) const LEVELS: [&str; 30] = [
    "default",
    "normal",
    "override",
    "automatic",
    "force_default",
    "force_override",
    "default_unless",
    "normal_unless",
    "override_unless",
    "set",
    "set_unless",
    "role_default",
    "env_default",
    "role_override",
    "env_override",
    "default!",
    "normal!",
    "override!",
    "automatic!",
    "force_default!",
    "force_override!",
    "attributes",
    "attribute",
    "merged_attributes",
    "combined_default",
    "combined_override",
    "default_attrs",
    "normal_attrs",
    "override_attrs",
    "automatic_attrs",
];

/// The methods among these that are not a writable level.
const MERGED: [&str; 5] = ["attributes", "attribute", "merged_attributes", "combined_default", "combined_override"];

/// Methods of the node that read the path given by their arguments, also in attribute files, where the node is implicit.
const READING: [&str; 7] =
    ["read", "read!", "exist?", "attribute?", "merged_attributes", "combined_default", "combined_override"];

/// Methods whose arguments are keys.
pub(super) const KEYED: [&str; 17] = [
    "[]",
    "fetch",
    "dig",
    "read",
    "read!",
    "key?",
    "has_key?",
    "include?",
    "exist?",
    "attribute?",
    "values_at",
    "fetch_values",
    "slice",
    "merged_attributes",
    "combined_default",
    "combined_override",
    "debug_value",
];

/// The possible values of local variables, constants and block arguments.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) places: BTreeMap<String, Vec<Place>>,
    /// The variables among these that may be a part of a precedence level.
    pub(super) levels: BTreeSet<String>,
    /// `None` among the values stands for a computed one.
    pub(super) texts: BTreeMap<String, Vec<Option<String>>>,
}

impl Scope {
    /// The places that a node may refer to; empty if it has nothing to do with the Chef node.
    pub(super) fn places(&self, node: &Node) -> Vec<Place> {
        self.at_depth(node, 0)
    }

    fn at_depth(&self, node: &Node, depth: u32) -> Vec<Place> {
        if depth > LONGEST {
            return Vec::new();
        }
        let depth = depth + 1;
        match node {
            Node::Index(index) => self.below(self.at_depth(&index.recv, depth), &index.indexes),
            Node::IndexAsgn(index) => self.below(self.at_depth(&index.recv, depth), &index.indexes),
            Node::Lvar(variable) => self.places.get(&variable.name).cloned().unwrap_or_default(),
            Node::Ivar(variable) if variable.name == "@node" => vec![Place::new()],
            Node::Ivar(variable) => self.places.get(&variable.name).cloned().unwrap_or_default(),
            Node::Send(send) => self.of_send(send, depth),
            Node::CSend(send) => self.of_call(&send.recv, &send.method_name, &send.args, depth),
            Node::Begin(begin) if begin.statements.len() == 1 => self.at_depth(&begin.statements[0], depth),
            // `(node.default['db2'] ||= {})['url'] = 1`
            Node::OrAsgn(assigned) => self.at_depth(&assigned.recv, depth),
            Node::AndAsgn(assigned) => self.at_depth(&assigned.recv, depth),
            _ => Vec::new(),
        }
    }

    /// Whether an expression with a place is part of a precedence level, which is writable, unlike the merged attributes.
    pub(super) fn is_level(&self, node: &Node) -> bool {
        let mut node = node;
        for _ in 0..LONGEST {
            node = match node {
                Node::Index(index) => &index.recv,
                Node::IndexAsgn(index) => &index.recv,
                Node::OrAsgn(assigned) => &assigned.recv,
                Node::AndAsgn(assigned) => &assigned.recv,
                Node::Begin(begin) if begin.statements.len() == 1 => &begin.statements[0],
                Node::Lvar(variable) => return self.levels.contains(&variable.name),
                Node::Ivar(variable) => return self.levels.contains(&variable.name),
                Node::Send(send) => {
                    let name = sent(&send.method_name, &send.args).0;
                    if LEVELS.contains(&&*name) {
                        return !MERGED.contains(&&*name);
                    }
                    let Some(recv) = &send.recv else { return false };
                    recv
                }
                Node::CSend(send) if LEVELS.contains(&&*send.method_name) => {
                    return !MERGED.contains(&&*send.method_name);
                }
                Node::CSend(send) => &send.recv,
                _ => return false,
            };
        }
        true
    }

    pub(super) fn of_send(&self, send: &Send, depth: u32) -> Vec<Place> {
        let name = send.method_name.as_str();
        match &send.recv {
            // `run_context.node` and `new_resource.node` are the same node.
            _ if name == "node" && send.args.is_empty() => vec![Place::new()],
            None if send.args.is_empty() && LEVELS.contains(&name) => vec![Place::new()],
            None if READING.contains(&name) => self.below(vec![Place::new()], &send.args),
            None => Vec::new(),
            Some(recv) => self.of_call(recv, name, &send.args, depth),
        }
    }

    pub(super) fn of_call(&self, recv: &Node, name: &str, args: &[Node], depth: u32) -> Vec<Place> {
        let places = self.at_depth(recv, depth);
        if places.is_empty() {
            return Vec::new();
        }
        let (name, args) = sent(name, args);
        match &*name {
            "values_at" | "fetch_values" | "slice" => {
                args.iter().flat_map(|arg| self.below(places.clone(), std::slice::from_ref(arg))).collect()
            }
            // The default after the key is not a key.
            "fetch" => self.below(places, args.get(..1).unwrap_or_default()),
            name if KEYED.contains(&name) => self.below(places, args),
            "send" | "public_send" if args.len() == 1 => places,
            name if LEVELS.contains(&name) && args.is_empty() => places,
            _ => Vec::new(),
        }
    }

    pub(super) fn below(&self, places: Vec<Place>, keys: &[Node]) -> Vec<Place> {
        keys.iter().fold(places, |places, key| {
            let names = self.texts(key);
            if places.len() * names.len() > ALTERNATIVES {
                return places.into_iter().map(|place| extended(place, None)).collect();
            }
            names.iter().flat_map(|name| places.iter().map(|place| extended(place.clone(), name.clone()))).collect()
        })
    }

    /// The possible values of a key; `None` stands for a computed one.
    pub(super) fn texts(&self, key: &Node) -> Vec<Option<String>> {
        let known = |name: &str| match self.texts.get(name) {
            Some(texts) => texts.clone(),
            None => vec![None],
        };
        match key {
            Node::Str(text) => vec![text.value.to_string().ok()],
            Node::Sym(symbol) => vec![symbol.name.to_string().ok()],
            Node::Int(number) => vec![Some(number.value.clone())],
            Node::Lvar(variable) => known(&variable.name),
            Node::Const(constant) => known(&constant.name),
            Node::Send(send) if matches!(send.method_name.as_str(), "to_s" | "to_sym" | "freeze") => {
                send.recv.as_ref().map_or_else(|| vec![None], |recv| self.texts(recv))
            }
            Node::Begin(begin) if begin.statements.len() == 1 => self.texts(&begin.statements[0]),
            _ => vec![None],
        }
    }

    /// The constants that an expression yields when iterated over, by its first block argument.
    pub(super) fn elements(&self, node: &Node) -> Option<Vec<String>> {
        match node {
            Node::Array(array) => array.elements.iter().map(|element| self.one_text(element)).collect(),
            Node::Hash(hash) => hash
                .pairs
                .iter()
                .map(|pair| if let Node::Pair(pair) = pair { self.one_text(&pair.key) } else { None })
                .collect(),
            Node::Lvar(variable) => self.texts.get(&variable.name)?.iter().cloned().collect(),
            Node::Const(constant) => self.texts.get(&constant.name)?.iter().cloned().collect(),
            Node::Send(send) if send.method_name == "freeze" => self.elements(send.recv.as_ref()?),
            Node::Begin(begin) if begin.statements.len() == 1 => self.elements(&begin.statements[0]),
            _ => None,
        }
    }

    fn one_text(&self, node: &Node) -> Option<String> {
        let mut texts = self.texts(node);
        if texts.len() == 1 { texts.pop().flatten() } else { None }
    }
}

/// The effective method and arguments of a call: `node.send(:default)` is `node.default`.
pub(super) fn sent<'a>(name: &'a str, args: &'a [Node]) -> (Cow<'a, str>, &'a [Node]) {
    let named = |node: &Node| match node {
        Node::Str(text) => text.value.to_string().ok(),
        Node::Sym(symbol) => symbol.name.to_string().ok(),
        _ => None,
    };
    match (name, args.split_first()) {
        ("send" | "public_send" | "__send__", Some((first, rest))) => match named(first) {
            Some(name) => (Cow::Owned(name), rest),
            None => (Cow::Borrowed(name), args),
        },
        _ => (Cow::Borrowed(name), args),
    }
}

fn extended(mut place: Place, key: Option<String>) -> Place {
    place.push(key);
    place
}
