//! What happens to resources: Heat's rules for updates.

use std::collections::VecDeque;

use wattle_heat::desired::Resource;
use wattle_heat::evaluate::Value;
use wattle_heat::update;

use crate::model::{IndexMap, IndexSet, Name};
use crate::names::list;

use super::called::{gone, moved, renamed};
use super::group::{self, Members, around, is_group};
use super::state::{Own, State};
use super::{Action, Reason, ResourcePlan, words};

/// How a reference to another resource changes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touched {
    /// It changes it.
    Surely,
    /// It may change it.
    Perhaps,
}

/// Resources by their full names.
pub(super) type Resources = IndexMap<String, Resource>;

pub(super) fn plan(before: Option<&State>, after: &State) -> IndexMap<Name, ResourcePlan> {
    let mut old = before.map(|before| before.desired(Some(after)).resources).unwrap_or_default();
    let mut new = after.desired(before).resources;
    group::pair(&mut old, &mut new);
    let members = Members::of(&old, &new);
    let mut work = Work { old: &old, new: &new, own: after.own, members, plans: IndexMap::default() };
    let mut readers: IndexMap<&str, IndexSet<&String>> = IndexMap::default();
    for (name, resource) in &new {
        for value in resource.names().filter_map(|property| resource.given(property)) {
            value.references(&mut |target, _| {
                readers.entry(target).or_default().insert(name);
            });
        }
    }
    // A group changes with its members, and they are replaced with it.
    for (group, member) in work.members.pairs() {
        readers.entry(member).or_default().extend(new.get_key_value(group).map(|(group, _)| group));
        readers.entry(group).or_default().insert(member);
    }
    let mut open: VecDeque<&String> = new.keys().collect();
    // Each round makes an action more serious or leaves it, so this terminates.
    while let Some(name) = open.pop_front() {
        let plan = work.judge(name);
        let is_same = work.plans.get(&**name).is_some_and(|known| known.action >= plan.action);
        if !is_same {
            let changed = work.plans.get(&**name).is_none_or(|known| known.action != plan.action);
            let matters = plan.action != Action::Unchanged;
            work.plans.insert(name.as_str().into(), plan);
            if changed && matters {
                open.extend(readers.get(&**name).into_iter().flatten().copied().filter(|reader| *reader != name));
            }
        }
    }
    let mut plans = work.plans;
    for (name, resource) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        plans.insert(name.as_str().into(), gone(name, resource, &old, &new));
    }
    for (name, resource) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let moved = moved(name, &old, &new).filter(|_| !resource.is_only_a_stack());
        if let (Some(plan), Some(from)) = (plans.get_mut(&**name), moved) {
            plan.because.push(Reason { what: "stack".to_owned(), through: Some(from), ..Reason::default() });
        }
    }
    renamed(&old, &new, &mut plans);
    // The action of a nested stack is that of its resources.
    plans.retain(|name, plan| {
        let is_stack = new.get(&**name).or_else(|| old.get(&**name)).is_some_and(Resource::is_only_a_stack);
        !is_stack || matches!(plan.action, Action::Create | Action::Delete | Action::Replace)
    });
    plans
}

struct Work<'a> {
    old: &'a Resources,
    new: &'a Resources,
    own: Option<Own>,
    members: Members<'a>,
    plans: IndexMap<Name, ResourcePlan>,
}

