//! A completed run, and the queries and assertions on it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use wattle_agent_core::server_plan::Held;
use wattle_heat::evaluate::apply;

use crate::author::PortType;
use crate::lower::Lowered;
use crate::model::{IndexMap, Name, Value};

use super::component_type::Fakeable;
use super::engine;
use super::order::Order;
use super::ran::Ran;
use super::record::{Failure, Record};
use super::schedule::{Clock, Schedule};
use super::setting::Setting;
use super::stack::StackTemplate;
use super::story;
use super::world::{World, meant, short};

/// A completed run: every component is done, has failed, or never started because its server did not boot.
///
/// ```
/// # use wattle::prelude::*;
/// # #[component(recipe = "src/check/examples/greet.sh")]
/// # pub struct Greeter { #[input] name: String, #[output] greeting: String }
/// # #[blueprint]
/// # pub fn hello(t: &mut Topology) -> Exports {
/// #     let [alice, bob] = ["alice", "bob"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
/// #     let first = t.on(alice).run("greeter", Greeter::new().name("world"));
/// #     let second = t.on(bob).run("greeter", Greeter::new().name(first.greeting));
/// #     Exports::new().entry("greeting", second.greeting)
/// # }
/// use wattle::testing::Trial;
///
/// let run = Trial::of(hello).made_up().run();
/// assert_eq!(run.started(), ["alice/greeter", "bob/greeter"]);
/// assert_eq!(run.components_of::<Greeter>().count(), 2);
/// println!("{}", run.story());
/// ```
pub struct TrialRun {
    pub(super) schedule: Schedule,
    pub(super) records: Vec<Record>,
    pub(super) stage: Rc<Stage>,
    entries: HashMap<Name, Result<Value, Failure>>,
}

/// Data that all runs of a trial share.
pub(super) struct Stage {
    pub(super) world: World,
    pub(super) order: Order,
    heights: Vec<usize>,
    deaths: HashSet<usize>,
    pub(super) lowered: Rc<Lowered>,
}

impl Stage {
    /// # Panics
    /// If something is missing or misspelt.
    #[track_caller]
    pub(super) fn of(setting: &Setting) -> Rc<Self> {
        let world = match World::of(setting, &setting.lowered.seed) {
            Ok(world) => world,
            Err(faults) => panic!("`{}` cannot be run:\n{}", setting.model.stack, faults.join("\n")),
        };
        let order = Order::of(&setting.model, &world.places);
        let deaths = setting.deaths.iter().filter_map(|name| world.places.get(name).copied()).collect();
        let (heights, lowered) = (order.heights(), Rc::clone(&setting.lowered));
        Rc::new(Self { world, order, heights, deaths, lowered })
    }

    /// # Panics
    /// If a fake returns something that no recipe could write.
    #[track_caller]
    pub(super) fn run(self: &Rc<Self>, schedule: Schedule) -> TrialRun {
        let clock = Clock::new(schedule, self.heights.clone());
        let outcome = match engine::run(&self.world, clock, self.deaths.clone()) {
            Ok(outcome) => outcome,
            Err(fault) => panic!("the fake of `{}`, at {}: {}", fault.component, fault.at, fault.why),
        };
        TrialRun { schedule, stage: Rc::clone(self), records: outcome.records, entries: outcome.entries }
    }
}

