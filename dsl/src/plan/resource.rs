//! What becomes of resources: Heat's rules of an update.

use std::collections::VecDeque;

use indexmap::{IndexMap, IndexSet};
use wattle_heat::update;

use crate::model::{Name, Schema, Value};

use super::expression::{call, is_open, references};
use super::flat::{Item, flat};
use super::state::State;
use super::{Action, Reason, ResourcePlan, words};

/// How a reference to another resource changes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touched {
    /// It is another.
    Surely,
    /// It may be another.
    Perhaps,
}

pub(super) fn plan(
    before: Option<&State>,
    after: &State,
    schema: &dyn Fn(&str) -> Option<Schema>,
) -> IndexMap<Name, ResourcePlan> {
    let (old, new) = flat(before, after);
    let mut schemas: IndexMap<Name, Option<Schema>> = IndexMap::new();
    for item in new.values() {
        if !schemas.contains_key(&item.ty) {
            schemas.insert(item.ty.clone(), schema(&item.ty));
        }
    }
    let mut work = Work { schema, old: &old, new: &new, schemas: &schemas, plans: IndexMap::new() };
    let mut readers: IndexMap<&str, IndexSet<&Name>> = IndexMap::new();
    for (name, item) in &new {
        for value in item.properties.values() {
            references(value, &mut |target, _| {
                readers.entry(target).or_default().insert(name);
            });
        }
    }
    let mut open: VecDeque<&Name> = new.keys().collect();
    // Every round makes an answer graver or leaves it, so it ends.
    while let Some(name) = open.pop_front() {
        let plan = work.judge(name);
        let is_same = work.plans.get(name).is_some_and(|known| known.action >= plan.action);
        if !is_same {
            let changed = work.plans.get(name).is_none_or(|known| known.action != plan.action);
            let matters = plan.action != Action::Unchanged;
            work.plans.insert(name.clone(), plan);
            if changed && matters {
                open.extend(readers.get(&**name).into_iter().flatten().copied().filter(|reader| *reader != name));
            }
        }
    }
    let mut plans = work.plans;
    for (name, item) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        plans.insert(name.clone(), gone(name, item, &new));
    }
    for (name, item) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let moved = moved(name, &old, &new).filter(|_| !item.is_stack);
        if let (Some(plan), Some(from)) = (plans.get_mut(name), moved) {
            plan.because.push(Reason { what: "stack".to_owned(), through: Some(from), ..Reason::default() });
        }
    }
    renamed(&old, &new, &mut plans);
    // A nested stack is what becomes of its resources.
    plans.retain(|name, plan| {
        let is_stack = new.get(name).or_else(|| old.get(name)).is_some_and(|item| item.is_stack);
        !is_stack || matches!(plan.action, Action::Create | Action::Delete | Action::Replace)
    });
    plans
}

struct Work<'a> {
    schema: &'a dyn Fn(&str) -> Option<Schema>,
    old: &'a IndexMap<Name, Item>,
    new: &'a IndexMap<Name, Item>,
    schemas: &'a IndexMap<Name, Option<Schema>>,
    plans: IndexMap<Name, ResourcePlan>,
}

