//! What becomes of resources: Heat's rules of an update.

use std::collections::VecDeque;

use wattle_heat::desired::Resource;
use wattle_heat::evaluate::Value;
use wattle_heat::update;

use crate::model::{IndexMap, IndexSet, Name};
use crate::names::list;

use super::state::{IsFixed, State};
use super::{Action, Reason, ResourcePlan, words};

/// How a reference to another resource changes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touched {
    /// It is another.
    Surely,
    /// It may be another.
    Perhaps,
}

/// Resources by their full names.
type Resources = IndexMap<String, Resource>;

pub(super) fn plan(before: Option<&State>, after: &State) -> IndexMap<Name, ResourcePlan> {
    let old = before.map(|before| before.desired(Some(after)).resources).unwrap_or_default();
    let new = after.desired(before).resources;
    let mut work = Work { old: &old, new: &new, own: after.own, plans: IndexMap::default() };
    let mut readers: IndexMap<&str, IndexSet<&String>> = IndexMap::default();
    for (name, resource) in &new {
        for value in resource.names().filter_map(|property| resource.given(property)) {
            value.references(&mut |target, _| {
                readers.entry(target).or_default().insert(name);
            });
        }
    }
    let mut open: VecDeque<&String> = new.keys().collect();
    // Every round makes an answer graver or leaves it, so it ends.
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
        plans.insert(name.as_str().into(), gone(name, resource, &new));
    }
    for (name, resource) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let moved = moved(name, &old, &new).filter(|_| !resource.is_stack);
        if let (Some(plan), Some(from)) = (plans.get_mut(&**name), moved) {
            plan.because.push(Reason { what: "stack".to_owned(), through: Some(from), ..Reason::default() });
        }
    }
    renamed(&old, &new, &mut plans);
    // A nested stack is what becomes of its resources.
    plans.retain(|name, plan| {
        let is_stack = new.get(&**name).or_else(|| old.get(&**name)).is_some_and(|resource| resource.is_stack);
        !is_stack || matches!(plan.action, Action::Create | Action::Delete | Action::Replace)
    });
    plans
}

struct Work<'a> {
    old: &'a Resources,
    new: &'a Resources,
    own: Option<IsFixed>,
    plans: IndexMap<Name, ResourcePlan>,
}

impl Work<'_> {
    fn judge(&self, name: &str) -> ResourcePlan {
        let after = &self.new[name];
        let plan =
            |action, because, help| ResourcePlan { ty: after.ty().into(), action, because, help, notes: Vec::new() };
        let Some(before) = self.old.get(name) else { return plan(Action::Create, Vec::new(), Vec::new()) };
        if after.is_stack && before.is_stack {
            return plan(Action::Unchanged, Vec::new(), Vec::new());
        }
        if before.ty() == after.ty() && after.is_placeholder() {
            // There is nothing behind it that could change.
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
        // What only Heat takes note of, and what it does whenever a stack is updated.
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
        if is_heats && update::is_always_replaced(after) {
            because.push(Reason {
                what: "each update".to_owned(),
                through: Some("Heat replaces such a resource whenever its stack is updated".to_owned()),
                ..Reason::default()
            });
            action = Action::Replace;
        }
        if is_heats && action == Action::Unchanged && update::is_always_updated(after) {
            because.push(Reason {
                what: "each update".to_owned(),
                through: Some("Heat updates such a resource whenever its stack is updated".to_owned()),
                ..Reason::default()
            });
            action = Action::Update;
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
        if matches!(action, Action::Replace | Action::Refused) {
            notes.clear();
        }
        if is_heats && action == Action::Replace && update::keeps_reference(before, after) {
            let loss = "Heat makes the new one under the name of the old one, deletes the old one by that name, and nothing is left";
            help.push(format!("{loss}: give it another name, too"));
        }
        ResourcePlan { notes, ..plan(action, because, help) }
    }

    /// What becomes of a resource whose properties `changed` differ, how another answer could be had, and what else there is to
    /// say.
    fn verdict(&self, before: &Resource, after: &Resource, changed: &[&str]) -> (Action, Vec<String>, Vec<String>) {
        let is_only_heats = |property: &&&str| self.own.is_some() && update::is_needed(after, property);
        let changed: &[&str] = &changed.iter().filter(|property| !is_only_heats(property)).copied().collect::<Vec<_>>();
        let update::Verdict { action, help, notes } = update::verdict(before, after, changed);
        let action = match action {
            update::Action::Update => Action::Update,
            update::Action::Rebuild => Action::Rebuild,
            update::Action::Replace => Action::Replace,
            update::Action::Refuse => Action::Refused,
        };
        let is_fixed = |property: &&&str| {
            self.own.is_some_and(|is_fixed| is_fixed(after.made_by(), property)) && !update::is_ignored(after, property)
        };
        let fixed: Vec<&str> = changed.iter().filter(is_fixed).copied().collect();
        if fixed.is_empty() || matches!(action, Action::Replace | Action::Refused) {
            return (action, help, notes);
        }
        let (names, them) = (list(fixed.iter().copied(), "and"), if fixed.len() == 1 { "it" } else { "them" });
        let help = format!("wattle cannot change {names} in place, as Heat can: leave {them} as it was");
        (Action::Replace, vec![help], notes)
    }

    /// Whether what a value refers to makes it another.
    fn touched(&self, value: &Value) -> Option<(Touched, String)> {
        let mut found: Option<(Touched, String)> = None;
        if value.is_cut() {
            found = Some((Touched::Perhaps, "it is too large, or stands too deep, to be compared".to_owned()));
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
                _ => return,
            };
            if found.as_ref().is_none_or(|(known, _)| *known == Touched::Perhaps && touched.0 == Touched::Surely) {
                found = Some(touched);
            }
        });
        found
    }
}

