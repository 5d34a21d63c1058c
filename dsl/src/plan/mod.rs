//! The effects of a changed blueprint on what is deployed.
//!
//! What lives here: two deployed states and the difference between them, as data and as text. What must not: I/O, and
//! anything that decides what is deployed. The rules are those of Heat and the agents; tests compare with both.

mod called;
mod component;
mod files;
mod formerly;
mod found;
mod group;
mod requirement;
mod resource;
mod setting;
mod show;
mod state;
mod wire;
mod words;

use serde::Serialize;

use crate::model::{IndexMap, Name};
use crate::requirement::When;

pub use component::recipe_differences;
pub use files::{ROOTS, gather};
pub use found::{Found, Left};
pub use setting::{SETTINGS, settings};
pub(crate) use setting::{between, flat};
pub use state::{IsOf, Own, State, StateError};

/// The format of a plan as JSON.
pub const FORMAT: &str = "wattle-plan/1";

/// The effects of a change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// The name and version of this format.
    pub format: &'static str,
    /// The stack.
    pub stack: Name,
    /// What Heat would do with each resource, by `NAME`, or by `NESTED/NAME` in a nested stack.
    pub resources: IndexMap<Name, ResourcePlan>,
    /// What agents would do with each component, by `SERVER/COMPONENT`.
    pub components: IndexMap<Name, ComponentPlan>,
    /// The effects on requirements on values that are not known while the blueprint is built.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub requirements: IndexMap<Name, RequirementPlan>,
    /// The settings that have changed, by name. They change nothing by themselves.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub settings: IndexMap<Name, SettingPlan>,
    /// Things in the cloud that belong to none of these resources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The number of each action.
    pub summary: Summary,
}

/// What happens to a resource.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResourcePlan {
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Name,
    /// What Heat does with it.
    pub action: Action,
    /// Why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Reason>,
    /// How to avoid it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub help: Vec<String>,
    /// Effects and limits of a change in place that its other words do not mention.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The group that contains it, if any. A stack whose template is text counts as a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Name>,
}

/// What Heat does with a resource. More serious actions are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It stays as it is.
    Unchanged,
    /// It changes in place if a value that only Heat knows changes.
    MayUpdate,
    /// It changes in place.
    Update,
    /// Its data is lost if a value that only Heat knows changes.
    MayRebuild,
    /// It is created.
    Create,
    /// It keeps its identity and its addresses, but its data is lost: for example, the disk of a server is recreated.
    Rebuild,
    /// It is replaced if a value that only Heat knows changes. Otherwise it may stay as it is, change in place or be
    /// rebuilt.
    MayReplace,
    /// It is replaced.
    Replace,
    /// It is deleted.
    Delete,
    /// Heat refuses the change, and the whole update with it.
    Refused,
}

/// What happens to a component.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComponentPlan {
    /// What the agent does with it.
    pub action: Run,
    /// Why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Reason>,
    /// Other changes, which run nothing: its deadline, its waiting time, its teardown, its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<Reason>,
}

impl ComponentPlan {
    fn new(action: Run, because: Vec<Reason>) -> Self {
        Self { action, because, aside: Vec::new() }
    }

    /// Whether it stays as it is, and runs nothing.
    pub fn is_same(&self) -> bool {
        self.action == Run::Skip && self.aside.is_empty()
    }
}

/// What an agent does with a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Run {
    /// It is unchanged since it finished: nothing is run.
    Skip,
    /// It runs again if a value that is known only at run time changes.
    MayRunAgain,
    /// It runs again.
    RunAgain,
    /// It runs, on a server that has not run it.
    Run,
    /// Its teardown runs.
    TearDown,
    /// It has no teardown: it stays on its server, unmanaged.
    Forget,
    /// It goes with its server.
    Gone,
}

/// What happens to a requirement. Nothing here makes a component run again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequirementPlan {
    /// Whether it has changed.
    pub action: Demanded,
    /// When it is or was checked.
    pub when: When,
    /// The components whose agents check it from now on, by `SERVER/COMPONENT`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<Name>,
    /// What has changed in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Reason>,
}

/// Whether a requirement has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Demanded {
    /// It is as it was.
    Unchanged,
    /// It is added.
    Added,
    /// It has changed.
    Changed,
    /// It is removed.
    Removed,
}

/// What happens to a setting, in the form that `--set` accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SettingPlan {
    /// The value that was given; `None` if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The value that is given now; `None` if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// Why something changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Reason {
    /// What has changed: a property, ``input `port` ``, ``file `db2.sh` ``.
    pub what: String,
    /// What it was, shortened; a secret is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What it becomes, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The cause of the change, or possible change, if its own text is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
}

/// The number of each action. Actions that do not occur are not listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Whether anything would change, or may.
    pub changes: bool,
    /// Resources by action.
    pub resources: IndexMap<Action, usize>,
    /// Components by action.
    pub components: IndexMap<Run, usize>,
    /// Components that change and run nothing, which are counted under [`Run::Skip`] as well.
    #[serde(skip_serializing_if = "is_none")]
    pub aside: usize,
    /// Requirements by action.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub requirements: IndexMap<Demanded, usize>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
fn is_none(number: &usize) -> bool {
    *number == 0
}

/// The steps from what is deployed (`None` if nothing is) to `after`.
pub fn plan(before: Option<&State>, after: &State) -> Plan {
    plan_of(before, after, &[])
}

/// The same if these things were `found` to differ from what was deployed.
pub fn plan_of(before: Option<&State>, after: &State, found: &[Found]) -> Plan {
    let mut resources = resource::plan(before, after);
    let notes = found::note(found, &mut resources);
    let mut components = component::plan(before, after, &resources);
    formerly::note(before, after, &mut resources, &mut components);
    let requirements = requirement::plan(before, after);
    let settings = setting::plan(before, after);
    let stack = after.stack().or_else(|| before?.stack()).cloned().unwrap_or_else(|| "".into());
    let mut summary = Summary::default();
    for resource in resources.values() {
        *summary.resources.entry(resource.action).or_default() += 1;
    }
    for component in components.values() {
        *summary.components.entry(component.action).or_default() += 1;
        summary.aside += usize::from(component.action == Run::Skip && !component.is_same());
    }
    for requirement in requirements.values() {
        *summary.requirements.entry(requirement.action).or_default() += 1;
    }
    summary.resources.sort_unstable_keys();
    summary.components.sort_unstable_keys();
    summary.requirements.sort_unstable_keys();
    summary.changes = summary.resources.keys().any(|action| *action != Action::Unchanged)
        || !notes.is_empty()
        || components.values().any(|component| !component.is_same())
        || summary.requirements.keys().any(|demanded| *demanded != Demanded::Unchanged);
    Plan { format: FORMAT, stack, resources, components, requirements, settings, notes, summary }
}

impl Plan {
    /// Whether it is certain that nothing would change.
    pub fn is_empty(&self) -> bool {
        !self.summary.changes
    }
}
