//! What happens to components, and what makes an agent run one again.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use wattle_heat::evaluate::Value;

use crate::lower::Seed;
use crate::lower::seed::{Origin, SeedComponent, SeedDeclaration, SeedRecipe, Wire};
use crate::model::{IndexMap, IndexSet, Name};
use crate::names::list;
use crate::values::span;

use super::state::State;
use super::wire::{Compared, Side, compare, resolved};
use super::{Action, ComponentPlan, Reason, ResourcePlan, Run, words};

/// The changes to the recipe itself: its tool, its entry point, its files. Any of these makes an agent run it again.
pub fn recipe_differences(before: &SeedRecipe, after: &SeedRecipe) -> Vec<String> {
    let mut what = Vec::new();
    if before.tool != after.tool {
        what.push("tool".to_owned());
    }
    if before.entry != after.entry {
        what.push("recipe".to_owned());
    }
    let paths: IndexSet<_> = after.files.keys().chain(before.files.keys()).collect();
    let others = paths.into_iter().filter(|path| before.files.get(*path) != after.files.get(*path));
    what.extend(others.map(|path| format!("file `{path}`")));
    what
}

/// The value that an input is wired to, or its default; `None` if it has neither.
fn input_of(component: &SeedComponent, declaration: &SeedDeclaration, input: &str) -> Option<Wire> {
    let wire = component.inputs.get(input).cloned();
    wire.or_else(|| declaration.inputs.get(input)?.default.clone().map(Wire::Constant))
}

/// The changes to a component that its agent adopts without running it.
fn aside(
    (was, declared): (&SeedComponent, &SeedDeclaration),
    (is, now): (&SeedComponent, &SeedDeclaration),
) -> Vec<Reason> {
    let time = |seconds: Option<u64>| seconds.map(|seconds| span(Duration::from_secs(seconds)));
    let teardown = |declared: &SeedDeclaration| declared.recipe.teardown.as_ref().map(|entry| format!("`{entry}`"));
    let order = |component: &SeedComponent| {
        (!component.after.is_empty()).then(|| list(component.after.iter().map(|name| &**name), "and"))
    };
    let (old, new) = (&declared.recipe, &now.recipe);
    let all = [
        ("deadline", time(old.deadline), time(new.deadline)),
        ("wait", time(old.wait), time(new.wait)),
        ("teardown", teardown(declared), teardown(now)),
        ("after", order(was), order(is)),
    ];
    let others = all.into_iter().filter(|(_, from, to)| from != to);
    others.map(|(what, from, to)| Reason { what: what.to_owned(), from, to, through: None }).collect()
}

struct Work<'a> {
    old: Side<'a>,
    new: Side<'a>,
    /// The action on each server, by its own name.
    servers: HashMap<Name, Action>,
    /// The servers whose attributes may change.
    moving: HashSet<Name>,
    plans: IndexMap<Name, ComponentPlan>,
}

pub(super) fn plan(
    before: Option<&State>,
    after: &State,
    resources: &IndexMap<Name, ResourcePlan>,
) -> IndexMap<Name, ComponentPlan> {
    let nothing = Seed::default();
    let none = IndexMap::default();
    let [old, new] = [before, Some(after)].map(|state| {
        let side = state.and_then(Side::of);
        side.unwrap_or(Side { seed: &nothing, parameters: &none, computes: false })
    });
    let (mut servers, mut moving): (HashMap<Name, Action>, HashSet<Name>) = Default::default();
    // Servers that run components are not in groups.
    for (name, plan) in resources.iter().filter(|(_, plan)| plan.group.is_none()) {
        let own = name.rsplit_once('/').map_or(&**name, |(_, own)| own);
        // A server that moves from one nested stack to another is replaced.
        let action = servers.get(own).map_or(plan.action, |known| match (known, plan.action) {
            (Action::Delete, Action::Create) | (Action::Create, Action::Delete) => Action::Replace,
            (known, action) => (*known).max(action),
        });
        servers.insert(own.into(), action);
        // Other changes in place leave addresses and names as they are.
        let is_elsewhere = |reason: &Reason| matches!(&*reason.what, "networks" | "name");
        if matches!(action, Action::Replace | Action::MayReplace | Action::Create)
            || action == Action::Update && plan.because.iter().any(is_elsewhere)
        {
            moving.insert(own.into());
        }
    }
    let mut work = Work { old, new, servers, moving, plans: IndexMap::default() };
    work.all();
    work.plans
}

