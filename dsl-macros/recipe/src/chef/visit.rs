//! What a Ruby file does with the node, noted while [`super::visitor`] walks over it in source order.

use lib_ruby_parser::nodes::{Block, Send};
use lib_ruby_parser::traverse::visitor::Visitor;
use lib_ruby_parser::{Loc, Node};

use super::place::{ALTERNATIVES, LEVELS, Place, Scope, sent};
use super::resource::Resource;
use super::ruby::Lines;
use super::shell::Shell;
use crate::analysis::{FileOutline, Include};
use crate::names::extension;

pub(super) fn visit(ast: &Node, lines: &Lines) -> FileOutline {
    let mut walk = Walk {
        lines,
        scope: Scope::default(),
        outline: FileOutline::default(),
        template: None,
        resource: None,
        shell: None,
        is_declared: false,
        asks: false,
    };
    walk.visit(ast);
    walk.outline
}

/// Methods that put their arguments below a path.
const MERGING: [&str; 7] = ["merge!", "update", "deep_merge!", "deep_merge", "replace", "merge", "reverse_merge!"];
/// Methods of the node that write their last argument to the path that the others are.
const WRITING: [&str; 9] = [
    "default!",
    "normal!",
    "override!",
    "force_default!",
    "force_override!",
    "default_unless",
    "normal_unless",
    "override_unless",
    "set_unless",
];
/// Methods that change a value in place.
const CHANGING: [&str; 7] = ["<<", "push", "append", "unshift", "concat", "insert", "prepend"];
/// Methods of the node that take attributes from elsewhere, or code from text.
const OPAQUE: [&str; 8] = [
    "consume_attributes",
    "consume_external_attrs",
    "apply_expansion_attributes",
    "update_from!",
    "instance_eval",
    "class_eval",
    "deep_merge_attributes",
    "instance_exec",
];

/// Methods that see all of what they are called on.
const WHOLE: [&str; 9] = ["to_hash", "to_h", "each", "keys", "values", "dup", "clone", "map", "inspect"];

pub(super) struct Walk<'a> {
    pub(super) lines: &'a Lines,
    pub(super) scope: Scope,
    pub(super) outline: FileOutline,
    /// The template whose block this is in, until its `source` is seen.
    pub(super) template: Option<String>,
    /// The resource whose block this is in, if it takes a file of the cookbook.
    pub(super) resource: Option<Resource>,
    /// The shell whose block this is in.
    pub(super) shell: Option<Shell>,
    /// Whether what comes next is the call of a block.
    pub(super) is_declared: bool,
    /// Whether this is an existence test.
    pub(super) asks: bool,
}

