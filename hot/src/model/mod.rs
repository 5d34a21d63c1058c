//! A template as `wattle`'s model: plain HOT, or an extended template, whose servers say in their metadata what software
//! runs on them.
//!
//! What lives here: [`read`], which reads whatever can be read and says all that cannot; [`stripped`], the template as
//! stock Heat sees it. What must not: what Heat itself refuses (`check`), and what is wrong with the software's wiring,
//! which `wattle`'s own checks say of the model. The format is documented in `docs/extended-template.md`.
//!
//! What `wattle::extended` writes is read as an equal model, places included. What people write has the places of the file.

mod component;
mod cookbook;
mod fields;
mod infer;
mod kind;
mod place;
mod recipe;
mod reference;
mod requirement;
mod section;
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

pub(crate) use recipe::written as written_recipes;
pub use reference::placed;
pub use stripped::{is_extended, stripped};

/// What was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The model; what is wrong in the template is not in it.
    pub model: Model,
    /// What `wattle` cannot read, W13xx.
    pub diagnostics: Vec<Diagnostic>,
}

impl Read {
    /// The exports that Heat cannot know: those that software tells, or other stacks.
    pub fn run_time_exports(&self) -> Vec<&str> {
        let exports = self.model.exports.iter().filter(|(_, export)| value::is_of_software(&export.value));
        exports.map(|(name, _)| &**name).collect()
    }
}

/// The model that a template is.
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
    /// The condition that never holds for Heat.
    run_time: String,
    /// What is not of one server: the metadata of `wattle_model`.
    stack: Option<&'l Node>,
    /// The components as they are written, in the order of the file.
    written: IndexMap<Name, Written<'l>>,
    /// The servers whose components need no order.
    unordered: HashSet<String>,
    /// What Heat says of servers.
    server: OnceCell<Schema>,
}

/// A component as it is written.
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

    /// Whether `name` is the condition behind which stands what only wattle reads: it never holds for Heat.
    fn is_run_time(&self, name: &str) -> bool {
        let never = |node: &Node| matches!(*node.tree, Tree::Boolean(false));
        name == self.run_time && self.template.conditions.get(name).is_some_and(|known| never(&known.node))
    }
}

/// The pairs of a map whose keys are names that authors choose; the last of equal ones counts. One that Heat would take for
/// a call has a second key, which says nothing.
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

/// Text, whatever it was written as: clients send numbers and booleans where people mean names.
fn words(node: &Node) -> Name {
    node.as_key().into()
}