impl Work<'_> {
    fn all(&mut self) {
        let mut doubts: HashMap<Name, Vec<(Name, Name, Name)>> = HashMap::new();
        let mut open: Vec<Name> = Vec::new();
        let new = self.new.seed;
        for (server, seed) in &new.servers {
            for name in seed.components.keys() {
                let key: Name = format!("{server}/{name}").into();
                let (plan, reads) = self.judge(server, name);
                // Possible changes are examined once it is known which components run.
                for (entry, input) in reads {
                    let writer: Name = writer_of(&entry).into();
                    doubts.entry(writer).or_default().push((key.clone(), input, entry));
                }
                if plan.action != Run::Skip {
                    open.push(key.clone());
                }
                self.plans.insert(key, plan);
            }
        }
        // A server's own attributes may change when it does.
        open.extend(self.moving.iter().map(|server| Name::from(format!("{server}/server"))));
        open.sort_unstable();
        let mut seen: HashSet<Name> = HashSet::new();
        while let Some(writer) = open.pop() {
            if !seen.insert(writer.clone()) {
                continue;
            }
            for (key, input, entry) in doubts.get(&writer).into_iter().flatten() {
                let Some(plan) = self.plans.get_mut(key) else { continue };
                if matches!(plan.action, Run::Skip | Run::MayRunAgain) {
                    plan.action = Run::MayRunAgain;
                    let through = Some(format!("if `{entry}` changes"));
                    let reason = Reason { what: format!("input `{input}`"), through, ..Reason::default() };
                    if !plan.because.contains(&reason) {
                        plan.because.push(reason);
                    }
                    open.push(key.clone());
                }
            }
        }
        self.gone();
    }

    /// The action on a component by itself, and the entries it reads that are otherwise unchanged, each with its input.
    fn judge(&self, server: &Name, name: &Name) -> (ComponentPlan, Vec<(Name, Name)>) {
        let run = |action, because| (ComponentPlan::new(action, because), Vec::new());
        let because = |text: &str| {
            vec![Reason { what: "server".to_owned(), through: Some(text.to_owned()), ..Reason::default() }]
        };
        match self.servers.get(server) {
            Some(Action::Replace) => return run(Run::Run, because("its server is replaced")),
            Some(Action::Rebuild) => return run(Run::Run, because("its server is rebuilt")),
            Some(Action::Create) => return run(Run::Run, Vec::new()),
            _ => {}
        }
        let (Some((was, declared)), Some((is, now))) =
            (self.old.component(server, name), self.new.component(server, name))
        else {
            return run(Run::Run, Vec::new());
        };
        let mut because: Vec<Reason> = recipe_differences(&declared.recipe, &now.recipe)
            .into_iter()
            .map(|what| Reason { what, ..Reason::default() })
            .collect();
        let note = |because: &mut Vec<Reason>, what: String| because.push(Reason { what, ..Reason::default() });
        let outputs: IndexSet<&Name> = now.outputs.keys().chain(declared.outputs.keys()).collect();
        for output in outputs {
            if declared.outputs.get(output) != now.outputs.get(output) {
                note(&mut because, format!("output `{output}`"));
            }
        }
        let (mut perhaps, mut reads) = (Vec::new(), Vec::new());
        let inputs: IndexSet<&Name> = now.inputs.keys().chain(declared.inputs.keys()).collect();
        for input in inputs {
            let what = format!("input `{input}`");
            let (from, to) = (input_of(was, declared, input), input_of(is, now, input));
            let (from, to) = match (from, to) {
                (None, None) => continue,
                (Some(from), Some(to)) => (from, to),
                (from, _) => {
                    note(
                        &mut because,
                        format!("{what}, which {} given", if from.is_some() { "is no longer" } else { "is now" }),
                    );
                    continue;
                }
            };
            let shape = |declaration: &SeedDeclaration| {
                declaration.inputs.get(input).map(|input| (input.ty.clone(), input.path.clone()))
            };
            if shape(declared) != shape(now) {
                note(&mut because, format!("the type of {what}"));
                continue;
            }
            let is_secret = now.inputs.get(input).is_some_and(|input| input.ty.is_secret());
            let [old, new] = [&self.old, &self.new].map(|side| if is_secret { side.uncomputed() } else { *side });
            let (from, to) = (resolved(&from, &old, &new), resolved(&to, &new, &old));
            let named = if is_secret { "secret" } else { &**input };
            match compare(&from, &to) {
                Compared::Other if !now.recipe.tool.is_live() => {
                    let text = |wire: &Wire| wire.constant().map_or(Value::Null, Value::of_model);
                    let (from, to) = words::pair(named, &text(&from), &text(&to));
                    because.push(Reason { what, from, to, through: None });
                }
                Compared::Other => {
                    let through = Some("if its recipe reads it".to_owned());
                    perhaps.push(Reason { what, through, ..Reason::default() });
                }
                Compared::Perhaps => {
                    let through = Some("it is wired to something else".to_owned());
                    perhaps.push(Reason { what, through, ..Reason::default() });
                }
                Compared::Same => {}
            }
            reads.extend(to.leaves().filter_map(Origin::entry).map(|entry| (entry.clone(), input.clone())));
        }
        let doubt = match self.servers.get(server) {
            Some(Action::MayReplace) => Some("if its server is replaced"),
            Some(Action::MayRebuild) => Some("if its server is rebuilt"),
            _ => None,
        };
        if let Some(doubt) = doubt {
            let through = Some(doubt.to_owned());
            perhaps.push(Reason { what: "server".to_owned(), through, ..Reason::default() });
        }
        let action = if !because.is_empty() {
            Run::RunAgain
        } else if !perhaps.is_empty() {
            Run::MayRunAgain
        } else {
            Run::Skip
        };
        because.extend(perhaps);
        (ComponentPlan { action, because, aside: aside((was, declared), (is, now)) }, reads)
    }

    /// Adds components that have left the model.
    fn gone(&mut self) {
        for (server, seed) in &self.old.seed.servers {
            for name in seed.components.keys() {
                let key: Name = format!("{server}/{name}").into();
                if self.plans.contains_key(&key) {
                    continue;
                }
                let teardown =
                    self.old.component(server, name).and_then(|(_, declared)| declared.recipe.teardown.clone());
                let mut because = Vec::new();
                let leaves = !self.new.seed.servers.contains_key(server);
                if leaves {
                    let through = Some("its server leaves the stack".to_owned());
                    because.push(Reason { what: "server".to_owned(), through, ..Reason::default() });
                }
                let action = match (teardown, leaves) {
                    (Some(_), _) => Run::TearDown,
                    (None, true) => Run::Gone,
                    (None, false) => Run::Forget,
                };
                self.plans.insert(key, ComponentPlan::new(action, because));
            }
        }
    }
}

/// The component that writes an entry: `SERVER/COMPONENT`.
fn writer_of(entry: &str) -> &str {
    entry.rsplit_once('/').map_or(entry, |(writer, _)| writer)
}