impl TrialRun {
    /// What the component `SERVER/COMPONENT` did.
    ///
    /// # Panics
    /// If there is no component of that name.
    #[track_caller]
    pub fn component(&self, name: &str) -> Ran<'_> {
        let Some(place) = self.stage.world.places.get(name) else {
            let known: Vec<&str> = self.stage.world.nodes.iter().map(|node| &*node.key).collect();
            panic!("no component is called `{name}`{}", meant(name, &known))
        };
        Ran { run: self, place: *place }
    }

    /// All components, in the order in which they were declared.
    pub fn components(&self) -> impl Iterator<Item = Ran<'_>> {
        (0..self.stage.world.nodes.len()).map(|place| Ran { run: self, place })
    }

    /// The components of one type, in the order in which they were declared.
    pub fn components_of<K: Fakeable>(&self) -> impl Iterator<Item = Ran<'_>> {
        self.components().filter(|ran| *self.stage.world.nodes[ran.place].kind == *K::COMPONENT_TYPE)
    }

    /// The names of the components in the order in which they were started.
    pub fn started(&self) -> Vec<&str> {
        let mut started: Vec<_> =
            self.components().filter_map(|ran| Some((ran.record().started?.0, ran.place))).collect();
        started.sort_unstable();
        started.into_iter().map(|(_, place)| &*self.stage.world.nodes[place].key).collect()
    }

    /// Asserts that every component is done.
    ///
    /// # Panics
    /// If one is not; shows the root causes and the components that failed because of them.
    #[track_caller]
    pub fn succeeded(&self) -> &Self {
        let failed: Vec<Ran<'_>> = self.components().filter(|ran| !ran.is_done()).collect();
        assert!(failed.is_empty(), "{}", story::failed(self, &failed));
        self
    }

    /// The failures, by component: those with a failure of their own, and those that failed because of them.
    pub fn failures(&self) -> IndexMap<&str, &Failure> {
        let failures = self.components().filter_map(|ran| {
            let failure = self.records[ran.place].failure.as_ref()?;
            Some((&*self.stage.world.nodes[ran.place].key, failure))
        });
        failures.collect()
    }

    /// The value of an export.
    ///
    /// # Panics
    /// If there is no export of that name, if it has no value because a component failed, or if it is of another type.
    #[track_caller]
    pub fn export<T: PortType>(&self, name: &str) -> T {
        let Some((ty, part)) = self.stage.world.exports.get(name) else {
            let known: Vec<&str> = self.stage.world.exports.keys().map(|name| &**name).collect();
            panic!("the blueprint has no export `{name}`{}", meant(name, &known));
        };
        match part.evaluate(&mut |leaf| self.leaf(leaf), &mut apply) {
            Ok(value) => typed(&format!("the export `{name}`"), &value, ty.is_secret()),
            Err(why) => panic!("the export `{name}` has no value: {why}"),
        }
    }

    fn leaf(&self, leaf: &Held) -> Result<Value, String> {
        match leaf {
            Held::Entry(entry) => match self.entries.get(entry) {
                Some(Ok(value)) => Ok(value.clone()),
                Some(Err(failure)) => Err(format!("`{entry}` did not arrive: {failure}")),
                None => Err(format!("`{entry}` did not arrive: its server never booted")),
            },
            Held::UserData(key) => {
                self.stage.world.user_data.get(key).cloned().ok_or_else(|| format!("`{key}` is not in the user data"))
            }
            Held::Sealed(_) | Held::Foreign { .. } => {
                unreachable!("INVARIANT: the secrets of a trial are in plain, and its imports are values")
            }
        }
    }

    /// A description of the run, with a line for each component in the order of their starts, for people and for the
    /// messages of tests.
    pub fn story(&self) -> String {
        story::whole(self)
    }

    /// The template for Heat.
    pub fn stack(&self) -> StackTemplate {
        StackTemplate::of(&self.stage.lowered)
    }

    /// The schedule of this run.
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// The name of a component's type, without the path of its module.
    pub(super) fn kind(&self, place: usize) -> &str {
        short(&self.stage.world.nodes[place].kind)
    }
}

/// Shows what happened.
impl std::fmt::Debug for TrialRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.story())
    }
}

/// `value` as a `T`.
#[track_caller]
pub(super) fn typed<T: PortType>(what: &str, value: &Value, is_secret: bool) -> T {
    match T::from_value(value.clone()) {
        Some(value) => value,
        None if is_secret => panic!("{what} is not {}: its value is secret", T::port_type()),
        None => panic!("{what} is not {}: it is {value}", T::port_type()),
    }
}
