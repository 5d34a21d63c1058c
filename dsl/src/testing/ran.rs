//! What one component did in a run.

use crate::author::PortType;

use super::component_type::{Fakeable, Inputs, Outputs, Plain};
use super::record::{Failure, Record};
use super::run::{TrialRun, typed};
use super::story;
use super::world::meant;

/// What one component did in a run. Assertions return it, so that they can be chained.
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
/// let bob = run.component("bob/greeter").waits_for("alice/greeter").succeeded();
/// assert_eq!(bob.inputs::<Greeter>().name, run.component("alice/greeter").outputs::<Greeter>().greeting);
/// ```
#[derive(Clone, Copy)]
pub struct Ran<'r> {
    pub(super) run: &'r TrialRun,
    pub(super) place: usize,
}

impl<'r> Ran<'r> {
    pub(super) fn record(self) -> &'r Record {
        &self.run.records[self.place]
    }

    /// Its name, `SERVER/COMPONENT`.
    pub fn name(self) -> &'r str {
        &self.run.stage.world.nodes[self.place].key
    }

    /// Whether it is done.
    pub fn is_done(self) -> bool {
        self.record().ended.is_some() && self.record().failure.is_none()
    }

    /// Why it failed, if it did.
    pub fn failure(self) -> Option<&'r Failure> {
        self.record().failure.as_ref()
    }

    /// The number of times that its recipe was started. It is more than 1 if its agent died during a run, and 0 if it
    /// failed because of another component.
    pub fn attempts(self) -> u32 {
        self.record().attempts
    }

    /// Asserts that it is done.
    ///
    /// # Panics
    /// If it is not; shows the reason.
    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert!(self.is_done(), "{}", story::failed(self.run, &[self]));
        self
    }

    /// Asserts that its own recipe failed.
    ///
    /// # Panics
    /// If it did not, or if it failed because of another component.
    #[track_caller]
    pub fn failed(self) -> Self {
        match self.failure() {
            Some(failure) if failure.through.is_empty() => self,
            Some(failure) => {
                panic!(
                    "`{}` did not fail by itself: it failed because of {failure}{}",
                    self.name(),
                    story::report(self.run)
                )
            }
            None => panic!("`{}` did not fail{}", self.name(), story::report(self.run)),
        }
    }

    /// Asserts that it did not run because another component, `SERVER/COMPONENT`, failed.
    ///
    /// # Panics
    /// If it ran, or if a different component made it fail.
    #[track_caller]
    pub fn failed_because_of(self, other: &str) -> Self {
        let other = self.run.component(other);
        match self.failure() {
            Some(failure) if *failure.component == *other.name() && other.place != self.place => self,
            Some(failure) => {
                let report = story::report(self.run);
                panic!("`{}` did not fail because of `{}`, but because of {failure}{report}", self.name(), other.name())
            }
            None => {
                let (name, report) = (self.name(), story::report(self.run));
                panic!("`{name}` did not fail because of `{}`: it did not fail{report}", other.name())
            }
        }
    }

    /// Asserts that its recipe was not started, because another component failed or its server did not boot.
    ///
    /// # Panics
    /// If it was.
    #[track_caller]
    pub fn never_started(self) -> Self {
        assert!(self.attempts() == 0, "`{}` was started{}", self.name(), story::report(self.run));
        self
    }

    /// Asserts that it waits for another component, `SERVER/COMPONENT`, directly or through others. This holds in every
    /// run, whatever the schedule.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::testing::Trial;
    /// # #[component(recipe = "src/check/examples/greet.sh")]
    /// # pub struct Greeter { #[input] name: String, #[output] greeting: String }
    /// # let mut t = Topology::new("demo");
    /// # let [one, two] = ["one", "two"].map(|name| t.add(name, RawResource::new("OS::Nova::Server")));
    /// let first = t.on(one).run("greeter", Greeter::new().name("world"));
    /// let second = t.on(two).run("greeter", Greeter::new().name(first.greeting));
    /// # let exports = Exports::new().entry("greeting", second.greeting);
    ///
    /// let run = Trial::of_model(t.finish(exports)).made_up().run();
    /// run.component("two/greeter").waits_for("one/greeter");
    /// run.component("one/greeter").does_not_wait_for("two/greeter");
    /// ```
    ///
    /// # Panics
    /// If it does not; shows what it waits for.
    #[track_caller]
    pub fn waits_for(self, other: &str) -> Self {
        let other = self.run.component(other);
        let path = self.run.stage.order.path(self.place, other.place);
        assert!(path.is_some(), "{}", story::no_wait(self, other));
        self
    }

    /// Asserts that nothing makes it wait for another component, `SERVER/COMPONENT`: either may start first.
    ///
    /// # Panics
    /// If something does; shows the chain of dependencies.
    #[track_caller]
    pub fn does_not_wait_for(self, other: &str) -> Self {
        let other = self.run.component(other);
        if let Some(path) = self.run.stage.order.path(self.place, other.place) {
            panic!("{}", story::wait(self, other, &path));
        }
        self
    }

    /// Asserts that in this run it started after another component, `SERVER/COMPONENT`, had ended. [`Ran::waits_for`]
    /// asserts that this holds in every run.
    ///
    /// # Panics
    /// If it did not; shows what happened and what it waits for.
    #[track_caller]
    pub fn started_after(self, other: &str) -> Self {
        let other = self.run.component(other);
        let is_after = match (self.record().started, other.record().ended) {
            (Some((started, _)), Some((ended, _))) => started > ended,
            _ => false,
        };
        assert!(is_after, "{}", story::not_after(self, other));
        self
    }

    /// Asserts that both ran at the same time in this run.
    ///
    /// # Panics
    /// If they did not.
    #[track_caller]
    pub fn overlapped(self, other: &str) -> Self {
        let other = self.run.component(other);
        let span = |ran: Self| Some((ran.record().started?.0, ran.record().ended?.0));
        let overlaps = match (span(self), span(other)) {
            (Some((start, end)), Some((other_start, other_end))) => start < other_end && other_start < end,
            _ => false,
        };
        let report = story::report(self.run);
        assert!(overlaps, "`{}` and `{}` did not run at the same time{report}", self.name(), other.name());
        self
    }

    /// The names of its direct dependencies: the components whose outputs it reads, and those that it is ordered after.
    pub fn dependences(self) -> impl Iterator<Item = &'r str> {
        self.run.stage.order.direct(self.place).iter().map(|edge| &*self.run.stage.world.nodes[edge.on].key)
    }

    /// The names of its inputs that have a value.
    pub fn input_names(self) -> impl Iterator<Item = &'r str> {
        self.run.stage.world.planned(self.place).inputs.keys().map(|name| &**name)
    }

    /// The value of an input, as its recipe got it.
    ///
    /// # Panics
    /// If it has no such input, if its recipe was not started, or if the value is of another type.
    #[track_caller]
    pub fn input<T: PortType>(self, name: &str) -> T {
        let planned = self.run.stage.world.planned(self.place);
        let Some(inputs) = &self.record().inputs else { self.not_started("inputs") };
        let is_secret = planned.inputs.get(name).is_some_and(|input| input.ty.is_secret());
        let Some(value) = inputs.0.get(name) else {
            let known: Vec<&str> = planned.inputs.keys().map(|name| &**name).collect();
            panic!("`{}` has no input `{name}`{}", self.name(), meant(name, &known))
        };
        typed(&format!("the input `{name}` of `{}`", self.name()), value, is_secret)
    }

    /// The value of an output.
    ///
    /// # Panics
    /// If it has no such output, if it did not succeed, or if the value is of another type.
    #[track_caller]
    pub fn output<T: PortType>(self, name: &str) -> T {
        let planned = self.run.stage.world.planned(self.place);
        let Some(outputs) = &self.record().outputs else { self.not_started("outputs") };
        let is_secret = planned.outputs.get(name).is_some_and(|output| output.declared.ty.is_secret());
        let Some(value) = outputs.0.get(name) else {
            let known: Vec<&str> = planned.outputs.keys().map(|name| &**name).collect();
            panic!("`{}` has no output `{name}`{}", self.name(), meant(name, &known))
        };
        typed(&format!("the output `{name}` of `{}`", self.name()), value, is_secret)
    }

    /// All inputs, as its recipe got them: `inputs::<Db2>().port`.
    ///
    /// # Panics
    /// If it is of another component type, or if its recipe was not started.
    #[track_caller]
    pub fn inputs<K: Fakeable>(self) -> Inputs<K> {
        self.is_a::<K>();
        match &self.record().inputs {
            Some(inputs) => Inputs::<K>::of(inputs),
            None => self.not_started("inputs"),
        }
    }

    /// All outputs: `outputs::<Db2>().jdbc_base`.
    ///
    /// # Panics
    /// If it is of another component type, or if it did not succeed.
    #[track_caller]
    pub fn outputs<K: Fakeable>(self) -> Outputs<K> {
        self.is_a::<K>();
        match &self.record().outputs {
            Some(outputs) => Outputs::<K>::of(outputs),
            None => self.not_started("outputs"),
        }
    }

    #[track_caller]
    fn is_a<K: Fakeable>(self) {
        let kind = self.run.kind(self.place);
        assert!(
            *self.run.stage.world.nodes[self.place].kind == *K::COMPONENT_TYPE,
            "`{}` is a `{kind}`, not a `{}`",
            self.name(),
            super::world::short(K::COMPONENT_TYPE)
        );
    }

    #[track_caller]
    fn not_started(self, what: &str) -> ! {
        panic!("`{}` has no {what}: {}", self.name(), story::failed(self.run, &[self]))
    }
}

/// Shows what it did.
impl std::fmt::Debug for Ran<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&story::line(self.run, self.place))
    }
}
