//! The effects of a changed blueprint on what another trial deployed.

use crate::model::{Content, IndexMap};
use crate::plan::{Action, Plan, Run, State, plan};
use wattle_heat::emit;

use super::trial::Trial;
use super::world::meant;

/// The steps from one trial to another, from [`Trial::plan_from`]. Assertions return the plan, so that they can be
/// chained.
#[derive(Clone, Debug)]
pub struct TrialPlan {
    plan: Plan,
}

impl Trial {
    /// The effects of deploying this trial over `before`, as the command `plan` reports them.
    ///
    /// ```
    /// # use wattle::prelude::*;
    /// # use wattle::testing::Trial;
    /// # #[component(recipe = "src/check/examples/greet.sh")]
    /// # pub struct Greeter { #[input] name: String, #[output] greeting: String }
    /// # fn trial(name: &str) -> Trial {
    /// let mut t = Topology::new("hello");
    /// let server = t.add("server", RawResource::new("OS::Nova::Server"));
    /// let greeter = t.on(server).run("greeter", Greeter::new().name(name));
    /// # Trial::of_model(t.finish(Exports::new().entry("greeting", greeter.greeting)))
    /// # }
    ///
    /// let change = trial("moon").plan_from(&trial("world"));
    /// change.replaces_nothing().runs_again("server/greeter");
    /// trial("moon").plan_from(&trial("moon")).changes_nothing();
    /// ```
    ///
    /// # Panics
    /// If the output of one of them cannot be read back, which is a bug in this crate.
    #[track_caller]
    pub fn plan_from(&self, before: &Self) -> TrialPlan {
        TrialPlan { plan: plan(Some(&before.state()), &self.state()) }
    }

    fn state(&self) -> State {
        let mut files = IndexMap::default();
        for (name, content) in &self.setting.model.files {
            files.insert(name.to_string(), String::from_utf8_lossy(Content::bytes(content)).into_owned());
        }
        let nested = self.setting.lowered.nested.iter().map(|(name, template)| (name.as_str(), template));
        for (name, template) in nested.chain([("template.yaml", &self.setting.lowered.template)]) {
            let text = emit::to_yaml(template).expect("INVARIANT: a sound model's template can be emitted");
            files.insert(name.to_owned(), text);
        }
        let seed = Some(self.setting.lowered.seed.clone());
        State::new(&files, self.setting.parameters.clone(), seed).expect("INVARIANT: what is emitted can be read")
    }
}

impl TrialPlan {
    /// The plan itself.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Asserts that nothing would change or run again.
    ///
    /// # Panics
    /// If something would; shows the plan. The same applies to all assertions below.
    #[track_caller]
    pub fn changes_nothing(&self) -> &Self {
        assert!(self.plan.is_empty(), "something would change:\n{}", self.plan.to_text(false));
        self
    }

    /// Asserts that Heat would and could neither replace, rebuild nor delete a resource, and that it would not refuse the
    /// update.
    ///
    /// # Panics
    /// If one of these would or could happen.
    #[track_caller]
    pub fn replaces_nothing(&self) -> &Self {
        let is_harmful =
            |action: Action| !matches!(action, Action::Unchanged | Action::MayUpdate | Action::Update | Action::Create);
        let harmed = self.plan.resources.iter().filter(|(_, resource)| is_harmful(resource.action));
        let harmed: Vec<&str> = harmed.map(|(name, _)| &**name).collect();
        assert!(
            harmed.is_empty(),
            "{} would not stay:\n{}",
            crate::names::list(harmed.iter().copied(), "and"),
            self.plan.to_text(false)
        );
        self
    }

    /// The action of Heat on a resource.
    ///
    /// # Panics
    /// If neither trial has it.
    #[track_caller]
    pub fn resource(&self, name: &str) -> Action {
        let Some(resource) = self.plan.resources.get(name) else {
            let known: Vec<&str> = self.plan.resources.keys().map(|name| &**name).collect();
            panic!("the plan has no resource `{name}`{}", meant(name, &known));
        };
        resource.action
    }

    /// The action of the agent on a component, `SERVER/COMPONENT`.
    ///
    /// # Panics
    /// If neither trial has it.
    #[track_caller]
    pub fn component(&self, name: &str) -> Run {
        let Some(component) = self.plan.components.get(name) else {
            let known: Vec<&str> = self.plan.components.keys().map(|name| &**name).collect();
            panic!("the plan has no component `{name}`{}", meant(name, &known));
        };
        component.action
    }

    /// Asserts that the recipe of a component, `SERVER/COMPONENT`, would run again.
    ///
    /// # Panics
    /// If it would not, or only might.
    #[track_caller]
    pub fn runs_again(&self, name: &str) -> &Self {
        let action = self.component(name);
        assert!(action == Run::RunAgain, "`{name}` would not run again ({action:?}):\n{}", self.plan.to_text(false));
        self
    }

    /// Asserts that the recipe of a component, `SERVER/COMPONENT`, would not run again, whatever other components write.
    ///
    /// # Panics
    /// If it would, or might.
    #[track_caller]
    pub fn leaves_alone(&self, name: &str) -> &Self {
        let action = self.component(name);
        assert!(action == Run::Skip, "`{name}` is not left alone ({action:?}):\n{}", self.plan.to_text(false));
        self
    }
}