impl Work<'_> {
    fn judge(&self, name: &str) -> ResourcePlan {
        let after = &self.new[name];
        let group = around(name, self.new).last().map(Name::from);
        let plan = |action, because, help| {
            let (ty, group) = (after.ty().into(), group.clone());
            ResourcePlan { ty, action, because, help, notes: Vec::new(), group }
        };
        let Some(before) = self.old.get(name) else { return plan(Action::Create, Vec::new(), Vec::new()) };
        if let Some(group) = around(name, self.new).find(|group| self.action(group) == Action::Replace) {
            let through = Some(format!("`{group}` is replaced"));
            let reason = Reason { what: "group".to_owned(), through, ..Reason::default() };
            return plan(Action::Replace, vec![reason], Vec::new());
        }
        // It has no real counterpart that could change.
        let is_nothing = before.ty() == after.ty() && after.is_placeholder();
        if is_nothing || after.is_only_a_stack() && before.is_only_a_stack() {
            return plan(Action::Unchanged, Vec::new(), Vec::new());
        }
        if before.ty() != after.ty() {
            let (from, to) = (Some(before.ty().to_owned()), Some(after.ty().to_owned()));
            let reason = Reason { what: "type".to_owned(), from, to, through: None };
            return plan(Action::Replace, vec![reason], Vec::new());
        }
        let (mut changed, mut perhaps) = (Vec::new(), Vec::new());
        let (mut because, mut doubts) = (Vec::new(), Vec::new());
        let names: IndexSet<&str> = after.names().chain(before.names()).collect();
        for property in names {
            let (was, is) = (before.property(property), after.property(property));
            if differs(&was, &is) {
                let (from, to) = words::pair(property, &was, &is);
                because.push(Reason { what: property.to_owned(), from, to, through: None });
                changed.push(property);
                continue;
            }
            match self.touched(&is) {
                Some((Touched::Surely, through)) => {
                    because.push(Reason { what: property.to_owned(), through: Some(through), ..Reason::default() });
                    changed.push(property);
                }
                Some((Touched::Perhaps, through)) => {
                    doubts.push(Reason { what: property.to_owned(), through: Some(through), ..Reason::default() });
                    perhaps.push(property);
                }
                None => {}
            }
        }
        let mut action = Action::Unchanged;
        let (mut help, mut notes) = (Vec::new(), Vec::new());
        if !changed.is_empty() {
            (action, help, notes) = self.verdict(before, after, &changed);
        }
        // Settings that only Heat records, and its actions on every update of a stack.
        let is_heats = self.own.is_none();
        let keys: IndexSet<&&str> = after.rest.keys().chain(before.rest.keys()).filter(|_| is_heats).collect();
        for key in keys {
            let of = |resource: &Resource| resource.rest.get(*key).cloned().unwrap_or(Value::Null);
            let (was, is) = (of(before), of(after));
            if differs(&was, &is) {
                let (from, to) = words::pair(key, &was, &is);
                because.push(Reason { what: (*key).to_string(), from, to, through: None });
                let graver = *key == "metadata" && update::is_replaced_by_metadata(after);
                action = action.max(if graver { Action::Replace } else { Action::Update });
            }
        }
        if is_heats && before.depends_on != after.depends_on {
            because.push(Reason { what: "depends_on".to_owned(), ..Reason::default() });
            action = action.max(Action::Update);
        }
        if is_heats && let Some((always, reason)) = always(after, action) {
            because.push(reason);
            action = always;
        }
        if !perhaps.is_empty() && !matches!(action, Action::Replace | Action::Refused) {
            let (graver, hints, remarks) = self.verdict(before, after, &perhaps);
            let doubtful = match graver {
                Action::Update => Action::MayUpdate,
                Action::Rebuild => Action::MayRebuild,
                _ => Action::MayReplace,
            };
            because.extend(doubts);
            if action == Action::Unchanged || doubtful > Action::MayUpdate {
                help.extend(hints);
                notes.extend(remarks);
                action = action.max(doubtful);
            }
        }
        if action == Action::Unchanged
            && is_group(after)
            && let Some((stirred, reason)) = self.members.stir(name, |member| self.action(member))
        {
            action = stirred;
            because.push(reason);
        }
        if matches!(action, Action::Replace | Action::Refused) {
            notes.clear();
        } else {
            notes.extend(self.stays(after, &because));
        }
        if is_heats && action == Action::Replace {
            help.extend(makes_first(before, after, &changed));
        }
        ResourcePlan { notes, ..plan(action, because, help) }
    }

    /// Notes about properties that are no longer set, and stay as they are in the cloud.
    fn stays(&self, after: &Resource, because: &[Reason]) -> Vec<String> {
        let Some(own) = self.own else { return Vec::new() };
        let is_left = |reason: &&Reason| reason.from.is_some() && reason.to.is_none();
        let left = because.iter().filter(is_left).filter(|reason| (own.stays)(after.made_by(), &reason.what));
        left.map(|reason| format!("its `{}` stays in the cloud as it is", reason.what)).collect()
    }

    /// The action on another resource, as far as it is known.
    fn action(&self, name: &str) -> Action {
        self.plans.get(name).map_or(Action::Unchanged, |plan| plan.action)
    }

    /// The action on a resource whose properties `changed` differ, how to get another result, and further notes.
    fn verdict(&self, before: &Resource, after: &Resource, changed: &[&str]) -> (Action, Vec<String>, Vec<String>) {
        let is_only_heats = |property: &&&str| self.own.is_some() && update::is_needed(after, property);
        let judged: Vec<&str> = changed.iter().filter(|property| !is_only_heats(property)).copied().collect();
        let update::Verdict { action, help, notes } = update::verdict(before, after, &judged);
        let action = match action {
            update::Action::Update => Action::Update,
            update::Action::Rebuild => Action::Rebuild,
            update::Action::Replace => Action::Replace,
            update::Action::Refuse => Action::Refused,
        };
        let is_fixed = |property: &&&str| {
            self.own.is_some_and(|own| (own.is_fixed)(after.made_by(), property))
                && !update::is_ignored(after, property)
        };
        let fixed: Vec<&str> = changed.iter().filter(is_fixed).copied().collect();
        if fixed.is_empty() || matches!(action, Action::Replace | Action::Refused) {
            return (action, help, notes);
        }
        let (names, them) = (list(fixed.iter().copied(), "and"), if fixed.len() == 1 { "it" } else { "them" });
        let help = format!("wattle cannot change {names} in place, as Heat can: leave {them} as it was");
        (Action::Replace, vec![help], notes)
    }

    /// Whether a change of a resource that the value refers to changes the value.
    fn touched(&self, value: &Value) -> Option<(Touched, String)> {
        let mut found: Option<(Touched, String)> = None;
        if value.is_cut() {
            found = Some((Touched::Perhaps, "it is too large, or nested too deeply, to be compared".to_owned()));
        }
        value.references(&mut |target, is_identity| {
            let both = self.old.get(target).zip(self.new.get(target));
            if is_identity && both.is_some_and(|(before, after)| update::keeps_reference(before, after)) {
                return;
            }
            let touched = match (self.plans.get(target).map(|plan| plan.action), is_identity) {
                (Some(Action::Replace), true) => (Touched::Surely, format!("`{target}` is replaced")),
                (Some(Action::Create), _) if !self.old.contains_key(target) => {
                    (Touched::Surely, format!("`{target}` is created"))
                }
                (Some(Action::Replace), false) => (Touched::Perhaps, format!("`{target}` is replaced")),
                (Some(Action::MayReplace), _) => (Touched::Perhaps, format!("`{target}` may be replaced")),
                (Some(Action::Update | Action::Rebuild), false) => {
                    (Touched::Perhaps, format!("`{target}` changes in place"))
                }
                (Some(Action::MayUpdate), false) if self.new.get(target).is_some_and(is_group) => {
                    (Touched::Perhaps, format!("`{target}` may change in place"))
                }
                _ => return,
            };
            if found.as_ref().is_none_or(|(known, _)| *known == Touched::Perhaps && touched.0 == Touched::Surely) {
                found = Some(touched);
            }
        });
        found
    }
}