impl Work<'_> {
    fn judge(&self, name: &Name) -> ResourcePlan {
        let after = &self.new[name];
        let plan = |action, because, help| ResourcePlan { ty: after.ty.clone(), action, because, help };
        let Some(before) = self.old.get(name) else { return plan(Action::Create, Vec::new(), Vec::new()) };
        if after.is_stack && before.is_stack {
            return plan(Action::Unchanged, Vec::new(), Vec::new());
        }
        // A handle has no properties either, but there is something behind it.
        let is_placeholder =
            |ty: &Name| !ty.ends_with("Handle") && (self.schema)(ty).is_some_and(|schema| schema.is_placeholder());
        if before.ty == after.ty && is_placeholder(&after.ty) {
            // There is nothing behind it that could change.
            return plan(Action::Unchanged, Vec::new(), Vec::new());
        }
        if before.ty != after.ty {
            let reason = Reason {
                what: "type".to_owned(),
                from: Some(before.ty.to_string()),
                to: Some(after.ty.to_string()),
                through: None,
            };
            return plan(Action::Replace, vec![reason], Vec::new());
        }
        let schema = self.schemas.get(&after.ty).and_then(Option::as_ref);
        let (mut changed, mut perhaps) = (Vec::new(), Vec::new());
        let (mut because, mut doubts) = (Vec::new(), Vec::new());
        let names: IndexSet<&Name> = after.properties.keys().chain(before.properties.keys()).collect();
        for property in names {
            let of = |item: &Item| {
                let schema = schema.and_then(|schema| schema.properties.get(property));
                let is_open = |value: &Value| call(value).is_some() && is_open(value);
                update::compared(item.properties.get(property), schema, &is_open)
            };
            let (was, is) = (of(before), of(after));
            if was != is {
                let (from, to) = words::pair(property, &was, &is);
                because.push(Reason { what: property.to_string(), from, to, through: None });
                changed.push(property.clone());
                continue;
            }
            match self.touched(&is) {
                Some((Touched::Surely, through)) => {
                    because.push(Reason { what: property.to_string(), through: Some(through), ..Reason::default() });
                    changed.push(property.clone());
                }
                Some((Touched::Perhaps, through)) => {
                    doubts.push(Reason { what: property.to_string(), through: Some(through), ..Reason::default() });
                    perhaps.push(property.clone());
                }
                None => {}
            }
        }
        let mut action = Action::Unchanged;
        let mut help = Vec::new();
        if !changed.is_empty() {
            (action, help) = verdict(before, after, &changed, schema);
        }
        let keys: IndexSet<&&str> = after.rest.keys().chain(before.rest.keys()).collect();
        for key in keys {
            let (was, is) = (before.rest.get(*key), after.rest.get(*key));
            if was != is {
                let (from, to) = words::pair(key, was.unwrap_or(&Value::Null), is.unwrap_or(&Value::Null));
                because.push(Reason { what: (*key).to_string(), from, to, through: None });
                let graver = *key == "metadata" && update::is_replaced_by_metadata(&after.ty);
                action = action.max(if graver { Action::Replace } else { Action::Update });
            }
        }
        if before.depends_on != after.depends_on {
            because.push(Reason { what: "depends_on".to_owned(), ..Reason::default() });
            action = action.max(Action::Update);
        }
        if update::is_always_replaced(after.given()) {
            because.push(Reason {
                what: "each update".to_owned(),
                through: Some("Heat replaces such a resource whenever its stack is updated".to_owned()),
                ..Reason::default()
            });
            action = Action::Replace;
        }
        if action == Action::Unchanged && update::is_always_updated(after.given()) {
            because.push(Reason {
                what: "each update".to_owned(),
                through: Some("Heat updates such a resource whenever its stack is updated".to_owned()),
                ..Reason::default()
            });
            action = Action::Update;
        }
        if !perhaps.is_empty() && !matches!(action, Action::Replace | Action::Refused) {
            let (graver, further) = verdict(before, after, &perhaps, schema);
            let doubtful = match graver {
                Action::Update => Action::MayUpdate,
                _ => Action::MayReplace,
            };
            because.extend(doubts);
            if action == Action::Unchanged || doubtful == Action::MayReplace {
                help.extend(further);
                action = if action == Action::Unchanged { doubtful } else { action };
            }
        }
        plan(action, because, help)
    }

    /// Whether what a value refers to makes it another.
    fn touched(&self, value: &Value) -> Option<(Touched, String)> {
        let mut found: Option<(Touched, String)> = None;
        references(value, &mut |target, is_identity| {
            let both = self.old.get(target).zip(self.new.get(target));
            if is_identity && both.is_some_and(|(before, after)| update::keeps_reference(before.given(), after.given()))
            {
                return;
            }
            let touched = match (self.plans.get(target).map(|plan| plan.action), is_identity) {
                (Some(Action::Replace), true) => (Touched::Surely, format!("`{target}` is replaced")),
                (Some(Action::Create), _) if !self.old.contains_key(target) => {
                    (Touched::Surely, format!("`{target}` is created"))
                }
                (Some(Action::Replace), false) => (Touched::Perhaps, format!("`{target}` is replaced")),
                (Some(Action::MayReplace), _) => (Touched::Perhaps, format!("`{target}` may be replaced")),
                (Some(Action::Update), false) => (Touched::Perhaps, format!("`{target}` changes in place")),
                _ => return,
            };
            if found.as_ref().is_none_or(|(known, _)| *known == Touched::Perhaps && touched.0 == Touched::Surely) {
                found = Some(touched);
            }
        });
        found
    }
}

