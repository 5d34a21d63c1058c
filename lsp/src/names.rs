//! The names of a template: their definitions and references.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use wattle::extended::{KEY, MODEL};
use wattle::model::Model;
use wattle_heat::Loaded;
use wattle_heat::template::{Call, Context, Function, Step, Template, Version, walk};
use wattle_heat::yaml::{Node, Tree};

use crate::software::{self, entries};
use crate::text::Text;

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Symbol {
    Parameter(String),
    Condition(String),
    Resource(String),
    /// A component: its server and its name.
    Component(String, String),
    /// An output of a component: the component type and its name.
    Output(String, String),
}

impl Symbol {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Parameter(name)
            | Self::Condition(name)
            | Self::Resource(name)
            | Self::Component(_, name)
            | Self::Output(_, name) => name,
        }
    }

    /// The noun for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Parameter(_) => "parameter",
            Self::Condition(_) => "condition",
            Self::Resource(_) => "resource",
            Self::Component(..) => "component",
            Self::Output(..) => "output",
        }
    }

    /// The same kind of symbol in the same scope, with another name.
    pub(crate) fn named(&self, name: &str) -> Self {
        let name = name.to_owned();
        match self {
            Self::Parameter(_) => Self::Parameter(name),
            Self::Condition(_) => Self::Condition(name),
            Self::Resource(_) => Self::Resource(name),
            Self::Component(server, _) => Self::Component(server.clone(), name),
            Self::Output(kind, _) => Self::Output(kind.clone(), name),
        }
    }
}

/// An occurrence of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    pub(crate) symbol: Symbol,
    /// Its bytes, without quotes.
    pub(crate) bytes: Range<usize>,
    /// Whether this is the definition of the name.
    pub(crate) gives: bool,
    /// Whether the name is written there without escapes.
    pub(crate) is_plain: bool,
}

/// All names of a template, in the order of the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(Vec<Occurrence>);

impl Names {
    /// Collects the names of a template, whose text is `text` and whose model is `model`.
    pub(crate) fn of(loaded: &Loaded, model: &Model, text: &Text) -> Self {
        let template = &loaded.template;
        let mut reader =
            Reader { template, model, text, version: template.version(), seen: HashSet::new(), found: Vec::new() };
        reader.sections();
        reader.software();
        reader.model();
        let mut found = reader.found;
        found.sort_by_key(|one| (one.bytes.start, one.bytes.end, !one.gives));
        found.dedup_by(|later, first| later.bytes == first.bytes && later.symbol == first.symbol);
        Self(found)
    }

    /// The name that is at a byte, or ends there.
    pub(crate) fn at(&self, offset: usize) -> Option<&Occurrence> {
        let within = |one: &&Occurrence| one.bytes.start <= offset && offset <= one.bytes.end;
        self.0.iter().filter(within).min_by_key(|one| one.bytes.len())
    }

    /// All occurrences of `symbol`.
    pub(crate) fn of_symbol(&self, symbol: &Symbol) -> impl Iterator<Item = &Occurrence> {
        self.0.iter().filter(move |one| one.symbol == *symbol)
    }
}

struct Reader<'t> {
    template: &'t Template,
    model: &'t Model,
    text: &'t Text,
    version: Version,
    /// Values that were visited already: aliases share them.
    seen: HashSet<(*const Tree, Context)>,
    found: Vec<Occurrence>,
}

impl<'t> Reader<'t> {
    fn push(&mut self, symbol: Symbol, span: wattle_heat::yaml::Span, gives: bool) {
        let name = symbol.name().to_owned();
        self.part(symbol, span, &name, 0..name.len(), gives);
    }

    /// Adds a name that is the part `within` of the written text `whole`.
    fn part(&mut self, symbol: Symbol, span: wattle_heat::yaml::Span, whole: &str, within: Range<usize>, gives: bool) {
        let bytes = self.text.bytes(span);
        let raw = &self.text.whole[bytes.clone()];
        let quote = raw.len() - raw.trim_start_matches(['"', '\'']).len();
        let start = bytes.start + quote.min(1);
        let is_plain = self.text.whole[start..].starts_with(whole) && start + whole.len() <= bytes.end;
        let bytes = if is_plain { start + within.start..start + within.end } else { bytes };
        self.found.push(Occurrence { symbol, bytes, gives, is_plain });
    }

    fn refer(&mut self, symbol: fn(String) -> Symbol, node: Option<&Node>) {
        if let Some((node, name)) = node.and_then(|node| Some((node, node.tree.as_text()?))) {
            self.push(symbol(name.to_owned()), node.span, false);
        }
    }

    fn sections(&mut self) {
        let template = self.template;
        for (name, parameter) in &template.parameters {
            self.push(Symbol::Parameter(name.clone()), parameter.name_span, true);
        }
        for (name, span) in template.parameter_groups.iter().flat_map(|group| &group.parameters) {
            self.push(Symbol::Parameter(name.clone()), *span, false);
        }
        for (name, condition) in &template.conditions {
            self.push(Symbol::Condition(name.clone()), condition.name_span, true);
            self.condition(Some(&condition.node));
        }
        for (name, resource) in &template.resources {
            self.push(Symbol::Resource(name.clone()), resource.name_span, true);
            for (required, span) in resource.depends_on() {
                self.push(Symbol::Resource(required.to_owned()), span, false);
            }
            self.condition(resource.condition.as_ref());
            self.walk(&resource.node, Context::Value);
        }
        for output in template.outputs.values() {
            self.condition(output.condition.as_ref());
            self.walk(&output.node, Context::Value);
        }
    }

