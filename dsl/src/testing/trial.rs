//! A trial: a blueprint with everything that a run of it needs.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use crate::author::Blueprint;
use crate::check;
use crate::cli::{Sources, settings};
use crate::lower;
use crate::model::{IndexMap, Model, Name, Value};
use crate::view;

use super::component_type::{Fakeable, Given, Values};
use super::fake::{Answer, Call, Failed, Fake};
use super::run::{Stage, TrialRun};
use super::schedule::Schedule;
use super::setting::Setting;
use super::stack::StackTemplate;

/// A blueprint under test, with values for its deployment, fakes for its components, and a schedule.
///
/// ```
/// # use wattle::prelude::*;
/// use wattle::testing::{Given, Outputs, Trial};
///
/// # #[component(recipe = "src/check/examples/greet.sh")]
/// # pub struct Greeter { #[input] name: String, #[output] greeting: String }
/// #[blueprint]
/// pub fn hello(t: &mut Topology) -> Exports {
///     let server = t.add("server", RawResource::new("OS::Nova::Server"));
///     let greeter = t.on(server).run("greeter", Greeter::new().name("world"));
///     Exports::new().entry("greeting", greeter.greeting)
/// }
///
/// let run = Trial::of(hello)
///     .fake(|it: Given<Greeter>| Outputs::<Greeter> { greeting: format!("hello, {}", it.name) })
///     .run();
/// assert_eq!(run.export::<String>("greeting"), "hello, world");
/// ```
pub struct Trial {
    pub(super) setting: Setting,
    schedule: Schedule,
}

impl Trial {
    /// Creates a trial of a blueprint with its default configuration.
    ///
    /// # Panics
    /// If the checks find errors; shows all diagnostics as `check` does. The same applies to every function that creates a
    /// trial.
    #[track_caller]
    pub fn of<B: Blueprint>(blueprint: B) -> Self {
        Self::configured(blueprint, B::Config::default())
    }

