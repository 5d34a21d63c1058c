//! Groups: resources whose members are separate resources, with generated names. A stack whose template is text counts
//! as one.

use std::collections::HashSet;

use wattle_heat::desired::Resource;

use crate::model::IndexMap;

use super::resource::Resources;
use super::{Action, Reason};

/// Whether a resource is a group whose members are known here.
pub(super) fn is_group(resource: &Resource) -> bool {
    resource.is_stack && !resource.is_only_a_stack()
}

/// The groups around a resource, the outermost first.
pub(super) fn around<'r>(name: &'r str, resources: &Resources) -> impl Iterator<Item = &'r str> {
    let outer = name.match_indices('/').map(|(at, _)| &name[..at]);
    outer.filter(|outer| resources.get(*outer).is_some_and(is_group))
}

/// Whether a resource is in a group. Then nothing else refers to it by its name.
pub(super) fn is_member(name: &str, resources: &Resources) -> bool {
    around(name, resources).next().is_some()
}

/// Removes members that only one side has, in groups whose members only Heat knows: the difference may not be real.
pub(super) fn pair(old: &mut Resources, new: &mut Resources) {
    let is_open = |name: &str| {
        old.get(name).zip(new.get(name)).is_some_and(|(was, is)| was.has_open_members() || is.has_open_members())
    };
    let of_open = |name: &&String| name.rsplit_once('/').is_some_and(|(group, _)| is_open(group));
    let names = old.keys().chain(new.keys()).filter(of_open);
    let alone: HashSet<String> =
        names.filter(|name| old.contains_key(*name) != new.contains_key(*name)).cloned().collect();
    if alone.is_empty() {
        return;
    }
    let stays = |name: &String| {
        let outer = name.match_indices('/').map(|(at, _)| &name[..at]);
        !outer.chain([name.as_str()]).any(|name| alone.contains(name))
    };
    old.retain(|name, _| stays(name));
    new.retain(|name, _| stays(name));
}

/// The contents of groups.
pub(super) struct Members<'a> {
    /// The members of each group.
    all: IndexMap<&'a str, Vec<&'a String>>,
    /// A removed member of each group.
    lost: IndexMap<&'a str, &'a String>,
}

impl<'a> Members<'a> {
    pub(super) fn of(old: &'a Resources, new: &'a Resources) -> Self {
        let (mut all, mut lost) = (IndexMap::<_, Vec<_>>::default(), IndexMap::default());
        for name in new.keys() {
            around(name, new).for_each(|group| all.entry(group).or_default().push(name));
        }
        for name in old.keys().filter(|name| !new.contains_key(*name)) {
            lost.extend(around(name, new).map(|group| (group, name)));
        }
        Self { all, lost }
    }

    /// The pairs of a group and a resource in it.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a String)> {
        self.all.iter().flat_map(|(group, members)| members.iter().map(|member| (*group, *member)))
    }

    /// The action on a group because of its members, whose actions `action` returns.
    pub(super) fn stir(&self, group: &str, action: impl Fn(&str) -> Action) -> Option<(Action, Reason)> {
        let because = |name: &str, how: &str| Reason {
            what: "members".to_owned(),
            through: Some(format!("`{name}` {how}")),
            ..Reason::default()
        };
        if let Some(lost) = self.lost.get(group) {
            return Some((Action::Update, because(lost, "is deleted")));
        }
        let mut perhaps = None;
        for name in self.all.get(group).into_iter().flatten() {
            match action(name) {
                Action::Unchanged => {}
                Action::MayUpdate | Action::MayRebuild | Action::MayReplace => {
                    perhaps.get_or_insert_with(|| (Action::MayUpdate, because(name, "may change")));
                }
                _ => return Some((Action::Update, because(name, "changes"))),
            }
        }
        perhaps
    }
}