    /// Visits a condition: the name of another one, or a call.
    fn condition(&mut self, node: Option<&'t Node>) {
        let Some(node) = node else { return };
        self.refer(Symbol::Condition, Some(node));
        self.walk(node, Context::Condition);
    }

    fn walk(&mut self, node: &'t Node, context: Context) {
        let version = self.version;
        walk(node, version, context, &mut |node, call, context| {
            if !self.seen.insert((Arc::as_ptr(&node.tree), context)) {
                return Step::Over;
            }
            if let Some(call) = call {
                self.call(call);
            }
            Step::Into
        });
    }

    fn call(&mut self, call: &Call<'t>) {
        let arguments = call.arguments().unwrap_or_default();
        let first = arguments.first().unwrap_or(call.argument);
        match call.function {
            Function::GetParam => self.refer(Symbol::Parameter, Some(first)),
            Function::GetAttr => self.attribute(arguments),
            Function::Ref if call.argument.tree.as_text().is_some_and(|name| self.is_parameter(name)) => {
                self.refer(Symbol::Parameter, Some(call.argument));
            }
            Function::GetResource | Function::Ref => self.refer(Symbol::Resource, Some(call.argument)),
            Function::If => self.refer(Symbol::Condition, arguments.first()),
            Function::Not => self.refer(Symbol::Condition, Some(call.argument)),
            Function::And | Function::Or => {
                arguments.iter().for_each(|condition| self.refer(Symbol::Condition, Some(condition)));
            }
            _ => {}
        }
    }

    fn is_parameter(&self, name: &str) -> bool {
        self.template.parameters.contains_key(name)
    }

    fn attribute(&mut self, arguments: &[Node]) {
        self.refer(Symbol::Resource, arguments.first());
        let [server, component, rest @ ..] = arguments else { return };
        let (Some(server), Some(name)) = (server.tree.as_text(), component.tree.as_text()) else { return };
        let Some(of) = self.model.components.get(Model::component_key(server, name).as_str()) else { return };
        self.push(Symbol::Component(server.to_owned(), name.to_owned()), component.span, false);
        if let Some((node, output)) = rest.first().and_then(|node| Some((node, node.tree.as_text()?))) {
            self.push(Symbol::Output(of.declaration.to_string(), output.to_owned()), node.span, false);
        }
    }

    fn software(&mut self) {
        for written in software::components(self.template) {
            let key = Model::component_key(written.server, written.name);
            self.push(Symbol::Component(written.server.to_owned(), written.name.to_owned()), written.at, true);
            if let Some(component) = self.model.components.get(key.as_str()) {
                for output in software::outputs(written.node) {
                    if let Some(name) = output.tree.as_text() {
                        let symbol = Symbol::Output(component.declaration.to_string(), name.to_owned());
                        self.push(symbol, output.span, true);
                    }
                }
            }
            for (_, node) in written.node.get("after").map(entries).unwrap_or_default() {
                self.predecessor(written.server, node);
            }
        }
    }

    /// Visits a component that is named as `SERVER/COMPONENT`, or as `COMPONENT` of the same server.
    fn predecessor(&mut self, server: &str, node: &Node) {
        let Some(written) = node.tree.as_text() else { return };
        let (from, server, name) = match written.split_once('/') {
            Some((server, name)) => (server.len() + 1, server, name),
            None => (0, server, written),
        };
        if from > 0 {
            self.part(Symbol::Resource(server.to_owned()), node.span, written, 0..from - 1, false);
        }
        let symbol = Symbol::Component(server.to_owned(), name.to_owned());
        self.part(symbol, node.span, written, from..written.len(), false);
    }

    /// Visits the names to which the metadata of the whole stack, and placement policies, refer.
    fn model(&mut self) {
        let template = self.template;
        for (name, resource) in &template.resources {
            let Some(metadata) = &resource.metadata else { continue };
            if let Some(placement) = metadata.get(wattle_model::placement::KEY) {
                self.servers(placement);
            }
            let Some(ours) = metadata.get(KEY).filter(|_| name == MODEL) else { continue };
            for (key, _) in ours.get("parameters").map(entries).unwrap_or_default() {
                self.refer(Symbol::Parameter, key);
            }
            for (_, pair) in ours.get("after").map(entries).unwrap_or_default() {
                entries(pair).into_iter().for_each(|(_, node)| self.predecessor("", node));
            }
            for (_, node) in ours.get("components").map(entries).unwrap_or_default() {
                self.predecessor("", node);
            }
            for (_, moved) in ours.get("moved").map(entries).unwrap_or_default() {
                self.refer(Symbol::Resource, moved.get("resource"));
                if let Some(component) = moved.get("component") {
                    self.predecessor("", component);
                }
            }
        }
    }

    /// Visits the items of lists that are names of resources.
    fn servers(&mut self, node: &Node) {
        for (_, value) in entries(node) {
            for (key, item) in entries(value) {
                let known = |name: &str| self.template.resources.contains_key(name);
                if key.is_none() && item.tree.as_text().is_some_and(known) {
                    self.refer(Symbol::Resource, Some(item));
                }
            }
            self.servers(value);
        }
    }
}
