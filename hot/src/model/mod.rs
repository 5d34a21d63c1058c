//! Reads a template as `wattle`'s model. The template is plain HOT, or an extended template, in which the metadata of
//! servers describes the software that runs on them.
//!
//! What lives here: [`read`], which reads as much as it can and reports the rest; [`stripped`], the template as stock Heat
//! sees it. What must not: faults that Heat itself refuses (`check`), and mistakes in the wiring of the software, which
//! `wattle`'s own checks of the model report. The format is documented in `docs/extended-template.md`.
//!
//! Reading the output of `wattle::extended` yields an equal model, including places. In templates that people wrote, places
//! are those in the file.

mod component;
mod component_type;
mod cookbook;
mod fields;
mod infer;
mod place;
mod recipe;
mod reference;
mod requirement;
mod section;
mod sound;
mod stack;
mod stripped;
mod types;
mod value;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

use wattle::check::Diagnostic;
use wattle::extended::RUN_TIME;
use wattle::model::{Model, Name, Schema, Source};
use wattle_model::IndexMap;

use wattle_heat::Loaded;
use wattle_heat::template::Template;
use wattle_heat::yaml::{Node, Span, Tree};

pub use component_type::COMPONENT as COMPONENT_KEYS;
pub(crate) use recipe::written as written_recipes;
pub use reference::placed;
pub(crate) use sound::used as used_by_recipes;
pub use stripped::{is_extended, stripped};

/// The result of reading.
#[derive(Clone, Debug)]
pub struct Read {
    /// The model, without the parts of the template that could not be read.
    pub model: Model,
    /// Diagnostics for content that `wattle` cannot read, W13xx.
    pub diagnostics: Vec<Diagnostic>,
}

impl Read {
    /// The exports that Heat cannot know, because they depend on software or on other stacks.
    pub fn run_time_exports(&self) -> Vec<&str> {
        let exports = self.model.exports.iter().filter(|(_, export)| value::is_of_software(&export.value));
        exports.map(|(name, _)| &**name).collect()
    }
}

/// Reads a template as a model.
pub fn read(loaded: &Loaded) -> Read {
    let mut reader = Reader::new(loaded);
    reader.software();
    reader.parameters();
    reader.sections();
    reader.inputs();
    reader.stack();
    reader.outputs();
    reader.infer();
    reader.listens();
    reader.guard();
    reader.arrange();
    reader.places();
    Read { model: reader.model, diagnostics: reader.diagnostics }
}

/// A template that is being read.
struct Reader<'l> {
    loaded: &'l Loaded,
    template: &'l Arc<Template>,
    model: Model,
    diagnostics: Vec<Diagnostic>,
    /// The name of the condition that never holds in Heat.
    run_time: String,
    /// Content that does not belong to one server: the metadata of `wattle_model`.
    stack: Option<&'l Node>,
    /// The components as written, in source order.
    written: IndexMap<Name, Written<'l>>,
    /// The servers whose components need no order.
    unordered: HashSet<String>,
    /// Heat's schema of servers.
    server: OnceCell<Schema>,
}

/// A component as written.
#[derive(Clone, Copy, Debug)]
struct Written<'l> {
    node: &'l Node,
    name: Span,
}

impl<'l> Reader<'l> {
    fn new(loaded: &'l Loaded) -> Self {
        let template = &loaded.template;
        let mut model = Model { version: template.version().date().into(), ..Model::default() };
        if let Some(written) = template.root.get("heat_template_version").and_then(|node| node.tree.as_text()) {
            model.version = written.into();
        }
        let stack = stripped::model_metadata(template);
        let named = stack.and_then(|stack| stack.get("run_time")).and_then(|name| name.tree.as_text());
        let run_time = named.unwrap_or(RUN_TIME).to_owned();
        let (diagnostics, written, unordered) = (Vec::new(), IndexMap::default(), HashSet::new());
        Self { loaded, template, model, diagnostics, run_time, stack, written, unordered, server: OnceCell::new() }
    }

    fn at(&self, span: Span) -> Source {
        self.template.at(span)
    }

    /// Whether `name` is the condition that guards content that only wattle reads. It never holds in Heat.
    fn is_run_time(&self, name: &str) -> bool {
        let never = |node: &Node| matches!(*node.tree, Tree::Boolean(false));
        name == self.run_time && self.template.conditions.get(name).is_some_and(|known| never(&known.node))
    }
}

/// The pairs of a map whose keys are names chosen by the author. Of equal keys, the last one is used. A map that Heat would
/// mistake for a call has a second key, which is meaningless.
fn pairs(node: &Node) -> impl Iterator<Item = (String, Span, &Node)> {
    let pairs: &[_] = match &*node.tree {
        Tree::Map(pairs) => pairs,
        _ => &[],
    };
    let mut by_name = IndexMap::default();
    for pair in pairs {
        by_name.insert(pair.key.as_key(), (pair.key.span, &pair.value));
    }
    if by_name.len() > 1 {
        let says_nothing = |(_, value): &(Span, &Node)| matches!(*value.tree, Tree::Null);
        if by_name.get(wattle::extended::KEY).is_some_and(says_nothing) {
            by_name.shift_remove(wattle::extended::KEY);
        }
    }
    by_name.into_iter().map(|(name, (span, value))| (name, span, value))
}

/// The items of a list.
fn items(node: &Node) -> &[Node] {
    match &*node.tree {
        Tree::List(items) => items,
        _ => &[],
    }
}

/// Text in any notation: clients send numbers and booleans where people mean names.
fn words(node: &Node) -> Name {
    node.as_key().into()
}