/// The problems that arise because Heat creates the new resource before it deletes the old one.
fn makes_first(before: &Resource, after: &Resource, changed: &[&str]) -> Vec<String> {
    let loss =
        "Heat makes the new one under the name of the old one, deletes the old one by that name, and neither is left";
    let is_lost = update::keeps_reference(before, after);
    let help = is_lost.then(|| format!("{loss}: give it another name, too"));
    help.into_iter().chain(update::clash(before, after, changed)).collect()
}

/// The action on a resource on every update of its stack, given the action otherwise.
fn always(resource: &Resource, otherwise: Action) -> Option<(Action, Reason)> {
    let because = |does: &str| {
        let through = Some(format!("Heat {does} such a resource whenever its stack is updated"));
        Reason { what: "each update".to_owned(), through, ..Reason::default() }
    };
    if update::is_always_replaced(resource) {
        return Some((Action::Replace, because("replaces")));
    }
    let is_updated = otherwise == Action::Unchanged && update::is_always_updated(resource);
    is_updated.then(|| (Action::Update, because("updates")))
}

/// Whether a value has changed for Heat, which treats 1 and 1.0 as equal. For values that cannot be compared, see
/// [`Work::touched`].
fn differs(was: &Value, is: &Value) -> bool {
    was.equals(is) != Some(true) && !(was.is_cut() && was == is)
}
