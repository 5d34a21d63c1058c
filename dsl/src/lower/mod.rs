//! Lowering: from a sound model to a stripped template, an environment and a seed.
//!
//! What lives here: what goes where, and the files' shapes as data. What must not: I/O, a clock, the checks. The same
//! model gives the same bytes.

mod agent;
pub(crate) mod decision;
mod dependence;
mod environment;
mod filled;
mod function;
pub mod hot;
pub(crate) mod identity;
pub mod native;
mod plan;
pub(crate) mod reads;
pub(crate) mod resolve;
pub mod seed;
mod split;
pub(crate) mod template;

use indexmap::IndexMap;

use crate::model::Model;

pub(crate) use agent::{RESERVED, user_data_sizes};
pub use decision::{Decision, Reader, Way, names_of};
pub use environment::Environment;
pub use filled::Filled;
pub use function::computed_by_heat;
pub(crate) use function::{is_heats, unknown_to_heat};
pub use identity::identified;
pub use seed::Seed;

use hot::Template;

/// What runs the software of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Lowering {
    /// Wattle's agents, over a data space: [`lower`].
    #[default]
    Agents,
    /// Heat's own agents, told by Heat: [`native::lower`].
    HeatNative,
}

/// How a model is lowered for agents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Resources of one stack, from which on a model is cut into nested stacks. Heat validates a stack in a time that
    /// grows with the square of its size, so this stays well below what it allows.
    pub stack_resources: usize,
    /// Bytes of one template, likewise.
    pub stack_bytes: usize,
    /// Whether [`Lowered::decisions`] is wanted.
    pub decisions: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { stack_resources: 250, stack_bytes: 262_144, decisions: true }
    }
}

/// What a model became for agents.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Lowered {
    /// What Heat creates.
    pub template: Template,
    /// The templates of nested stacks, by file name; the template refers to them.
    pub nested: IndexMap<String, Template>,
    /// The parameters, to be filled in.
    pub environment: Environment,
    /// What is written to the data space before the stack is created.
    pub seed: Seed,
    /// What became of each reference, in the model's order, if [`Options::decisions`] asked for it.
    pub decisions: Vec<Decision>,
}

/// Lowers a sound model for agents: one in which `check` finds no error.
///
/// # Panics
/// If software runs and a server requires another, which `check` refuses as W0303.
pub fn lower(model: &Model, options: &Options) -> Lowered {
    let sources = model;
    let model = &*identified(model);
    let mut decisions = decision::Decisions::new(options.decisions);
    let plan = plan::Plan::of(model, &mut decisions);
    let whole = template::build(model, &plan, &mut decisions);
    let requires = dependence::requires(&whole);
    if !model.components.is_empty() {
        dependence::assert_independent_servers(&whole, &requires);
    }
    let (template, nested) = split::split(model, whole, &requires, options);
    let environment = Environment::of(model, &template);
    let mut seed = seed::build(model, &plan);
    seed.name_sources(sources);
    Lowered { template, nested, environment, seed, decisions: decisions.made }
}
