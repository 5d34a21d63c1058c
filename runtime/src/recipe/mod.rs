//! Recipes: one component, one run of its tool.
//!
//! The agent asks a [`Runner`] to run a [`RecipeRun`]; it decides when and with which inputs, and what happens to the
//! outputs.

mod cgroup;
mod directory;
mod environment;
mod former;
mod group;
pub(crate) mod leak;
mod level;
mod lines;
mod mask;
mod outputs;
mod process;
mod rate;
mod repeated;
pub(crate) mod secret;
mod tools;
pub(crate) mod written;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use wattle::model::{IndexMap, Name, Value};
pub use wattle_agent_core::machine::{Broken, Stop};

pub(crate) use environment::{PROXIES, WITHOUT_PROXY};
pub(crate) use former::boot;
pub use former::{end as end_former, settle as settle_former};
pub(crate) use lines::{TAIL_BYTES, TAIL_LINES};
pub use mask::Mask;
pub use tools::Tools;

use crate::space::{Failure, FailureKind, PlannedComponent, Script};

/// The log target of recipes' output; the field `component` names the component.
pub const LOG: &str = "wattle::recipe";

/// One run of one component's recipe.
#[derive(Clone, Debug)]
pub struct RecipeRun {
    /// The component, as `SERVER/COMPONENT`.
    pub name: Name,
    /// Its declaration.
    pub component: PlannedComponent,
    /// Which of its recipes to run.
    pub script: Script,
    /// Its inputs. For Chef they may be missing here: its recipes request them one by one, by [`Live::input`].
    pub inputs: IndexMap<Name, Value>,
    /// Its own run directory, which already contains the recipe's files, each at its path below `files/`.
    pub directory: PathBuf,
    /// How long it may take, not counting the time in which it waits for inputs. [`Live::stopped`] reports when that is
    /// over.
    pub deadline: Duration,
    /// The interface for its requests while it runs.
    pub live: Arc<dyn Live>,
}

impl RecipeRun {
    /// Returns the recipe to run, or the one that undoes it.
    ///
    /// # Errors
    /// There is no recipe that undoes it.
    pub fn recipe(&self) -> Result<&Name, Broken> {
        match self.script {
            Script::Recipe => Ok(&self.component.recipe.entry),
            Script::Teardown => self
                .component
                .recipe
                .teardown
                .as_ref()
                .ok_or_else(|| Broken::new(FailureKind::Start, "it declares no teardown recipe".to_owned())),
        }
    }
}

/// The requests of a running recipe.
#[async_trait]
pub trait Live: Send + Sync + fmt::Debug {
    /// Returns the value of an input, once it is available; `None` for an optional one that is not wired.
    ///
    /// # Errors
    /// The failure in its place, or that there is no such input.
    async fn input(&self, name: &str) -> Result<Option<Value>, Failure>;

    /// Publishes an output immediately.
    ///
    /// # Errors
    /// The output is not published: it does not exist, or has another type.
    async fn publish(&self, name: &str, value: Value) -> Result<(), Broken>;

    /// The value of an output that was published while the recipe ran; it counts as written.
    fn published(&self, name: &str) -> Option<Value>;

    /// Waits until the run must end, and returns the reason. May be dropped and called again.
    async fn stopped(&self) -> Stop;

    /// The inputs that were requested so far.
    fn handed(&self) -> IndexMap<Name, Value> {
        IndexMap::default()
    }

    /// The secret values among the requested inputs and published outputs so far, in that order: they must not appear
    /// in anything that the recipe prints.
    fn secrets(&self) -> Vec<Value>;

    /// The component whose recipe runs, by its name on its server; `None` if it is not needed.
    fn component(&self) -> Option<&Name> {
        None
    }

    /// The address of this interface for the recipe: the path of a Unix socket, and the token that identifies its run.
    fn socket(&self) -> Option<(PathBuf, String)>;
}

/// Runs recipes.
#[async_trait]
pub trait Runner: Send + Sync + fmt::Debug {
    /// Runs `job` to its end, and returns its outputs, each of the declared type. If the future is dropped before,
    /// nothing of the run continues. Processes that the recipe itself leaves running stay once [`settle_former`] is
    /// called; before that, the next run ends them.
    ///
    /// # Errors
    /// The reason why there are no outputs.
    async fn run(&self, job: &RecipeRun) -> Result<IndexMap<Name, Value>, Broken>;
}
