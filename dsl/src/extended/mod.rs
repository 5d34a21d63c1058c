//! The extended Heat template: a model as a file that stock Heat accepts unchanged, and from which `wattle-hot` reads
//! an equal model.
//!
//! What lives here: the mapping of the model to that file, and the names that writing and reading share. What must not:
//! I/O, and reading it back, which needs a template's places. The format is documented in `docs/extended-template.md`.
//!
//! What Heat understands is where Heat looks for it. A server's components are in its metadata; everything that does not
//! belong to one server is in the metadata of a separate resource, [`MODEL`].

mod component;
mod place;
mod requirement;
mod stack;
mod value;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use crate::analysis::decision::Decisions;
use crate::lower::hot::{Hot, HotOutput, HotResource, Template};
use crate::lower::{placement, template};
use crate::model::{Component, Content, Expr, Model, Name, Order, Value};

pub use component::short_name;
pub use requirement::TESTS;
pub use stack::parameter_type;
pub use value::is_run_time;

/// The format that is written.
pub const FORMAT: &str = "wattle-model/1";

/// The resource whose metadata holds everything that does not belong to one server.
pub const MODEL: &str = "wattle_model";

/// The type of that resource. Heat creates nothing for it.
pub const MODEL_TYPE: &str = "OS::Heat::None";

/// The metadata key under which all of wattle's data is.
pub const KEY: &str = "wattle";

/// The condition that never holds in Heat, which does not evaluate the unused branch of an `if`.
pub const RUN_TIME: &str = "run_time";

/// The key under which the pairs of a map are listed, because Heat would mistake the map for a function.
pub const PAIRS: &str = "wattle_map";

/// The attribute of [`MODEL`] through which a forward reference is read.
// The name in the format `wattle-model/1`.
pub const FORWARD_REFERENCES: &str = "promises";

/// The attribute of [`MODEL`] through which an export of another stack is read.
pub const IMPORTS: &str = "imports";

/// Returns the model as an extended template. The model must be sound: `check` finds no error in it.
pub fn template(model: &Model) -> Template {
    let writer = Writer::new(model);
    let mut template = template::with_parameters(model);
    template.conditions.insert(writer.run_time.clone(), Hot::Value(false.into()));
    let mut servers: HashMap<&Name, Vec<(&Name, &Component)>> = HashMap::new();
    for (key, component) in &model.components {
        servers.entry(&component.server).or_default().push((key, component));
    }
    let mut declared = HashSet::new();
    template::resources(model, &mut template, &mut Decisions::new(false), |name, resource, hot| {
        let components = servers.remove(name).unwrap_or_default();
        if components.is_empty() && resource.order == Order::Declared {
            return;
        }
        let list = components.iter().map(|(_, component)| writer.component(component, resource.order, &mut declared));
        let ours = match resource.order {
            Order::Declared => Hot::List(list.collect()),
            Order::Dataflow => {
                names(components.iter().map(|(_, component)| component.name.clone()).zip(list).collect::<Vec<_>>())
            }
        };
        add_metadata(hot, vec![("components".into(), ours)], resource.metadata.as_deref());
    });
    let mut ours = HotResource::new(MODEL_TYPE.into());
    add_metadata(&mut ours, writer.stack(), None);
    if let (false, Some(Hot::Map(metadata))) = (model.placement.is_empty(), ours.metadata.as_deref_mut()) {
        let policies = vec![("policies".into(), placement::policies(model))];
        metadata.push((placement::KEY.into(), Hot::Map(policies)));
    }
    template.resources.insert(MODEL.into(), ours);
    for (name, export) in &model.exports {
        template.outputs.insert(name.clone(), HotOutput::new(writer.export(export)));
    }
    template::outputs(model, &mut template, &mut Decisions::new(false));
    template
}

/// A writer of one model.
struct Writer<'m> {
    model: &'m Model,
    /// The name of the condition that never holds.
    run_time: Name,
    /// The first component type that has each file; later ones refer to it.
    files: RefCell<HashMap<(&'m str, &'m Content), &'m Name>>,
}

impl<'m> Writer<'m> {
    fn new(model: &'m Model) -> Self {
        let mut run_time: Name = RUN_TIME.into();
        let mut count = 1;
        while model.conditions.contains_key(&run_time) {
            count += 1;
            run_time = format!("{RUN_TIME}_{count}").into();
        }
        Self { model, run_time, files: RefCell::default() }
    }
}

/// Adds `ours` to the metadata, beside the author's own. Metadata that is not a map goes below it.
fn add_metadata(resource: &mut HotResource, mut ours: Vec<(Name, Hot)>, author: Option<&Expr>) {
    let is_free = match author {
        None => true,
        Some(Expr::Constant(Value::Map(items))) => !items.contains_key(KEY),
        Some(Expr::Map(items)) => !items.contains_key(KEY),
        Some(_) => false,
    };
    let mut metadata = match resource.metadata.take().map(|metadata| *metadata) {
        Some(Hot::Map(items)) if is_free => items,
        Some(Hot::Value(Value::Map(items))) if is_free => {
            items.into_iter().map(|(name, value)| (name, Hot::Value(value))).collect()
        }
        Some(other) => {
            ours.push(("metadata".into(), other));
            Vec::new()
        }
        None => Vec::new(),
    };
    metadata.push((KEY.into(), Hot::Map(ours)));
    resource.metadata = Some(Box::new(Hot::Map(metadata)));
}

/// A map whose keys are names that authors choose. Heat must not mistake it for a function, so one that looks like a call
/// gets a second key without a meaning.
fn names(pairs: impl IntoIterator<Item = (Name, Hot)>) -> Hot {
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    if value::looks_like_call(&pairs) {
        pairs.push((KEY.into(), Hot::Value(Value::Null)));
    }
    Hot::Map(pairs)
}

fn text(text: impl AsRef<str>) -> Hot {
    Hot::Value(text.as_ref().into())
}

/// Adds fields that are present.
trait Fields {
    fn add(&mut self, name: &str, value: Hot);
    fn add_text(&mut self, name: &str, value: &str);
    fn add_map(&mut self, name: &str, pairs: impl IntoIterator<Item = (Name, Hot)>);
}

impl Fields for Vec<(Name, Hot)> {
    fn add(&mut self, name: &str, value: Hot) {
        self.push((name.into(), value));
    }

    fn add_text(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.add(name, text(value));
        }
    }

    fn add_map(&mut self, name: &str, pairs: impl IntoIterator<Item = (Name, Hot)>) {
        let mut pairs = pairs.into_iter().peekable();
        if pairs.peek().is_some() {
            self.add(name, names(pairs));
        }
    }
}