    /// Creates a trial of a blueprint with a configuration.
    ///
    /// # Panics
    /// See [`Trial::of`].
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "a blueprint is a function, given by its name")]
    pub fn configured<B: Blueprint>(blueprint: B, config: B::Config) -> Self {
        Self::of_model(blueprint.model(config))
    }

    /// Creates a trial of a blueprint with settings as on the command line: `["nodes=3"]` is `--set nodes=3`.
    ///
    /// # Panics
    /// See [`Trial::of`]; also if there is no such setting.
    #[track_caller]
    pub fn set<'s, B: Blueprint>(blueprint: B, settings: impl IntoIterator<Item = &'s str>) -> Self {
        let set: Vec<String> = settings.into_iter().map(str::to_owned).collect();
        match settings::config::<B>(None, &set) {
            Ok((config, _)) => Self::configured(blueprint, config),
            Err(failure) => {
                panic!("{}", view::failure(&failure.message, &failure.notes, &failure.help, &view::Options::default()))
            }
        }
    }

    /// Creates a trial of any model: one from [`Topology::finish`](crate::Topology::finish), or one that was read from a
    /// file.
    ///
    /// # Panics
    /// See [`Trial::of`].
    #[track_caller]
    pub fn of_model(model: Model) -> Self {
        let diagnostics = check::check(&model, &check::Limits::default());
        if check::has_errors(&diagnostics) {
            let sources = Sources::default();
            let options = view::Options::default();
            let shown = view::render(&diagnostics, view::Format::Full, &|file| sources.read(file), &options);
            let summary = view::summary(&diagnostics).unwrap_or_default();
            panic!("`{}` cannot be tried: {summary}\n\n{shown}", model.stack);
        }
        let options = lower::Options { decisions: false, ..lower::Options::default() };
        let lowered = Rc::new(lower::lower(&model, &options));
        Self { setting: Setting::new(model, lowered), schedule: Schedule::Seed(0) }
    }

    /// Sets the value of a parameter. Parameters with a default need none, and neither do those that only Heat reads.
    #[must_use]
    pub fn parameter(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.setting.parameters.insert(name.into(), value.into());
        self
    }

    /// Sets the value that Heat would give an attribute, by the name of its resource and the path into it:
    /// `.attribute("db", "networks.backbone.0", "10.0.0.5")`. All other attributes get made-up values of the type of the
    /// input that reads them, the same on every run.
    #[must_use]
    pub fn attribute(mut self, resource: &str, attribute: &str, value: impl Into<Value>) -> Self {
        self.setting.attributes.insert((resource.into(), attribute.into()), value.into());
        self
    }

    /// Sets the value of another stack's export.
    #[must_use]
    pub fn import(mut self, stack: &str, export: &str, value: impl Into<Value>) -> Self {
        self.setting.imports.insert((stack.into(), export.into()), value.into());
        self
    }

    /// Fakes a component type with a closure from its inputs to its outputs.
    ///
    /// The closure returns `Outputs::<Db2> { ... }`, or a `Result` of that and [`Failed`]. With an `Err`, the recipe
    /// fails, and so does everything that depends on it. A value that no recipe could write, such as a float that is
    /// not finite or a text larger than an entry, is a mistake in the test.
    ///
    /// The closure is called once for each run of such a component, when all inputs are available, just as a recipe for the
    /// shell, Ansible or Puppet is started. A Chef recipe starts earlier and requests its inputs one by one; its fake is
    /// called when all of them are available.
    #[must_use]
    #[track_caller]
    pub fn fake<K: Fakeable, A: Answer<K::Outputs>>(self, fake: impl Fn(Given<K>) -> A + 'static) -> Self {
        let at = Location::caller();
        self.kind(K::COMPONENT_TYPE, typed(fake, None, at))
    }

    /// Like [`Trial::fake`], for a recipe that takes this much of the run's own time. If that exceeds its deadline, it
    /// fails. If it exceeds the waiting time of others, they fail.
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
    /// use wattle::testing::{Given, Outputs, Trial};
    ///
    /// let slow = |it: Given<Greeter>| Outputs::<Greeter> { greeting: it.name.clone() };
    /// let run = Trial::of(hello).fake_taking(Duration::from_hours(2), slow).run();
    /// let failure = run.component("alice/greeter").failed().failure().unwrap();
    /// assert_eq!(failure.message, "the recipe did not end within 1 h");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn fake_taking<K: Fakeable, A: Answer<K::Outputs>>(
        self,
        takes: Duration,
        fake: impl Fn(Given<K>) -> A + 'static,
    ) -> Self {
        let at = Location::caller();
        self.kind(K::COMPONENT_TYPE, typed(fake, Some(takes), at))
    }

    /// Fakes one component, `SERVER/COMPONENT`, differently from the others of its type.
    #[must_use]
    #[track_caller]
    pub fn fake_of<K: Fakeable, A: Answer<K::Outputs>>(
        mut self,
        component: &str,
        fake: impl Fn(Given<K>) -> A + 'static,
    ) -> Self {
        let at = Location::caller();
        self.setting.own_fakes.insert(component.into(), (Some(K::COMPONENT_TYPE), typed(fake, None, at)));
        self
    }

    /// Fakes a component type by name, for models that no Rust type declares. The closure maps inputs to outputs, as
    /// data. `kind` is a key of [`Model::declarations`].
    #[must_use]
    #[track_caller]
    pub fn fake_kind(
        self,
        kind: &str,
        fake: impl Fn(&str, &IndexMap<Name, Value>) -> Result<IndexMap<Name, Value>, Failed> + 'static,
    ) -> Self {
        let run = move |call: Call<'_>| fake(call.component, &call.inputs.0).map(Values);
        self.kind(kind, Fake { run: Rc::new(run), takes: None, at: Location::caller() })
    }

    fn kind(mut self, kind: &str, fake: Fake) -> Self {
        if let Some(before) = self.setting.fakes.insert(kind.into(), fake) {
            let (kind, at) = (super::world::short(kind), before.at);
            panic!("`{kind}` already has a fake, at {at}; to fake one component, use `.fake_of(COMPONENT, ...)`");
        }
        self
    }

    /// Makes every component without a fake write made-up values of the declared types, and gives made-up values to
    /// parameters and imports that have none. They are the same on every run. Use it in tests of order, in which the values
    /// do not matter.
    #[must_use]
    pub fn made_up(mut self) -> Self {
        self.setting.made_up = true;
        self
    }

    /// Makes the recipe of a component, `SERVER/COMPONENT`, fail.
    #[must_use]
    #[track_caller]
    pub fn failing(mut self, component: &str, why: impl Into<Failed>) -> Self {
        let why = why.into();
        let run = move |_: Call<'_>| Err(why.clone());
        self.setting
            .own_fakes
            .insert(component.into(), (None, Fake { run: Rc::new(run), takes: None, at: Location::caller() }));
        self
    }

    /// Makes a server never come up. Components that wait for something from it wait forever.
    #[must_use]
    pub fn never_boots(mut self, server: &str) -> Self {
        self.setting.absent.insert(server.into());
        self
    }

    /// Makes the agent of this component's server die once while the recipe of the component, `SERVER/COMPONENT`, runs. The
    /// agent then repeats everything that was running there, which every recipe must tolerate. The fake can detect it by
    /// [`Given::attempt`].
    #[must_use]
    pub fn agent_dies_during(mut self, component: &str) -> Self {
        self.setting.deaths.insert(component.into());
        self
    }

    /// Chooses a random order by a seed, where nothing forces an order. The default is 0.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        self.schedule(Schedule::Seed(seed))
    }

    /// Chooses the order where nothing forces one.
    #[must_use]
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// The template for Heat.
    pub fn stack(&self) -> StackTemplate {
        StackTemplate::of(&self.setting.lowered)
    }

    /// The checked model.
    pub fn model(&self) -> &Model {
        &self.setting.model
    }

    /// Runs all components to their end.
    ///
    /// # Panics
    /// If something (a fake, a parameter) is missing or misspelt; the message lists everything, with the lines that fix it.
    /// Also if a fake returns something that no recipe could write.
    #[track_caller]
    pub fn run(&self) -> TrialRun {
        Stage::of(&self.setting).run(self.schedule)
    }

    /// Runs all components with each of these seeds and with the schedules that provoke problems, and passes each run to
    /// `judge`. If `judge` panics, the schedule is printed, so that you can repeat it with [`Trial::seed`] or
    /// [`Trial::schedule`].
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
    /// # use wattle::testing::Trial;
    /// Trial::of(hello).made_up().schedules(0..20, |run| {
    ///     run.succeeded();
    ///     run.component("bob/greeter").started_after("alice/greeter");
    /// });
    /// ```
    ///
    /// # Panics
    /// If [`Trial::run`] or `judge` does.
    #[track_caller]
    pub fn schedules(&self, seeds: impl IntoIterator<Item = u64>, judge: impl Fn(&TrialRun)) {
        struct Report(Schedule);
        impl Drop for Report {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    let again = match self.0 {
                        Schedule::Seed(seed) => format!("`.seed({seed})`"),
                        other => format!("`.schedule(Schedule::{other:?})`"),
                    };
                    eprintln!("this was {}: {again} instead of `.schedules(...)` gives the same run again", self.0);
                }
            }
        }
        let stage = Stage::of(&self.setting);
        for schedule in Schedule::ADVERSARIAL.into_iter().chain(seeds.into_iter().map(Schedule::Seed)) {
            let report = Report(schedule);
            judge(&stage.run(schedule));
            drop(report);
        }
    }
}

/// Shows the parts of the trial.
impl std::fmt::Debug for Trial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trial")
            .field("stack", &self.setting.model.stack)
            .field("schedule", &self.schedule)
            .finish_non_exhaustive()
    }
}

fn typed<K: Fakeable, A: Answer<K::Outputs>>(
    fake: impl Fn(Given<K>) -> A + 'static,
    takes: Option<Duration>,
    at: &'static Location<'static>,
) -> Fake {
    let run = move |call: Call<'_>| {
        let given = Given::new(call.inputs, call.component.clone(), call.attempt);
        // The panic message of a closure does not name the component that it was called for.
        match catch_unwind(AssertUnwindSafe(|| fake(given).answer())) {
            Ok(answer) => answer,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
                panic!("the fake of `{}`, at {at}, panicked: {text}", call.component)
            }
        }
    };
    Fake { run: Rc::new(run), takes, at }
}
