//! What a changed blueprint would do to what is deployed.
//!
//! What lives here: two deployed states and what lies between them, as data and as text. What must not: I/O, and anything
//! that decides what is deployed. What Heat does is Heat's, and what agents do is theirs: tests compare with both.

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

/// What would become of everything.
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
    /// What becomes of what is required of values that are not known while the blueprint is built.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub requirements: IndexMap<Name, RequirementPlan>,
    /// The settings that are other ones than before, by name. They change nothing by themselves.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub settings: IndexMap<Name, SettingPlan>,
    /// What was found in the cloud that is of none of these resources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How many of each there are.
    pub summary: Summary,
}

/// What becomes of a resource.
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
    /// How it could be avoided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub help: Vec<String>,
    /// What a change in place brings about, or leaves undone, that its words do not say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The group that it is within, where it is in one. So is what a stack has whose template is a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Name>,
}

/// What Heat does with a resource. What is graver is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It stays as it is.
    Unchanged,
    /// It changes in place if a value changes that only Heat knows.
    MayUpdate,
    /// It changes in place.
    Update,
    /// What is on it is lost if a value changes that only Heat knows.
    MayRebuild,
    /// It comes.
    Create,
    /// It keeps its identity and its addresses, and what is on it is lost: the disk of a server is made again, say.
    Rebuild,
    /// It is replaced if a value changes that only Heat knows. If none does, it may stay as it is, change in place or be rebuilt.
    MayReplace,
    /// Another one takes its place.
    Replace,
    /// It goes.
    Delete,
    /// Heat refuses the change, and the whole update with it.
    Refused,
}

/// What becomes of a component.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComponentPlan {
    /// What the agent does with it.
    pub action: Run,
    /// Why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Reason>,
    /// What else of it is another, and runs nothing: its deadline, how long it waits, its teardown, what it comes after.
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
    /// It is as it was when it finished: nothing is run.
    Skip,
    /// It runs again if a value changes that is only known at run time.
    MayRunAgain,
    /// It runs again.
    RunAgain,
    /// It runs, on a server that has not run it.
    Run,
    /// Its teardown runs.
    TearDown,
    /// It has no teardown: it stays on its server, and nothing manages it any longer.
    Forget,
    /// Its server goes, and it with it.
    Gone,
}

/// What becomes of a requirement. None of it makes a component run again.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequirementPlan {
    /// Whether it is another.
    pub action: Demanded,
    /// When it is judged, or was.
    pub when: When,
    /// The components whose agents judge it from now on, by `SERVER/COMPONENT`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<Name>,
    /// What of it is another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<Reason>,
}

/// Whether a requirement is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Demanded {
    /// It is as it was.
    Unchanged,
    /// It comes.
    Added,
    /// It is another.
    Changed,
    /// It goes.
    Removed,
}

/// What becomes of a setting, as `--set` takes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SettingPlan {
    /// What was given for it. None if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What is given now, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// Why something changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Reason {
    /// What is another: a property, ``input `port` ``, ``file `db2.sh` ``.
    pub what: String,
    /// What it was, shortened; a secret is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What it becomes, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// What makes it another, or may do so, where it is not written down again itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
}

/// How many of each there are; what is not there is not counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Whether anything would change, or may.
    pub changes: bool,
    /// Resources by what becomes of them.
    pub resources: IndexMap<Action, usize>,
    /// Components by what becomes of them.
    pub components: IndexMap<Run, usize>,
    /// Components that change and run nothing, which are counted under [`Run::Skip`] as well.
    #[serde(skip_serializing_if = "is_none")]
    pub aside: usize,
    /// Requirements by what becomes of them.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub requirements: IndexMap<Demanded, usize>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's form")]
fn is_none(number: &usize) -> bool {
    *number == 0
}

/// What it takes to get from what is deployed (nothing: `None`) to `after`.
pub fn plan(before: Option<&State>, after: &State) -> Plan {
    plan_of(before, after, &[])
}

/// The same where this was `found` not to be as it was deployed.
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
    /// Whether nothing would change, for sure.
    pub fn is_empty(&self) -> bool {
        !self.summary.changes
    }
}