/// What becomes of a resource whose properties `changed` differ, and how another answer could be had.
fn verdict(before: &Item, after: &Item, changed: &[Name], schema: Option<&Schema>) -> (Action, Vec<String>) {
    let change = update::Change { before: before.given(), after: after.given(), changed };
    let update::Verdict { action, help } = update::verdict(&change, schema);
    let action = match action {
        update::Action::Update => Action::Update,
        update::Action::Replace => Action::Replace,
        update::Action::Refuse => Action::Refused,
    };
    (action, help)
}

/// What a resource is called within its own stack.
pub(super) fn own_name(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, own)| own)
}

/// The words for a resource that is of the same name in another stack.
fn moved(name: &str, old: &IndexMap<Name, Item>, new: &IndexMap<Name, Item>) -> Option<String> {
    let own = own_name(name);
    let from = old.keys().find(|other| own_name(other) == own && !new.contains_key(*other))?;
    let stack = |name: &str| match name.rsplit_once('/') {
        Some((stack, _)) => format!("the nested stack `{stack}`"),
        None => "the stack itself".to_owned(),
    };
    Some(format!("it moves from {} to {}, and Heat makes another one there", stack(from), stack(name)))
}

fn gone(name: &Name, item: &Item, new: &IndexMap<Name, Item>) -> ResourcePlan {
    let own = own_name(name);
    let to = new.keys().find(|other| own_name(other) == own);
    let because = to.map(|to| Reason {
        what: "stack".to_owned(),
        through: Some(format!("`{to}` takes its place")),
        ..Reason::default()
    });
    let mut help = Vec::new();
    if item
        .rest
        .get("deletion_policy")
        .and_then(Value::as_str)
        .is_some_and(|policy| policy.eq_ignore_ascii_case("retain"))
    {
        help.push("its deletion policy leaves what it stands for where it is".to_owned());
    }
    ResourcePlan { ty: item.ty.clone(), action: Action::Delete, because: because.into_iter().collect(), help }
}

/// Says of what goes and comes as the same under another name how it would stay.
fn renamed(old: &IndexMap<Name, Item>, new: &IndexMap<Name, Item>, plans: &mut IndexMap<Name, ResourcePlan>) {
    let gone: Vec<(&Name, IndexMap<Name, Value>)> = old
        .iter()
        .filter(|(name, _)| !new.contains_key(*name))
        .map(|(name, item)| (name, nameless(&item.properties, own_name(name))))
        .collect();
    let mut taken: IndexSet<&Name> = IndexSet::new();
    for (name, item) in new.iter().filter(|(name, item)| !old.contains_key(*name) && !item.is_stack) {
        if gone.iter().any(|(other, _)| own_name(other) == own_name(name)) {
            continue;
        }
        let is = nameless(&item.properties, own_name(name));
        let same = gone.iter().filter(|(other, was)| !taken.contains(other) && old[*other].ty == item.ty && *was == is);
        let mut same: Vec<&Name> = same.map(|(other, _)| *other).collect();
        if same.len() > 1 {
            same.retain(|other| last(own_name(other)) == last(own_name(name)));
        }
        if let ([one], Some(plan)) = (same.as_slice(), plans.get_mut(name)) {
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
fn nameless(properties: &IndexMap<Name, Value>, own: &str) -> IndexMap<Name, Value> {
    fn without(value: &Value, own: &str) -> Value {
        match value {
            Value::Str(text) if **text == *own => Value::Null,
            Value::List(items) => Value::List(items.iter().map(|item| without(item, own)).collect()),
            Value::Map(items) => {
                Value::Map(items.iter().map(|(key, item)| (key.clone(), without(item, own))).collect())
            }
            other => other.clone(),
        }
    }
    properties.iter().map(|(key, value)| (key.clone(), without(value, own))).collect()
}