impl Walk<'_> {
    pub(super) fn write(&mut self, place: &Place, line: u32) {
        let keys: Option<Vec<&str>> = place.iter().map(Option::as_deref).collect();
        match keys {
            Some(keys) if !keys.is_empty() => {
                let path = keys.join("/");
                self.outline.names.set(&path);
                self.outline.analysis.write(path, line);
            }
            _ => {
                self.outline.names.anything = true;
                self.outline.analysis.dynamic_writes = true;
            }
        }
    }

    /// Records that it may read and write anything.
    fn anything(&mut self) {
        self.outline.names.anything = true;
        self.outline.analysis.anything();
    }

    /// Visits code that asks whether something is there.
    pub(super) fn asking(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.asks, true);
        visit(self);
        self.asks = outer;
    }

    /// Records that the value at these places is used as it is.
    pub(super) fn need(&mut self, places: &[Place], line: u32) {
        for place in places {
            if let Some(keys) = place.iter().map(Option::as_deref).collect::<Option<Vec<&str>>>() {
                let name = keys.join("/");
                if self.asks {
                    self.outline.names.spare(&name);
                }
                self.outline.names.need(&name, line);
            }
        }
    }

    /// Records that the places may be empty, and that this is handled.
    pub(super) fn spare(&mut self, places: &[Place]) {
        for place in places {
            let known: Vec<&str> = place.iter().map_while(Option::as_deref).collect();
            self.outline.names.set(&known.join("/"));
        }
    }

    /// A hash literal writes what is in it; any other value may contain everything below.
    pub(super) fn write_value(&mut self, places: &[Place], value: &Node, line: u32) {
        let pairs = match value {
            Node::Hash(hash) => &hash.pairs,
            Node::Kwargs(hash) => &hash.pairs,
            _ => {
                for place in places {
                    self.write(place, line);
                }
                return;
            }
        };
        for pair in pairs {
            match pair {
                Node::Pair(pair) => {
                    let below = self.scope.below(places.to_vec(), std::slice::from_ref(&*pair.key));
                    let line = self.line(&pair.expression_l);
                    self.write_value(&below, &pair.value, line);
                }
                _ => places.iter().for_each(|place| self.write(place, line)),
            }
        }
    }

    pub(super) fn read(&mut self, places: &[Place], line: u32) {
        for place in places {
            let known: Vec<&str> = place.iter().map_while(Option::as_deref).collect();
            if known.is_empty() {
                self.outline.analysis.dynamic_reads = true;
            } else {
                self.outline.analysis.read(known.join("/"), line);
            }
        }
    }

    pub(super) fn line(&self, loc: &Loc) -> u32 {
        self.lines.of(loc.begin)
    }

    /// Visits what is computed on the way to a place, but not the place itself, which would be a read of a whole.
    pub(super) fn visit_keys(&mut self, node: &Node) {
        match node {
            Node::Index(index) => {
                self.visit_keys(&index.recv);
                self.visit_all(&index.indexes);
            }
            Node::IndexAsgn(index) => {
                self.visit_keys(&index.recv);
                self.visit_all(&index.indexes);
            }
            Node::Send(send) => {
                if let Some(recv) = &send.recv
                    && send.method_name != "node"
                {
                    self.visit_keys(recv);
                }
                self.visit_all(&send.args);
            }
            Node::CSend(send) => {
                self.visit_keys(&send.recv);
                self.visit_all(&send.args);
            }
            Node::Begin(begin) => begin.statements.iter().for_each(|node| self.visit_keys(node)),
            _ => {}
        }
    }

    pub(super) fn visit_all(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.visit(node);
        }
    }

    pub(super) fn assign(&mut self, target: &Node, value: &Node, loc: &Loc) -> bool {
        let places = match target {
            Node::Send(send) => match (&send.recv, send.args.is_empty()) {
                // `node.default.url ||= 1`
                (Some(recv), true) => {
                    let name = send.method_name.trim_end_matches('=').to_owned();
                    with_key(self.scope.places(recv), &name)
                }
                _ => Vec::new(),
            },
            _ => self.scope.places(target),
        };
        if places.is_empty() {
            return false;
        }
        let line = self.line(loc);
        self.write_value(&places, value, line);
        self.visit_keys(target);
        self.visit(value);
        true
    }

    /// A call on the node or on a part of it; returns whether its receiver is dealt with.
    pub(super) fn call(&mut self, recv: &Node, name: &str, args: &[Node], line: u32) -> bool {
        let places = self.scope.places(recv);
        if places.is_empty() {
            return false;
        }
        let root = places.iter().all(Vec::is_empty);
        let all = args;
        let (name, args) = sent(name, args);
        let name = &*name;
        match name {
            // The node and all of its attributes want to know which level is written to.
            "write" | "write!" if root && !self.scope.is_level(recv) => {
                self.write_path(places, args.get(1..).unwrap_or_default(), line);
            }
            "write" | "write!" => self.write_path(places, args, line),
            _ if root && WRITING.contains(&name) && !args.is_empty() => self.write_path(places, args, line),
            "send" | "public_send" | "__send__" if args.len() > 1 => self.anything(),
            "store" | "[]=" if args.len() == 2 => {
                let below = self.scope.below(places, &args[..1]);
                self.write_value(&below, &args[1], line);
            }
            _ if MERGING.contains(&name) => {
                if !name.ends_with('!') && name != "update" && name != "replace" {
                    self.read(&places, line);
                }
                for arg in args {
                    self.write_value(&places, arg, line);
                }
            }
            _ if CHANGING.contains(&name) => places.iter().for_each(|place| self.write(place, line)),
            _ if OPAQUE.contains(&name) => self.anything(),
            _ if name.ends_with('=') && args.len() == 1 && !matches!(name, "==" | "!=" | "===" | "<=" | ">=") => {
                let name = name.trim_end_matches('=');
                let below = if root && LEVELS.contains(&name) { places } else { with_key(places, name) };
                self.write_value(&below, &args[0], line);
            }
            _ if root && WHOLE.contains(&name) => self.outline.analysis.dynamic_reads = true,
            // `node.name`, or `node.db2` in the old form: its name is what it reads.
            _ if root && args.is_empty() && is_plain(name) => {
                self.read(&with_key(places, name), line);
            }
            _ => return false,
        }
        self.visit_keys(recv);
        self.visit_all(all);
        true
    }

    /// The last of `args` is written to the path below `places` that the others are.
    fn write_path(&mut self, places: Vec<Place>, args: &[Node], line: u32) {
        let Some((value, keys)) = args.split_last() else { return self.anything() };
        let below = self.scope.below(places, keys);
        self.write_value(&below, value, line);
    }

    /// A call without a receiver. In attribute files, that is the node.
    pub(super) fn function(&mut self, name: &str, args: &[Node], line: u32) {
        let is_declared = std::mem::take(&mut self.is_declared);
        if let Some(shell) = &mut self.shell {
            shell.property(name, args, self.lines);
        } else if !is_declared && let Some(shell) = Shell::of(name, args, self.lines) {
            shell.note(&mut self.outline);
        }
        let node = || vec![Place::new()];
        if WRITING.contains(&name) && !args.is_empty() {
            self.write_path(node(), args, line);
        } else if matches!(name, "write" | "write!") && args.len() > 2 {
            self.write_path(node(), &args[1..], line);
        }
        let argument =
            args.first().and_then(|arg| if let Node::Str(text) = arg { text.value.to_string().ok() } else { None });
        if let Some(resource) = &mut self.resource {
            resource.property(name, argument.as_deref());
        }
        let include = match (name, argument) {
            ("include_recipe" | "include_attribute", Some(text)) => {
                let (cookbook, recipe) = text.split_once("::").unwrap_or((&text, "default"));
                let folder = if name == "include_recipe" { "recipes" } else { "attributes" };
                Include::Cookbook { cookbook: cookbook.into(), folder, file: format!("{recipe}.rb") }
            }
            ("require_relative" | "load", Some(text)) => {
                let file = crate::names::file_name(&text);
                Include::File(if extension(file) == Some("rb") { file.into() } else { format!("{file}.rb") })
            }
            ("source", Some(text)) if extension(&text) == Some("erb") => {
                self.template = None;
                Include::Template(crate::names::file_name(&text).into())
            }
            ("include_recipe" | "include_attribute" | "require_relative" | "load", None)
            | ("eval" | "instance_eval" | "class_eval" | "from_file", _) => {
                self.anything();
                return;
            }
            ("source", _) => {
                self.outline.analysis.dynamic_reads |= self.template.take().is_some();
                return;
            }
            _ => return,
        };
        self.outline.includes.push(include);
    }

    /// `node` handed to a function, which may do anything with it, or a part of a level, to which it may write.
    pub(super) fn arguments(&mut self, args: &[Node]) {
        for arg in args {
            let places = self.scope.places(arg);
            if places.iter().any(Vec::is_empty) {
                self.anything();
            } else if !places.is_empty() && self.scope.is_level(arg) {
                self.outline.analysis.dynamic_writes = true;
            }
        }
    }

    /// Binds the first block argument to what the call yields.
    pub(super) fn block_argument(&mut self, block: &Block) {
        let Some(Node::Args(args)) = block.args.as_deref() else { return };
        let name = match args.args.first() {
            Some(Node::Arg(arg)) => &arg.name,
            Some(Node::Procarg0(arg)) => match arg.args.first() {
                Some(Node::Arg(arg)) => &arg.name,
                _ => return,
            },
            _ => return,
        };
        self.scope.places.remove(name);
        self.scope.levels.remove(name);
        self.scope.texts.remove(name);
        let Node::Send(Send { recv: Some(recv), method_name, .. }) = &*block.call else { return };
        match method_name.as_str() {
            "tap" | "then" | "yield_self" => {
                let places = self.scope.places(recv);
                self.scope.places.insert(name.clone(), places);
                if self.scope.is_level(recv) {
                    self.scope.levels.insert(name.clone());
                }
            }
            // What is in a level may be written to as well.
            _ if self.scope.is_level(recv) && !self.scope.places(recv).is_empty() => {
                self.outline.analysis.dynamic_writes = true;
            }
            "each" | "each_pair" | "each_key" | "each_with_index" | "map" => {
                if let Some(elements) = self.scope.elements(recv) {
                    self.scope.texts.insert(name.clone(), elements.into_iter().map(Some).collect());
                }
            }
            _ => {}
        }
    }

    /// Adds to what a variable may hold: which of its assignments ran last is not known.
    pub(super) fn variable(&mut self, name: &str, value: Option<&Node>) -> bool {
        let Some(value) = value else { return false };
        let places = self.scope.places(value);
        if !places.is_empty() {
            let known = self.scope.places.entry(name.to_owned()).or_default();
            known.extend(places);
            known.truncate(ALTERNATIVES);
            if self.scope.is_level(value) {
                self.scope.levels.insert(name.to_owned());
            }
            self.visit_keys(value);
            return true;
        }
        let texts = match self.scope.elements(value) {
            Some(elements) => elements.into_iter().map(Some).collect(),
            None => self.scope.texts(value),
        };
        let known = self.scope.texts.entry(name.to_owned()).or_default();
        known.extend(texts);
        if known.len() > ALTERNATIVES {
            *known = vec![None];
        }
        false
    }
}

fn with_key(places: Vec<Place>, key: &str) -> Vec<Place> {
    places
        .into_iter()
        .map(|mut place| {
            place.push(Some(key.to_owned()));
            place
        })
        .collect()
}

fn is_plain(name: &str) -> bool {
    crate::names::is_identifier(name) && !LEVELS.contains(&name) && name != "run_state"
}