/// What a resource is called within its own stack.
pub(super) fn own_name(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, own)| own)
}

/// The words for a resource that is of the same name in another stack.
fn moved(name: &str, old: &Resources, new: &Resources) -> Option<String> {
    let own = own_name(name);
    let from = old.keys().find(|other| own_name(other) == own && !new.contains_key(*other))?;
    let stack = |name: &str| match name.rsplit_once('/') {
        Some((stack, _)) => format!("the nested stack `{stack}`"),
        None => "the stack itself".to_owned(),
    };
    Some(format!("it moves from {} to {}, and Heat makes another one there", stack(from), stack(name)))
}

fn gone(name: &str, resource: &Resource, new: &Resources) -> ResourcePlan {
    let own = own_name(name);
    let to = new.keys().find(|other| own_name(other) == own);
    let because = to.map(|to| Reason {
        what: "stack".to_owned(),
        through: Some(format!("`{to}` takes its place")),
        ..Reason::default()
    });
    let mut help = Vec::new();
    if resource.rest.get("deletion_policy").and_then(Value::as_text) == Some("retain") {
        help.push("its deletion policy leaves what it stands for where it is".to_owned());
    }
    ResourcePlan {
        ty: resource.ty().into(),
        action: Action::Delete,
        because: because.into_iter().collect(),
        help,
        notes: Vec::new(),
    }
}

/// Says of what goes and comes as the same under another name how it would stay.
fn renamed(old: &Resources, new: &Resources, plans: &mut IndexMap<Name, ResourcePlan>) {
    let gone: Vec<(&String, IndexMap<&str, Value>)> = old
        .iter()
        .filter(|(name, _)| !new.contains_key(*name))
        .map(|(name, resource)| (name, nameless(resource, own_name(name))))
        .collect();
    let mut taken: IndexSet<&String> = IndexSet::default();
    for (name, resource) in new.iter().filter(|(name, resource)| !old.contains_key(*name) && !resource.is_stack) {
        if gone.iter().any(|(other, _)| own_name(other) == own_name(name)) {
            continue;
        }
        let is = nameless(resource, own_name(name));
        let is_free = |other: &String| !taken.contains(other) && old[other].ty() == resource.ty();
        let same = gone.iter().filter(|(other, was)| is_free(other) && *was == is);
        let mut same: Vec<&String> = same.map(|(other, _)| *other).collect();
        if same.len() > 1 {
            same.retain(|other| last(own_name(other)) == last(own_name(name)));
        }
        if let ([one], Some(plan)) = (same.as_slice(), plans.get_mut(&**name)) {
            taken.insert(one);
            plan.help.push(keeping(own_name(one), own_name(name)));
        }
    }
}

/// What a qualified name ends in.
fn last(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

/// How something that was called `was` would stay.
fn keeping(was: &str, is: &str) -> String {
    match (was.rsplit_once('.'), is.rsplit_once('.')) {
        (Some((before, own)), Some((now, same))) if own == same => {
            format!("if the module `{now}` is what `{before}` was: `.moved_from(\"{before}\")` keeps all that is in it")
        }
        _ => format!("if it is what `{was}` was: `.moved_from(\"{was}\")` keeps it"),
    }
}

/// Properties without the resource's own name in them: the user data of a server says who it is.
fn nameless<'r>(resource: &'r Resource, own: &str) -> IndexMap<&'r str, Value> {
    let without = |part: &Value| (part.as_text() == Some(own)).then_some(Value::Null);
    let given = resource.names().filter_map(|name| Some((name, resource.given(name)?)));
    given.map(|(name, value)| (name, value.with(&without))).collect()
}

/// Whether a value is another to Heat, for which 1 and 1.0 are the same. Of what cannot be compared, see [`Work::touched`].
fn differs(was: &Value, is: &Value) -> bool {
    was.equals(is) != Some(true) && !(was.is_cut() && was == is)
}
