//! Lowering: turns a sound model into a plain template, an environment and a seed.
//!
//! This module decides where everything goes, and defines the file contents as data. It does no I/O, reads no clock and
//! runs no checks. The same model always gives the same bytes.

mod agent;
mod dependence;
mod environment;
mod filled;
pub mod hot;
pub mod native;
pub(crate) mod placement;
pub(crate) mod places;
pub(crate) mod resolve;
mod seeding;
mod split;
pub(crate) mod template;
mod workload;

use crate::analysis::decision::Decisions;
use crate::model::{IndexMap, Model};

pub use crate::analysis::attribute::names_of;
pub use crate::analysis::decision::{Decision, Reader, Way};
pub use crate::analysis::function::computed_by_heat;
pub use crate::analysis::identity::identified;
pub use crate::analysis::lowering::{Lowering, RESERVED};
pub use crate::analysis::talks::{Talk, talks};
pub use agent::CREDENTIALS;
pub(crate) use agent::user_data_sizes;
pub use environment::Environment;
pub use filled::Filled;
pub use placement::CARRIER as POLICIES;
pub use places::{Moved, Place, Places, PlacesError};
pub use seed::Seed;
pub use wattle_agent_core::seed;

use hot::Template;

/// How a model is lowered for agents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The number of resources in one stack at which a model is cut into nested stacks. Heat's time to validate a stack
    /// grows with the square of its size, so this is well below what Heat allows.
    pub stack_resources: usize,
    /// The same limit for the bytes of one template.
    pub stack_bytes: usize,
    /// Whether to fill in [`Lowered::decisions`].
    pub decisions: bool,
    /// The places of deployed resources. They stay in their nested stacks as far as possible.
    pub deployed: Places,
}

impl Default for Options {
    fn default() -> Self {
        Self { stack_resources: 250, stack_bytes: 262_144, decisions: true, deployed: Places::default() }
    }
}

/// The result of lowering a model for agents.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    /// The template of what Heat creates.
    pub template: Template,
    /// The templates of nested stacks, by file name. The template refers to them.
    pub nested: IndexMap<String, Template>,
    /// The parameters, to be filled in.
    pub environment: Environment,
    /// What is written to the data space before the stack is created.
    pub seed: Seed,
    /// How each reference was resolved, in the model's order, if [`Options::decisions`] requests it.
    pub decisions: Vec<Decision>,
}

/// Lowers a sound model for agents. `check` must find no error in it.
///
/// # Panics
/// If software runs and a server requires another, which `check` refuses as W0303.
pub fn lower(model: &Model, options: &Options) -> Lowered {
    let identified = identified(model);
    let mut agents = ForAgents::of(model, &identified, options);
    let seed = agents.seed();
    let Templates { template, nested, environment, decisions } = agents.templates();
    Lowered { template, nested, environment, seed, decisions }
}

/// A lowering in progress. For a large model, the seed and the templates each take as much memory as the model, so a
/// caller can write one before the other is made.
pub(crate) enum Stages<'m> {
    Agents(Box<ForAgents<'m>>),
    /// The identified model.
    HeatNative(&'m Model),
}

impl<'m> Stages<'m> {
    /// Starts to lower `model`. `identified` is the same model under the names under which it was deployed.
    pub(crate) fn of(lowering: Lowering, model: &'m Model, identified: &'m Model, options: &'m Options) -> Self {
        match lowering {
            Lowering::Agents => Self::Agents(Box::new(ForAgents::of(model, identified, options))),
            Lowering::HeatNative => Self::HeatNative(identified),
        }
    }

    /// The seed, if there is a data space. Take it once, before the templates.
    pub(crate) fn seed(&mut self) -> Option<Seed> {
        match self {
            Self::Agents(agents) => Some(agents.seed()),
            Self::HeatNative(_) => None,
        }
    }

    pub(crate) fn templates(self) -> Templates {
        match self {
            Self::Agents(agents) => agents.templates(),
            Self::HeatNative(model) => {
                let native::Lowered { template, environment, decisions } = native::of_identified(model);
                Templates { template, nested: IndexMap::default(), environment, decisions }
            }
        }
    }
}

/// The result of lowering a model for Heat.
pub(crate) struct Templates {
    pub(crate) template: Template,
    pub(crate) nested: IndexMap<String, Template>,
    pub(crate) environment: Environment,
    decisions: Vec<Decision>,
}

pub(crate) struct ForAgents<'m> {
    model: &'m Model,
    identified: &'m Model,
    options: &'m Options,
    plan: workload::Workload<'m>,
    decisions: Decisions,
}

impl<'m> ForAgents<'m> {
    fn of(model: &'m Model, identified: &'m Model, options: &'m Options) -> Self {
        let mut decisions = Decisions::new(options.decisions);
        let plan = workload::Workload::of(identified, &mut decisions);
        Self { model, identified, options, plan, decisions }
    }

    fn seed(&mut self) -> Seed {
        let seed = seeding::build(self.model, self.identified, &self.plan);
        // Nothing else needs the readers.
        self.plan.readers = IndexMap::default();
        seed
    }

    fn templates(mut self) -> Templates {
        let model = self.identified;
        let whole = template::build(model, &self.plan, &mut self.decisions);
        let requires = dependence::requires(&whole);
        if !model.components.is_empty() {
            dependence::assert_independent_servers(&whole, &requires);
        }
        drop(self.plan);
        let (template, nested) = split::split(model, whole, &requires, self.options);
        let environment = Environment::of(model, &template);
        Templates { template, nested, environment, decisions: self.decisions.made }
    }
}
