//! Differences between the cloud and what was deployed, and what the next deployment does about them.

use crate::model::{IndexMap, Name};

use super::{Action, ResourcePlan};

/// A resource that was found to differ from what was deployed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its name, or that of one within it: `NAME`, `NESTED/NAME`, `GROUP/0`.
    pub name: Name,
    /// What is left of it.
    pub left: Left,
    /// What is wrong, in words that follow its name.
    pub how: String,
}

/// The remains of a resource that differs from what was deployed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// Nothing: it is created again.
    Nothing,
    /// Something unusable: it is replaced.
    Wreck,
    /// It exists, and is corrected.
    Itself,
    /// It existed before the stack, was adopted, and is changed to the desired state.
    Adopted,
    /// It was adopted as well, but cannot be changed to the desired state: it is replaced.
    Unfit,
}

/// Adds the actual state to a plan. Returns, in words, everything that belongs to no resource.
pub(super) fn note(found: &[Found], resources: &mut IndexMap<Name, ResourcePlan>) -> Vec<String> {
    let mut strange = Vec::new();
    for Found { name, left, how } in found {
        let mut known = Some(&**name);
        while let Some(within) = known
            && !resources.contains_key(within)
        {
            known = within.rsplit_once('/').map(|(around, _)| around);
        }
        let Some(plan) = known.and_then(|known| resources.get_mut(known)) else {
            strange.push(format!("in the cloud, `{name}` {how}"));
            continue;
        };
        let is_whole = known == Some(&**name);
        plan.action = if is_whole { action(plan.action, *left) } else { action(plan.action, Left::Itself) };
        let what = if is_whole { "it".to_owned() } else { format!("`{name}`") };
        plan.notes.push(format!("in the cloud {what} {how}"));
    }
    strange
}

/// The action on a resource with these remains.
fn action(planned: Action, left: Left) -> Action {
    match (planned, left) {
        (Action::Unchanged | Action::MayUpdate, Left::Itself | Left::Adopted) | (Action::Create, Left::Adopted) => {
            Action::Update
        }
        (Action::Create, Left::Unfit) => Action::Replace,
        // It is deleted or created anyway.
        (Action::Delete | Action::Refused | Action::Create, _) | (_, Left::Itself | Left::Adopted) => planned,
        (_, Left::Nothing) => Action::Create,
        (_, Left::Wreck | Left::Unfit) => Action::Replace,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(action: Action) -> ResourcePlan {
        ResourcePlan { ty: "T".into(), action, because: Vec::new(), help: Vec::new(), notes: Vec::new(), group: None }
    }

    #[test]
    fn what_is_found_makes_plans_others() {
        let actions = [
            ("gone", Action::Unchanged),
            ("changed", Action::Unchanged),
            ("broken", Action::Update),
            ("goes", Action::Delete),
            ("group", Action::Unchanged),
            ("adopted", Action::Create),
            ("unfit", Action::Create),
        ];
        let mut resources: IndexMap<Name, ResourcePlan> =
            actions.into_iter().map(|(name, action)| (name.into(), planned(action))).collect();
        let found = [
            ("gone", Left::Nothing, "is gone"),
            ("changed", Left::Itself, "differs: mtu is 9000"),
            ("broken", Left::Wreck, "is broken"),
            ("goes", Left::Nothing, "is gone"),
            ("group/1", Left::Nothing, "is gone"),
            ("stranger", Left::Nothing, "is gone"),
            ("adopted", Left::Adopted, "was taken over"),
            ("unfit", Left::Unfit, "was taken over"),
        ];
        let found = found.map(|(name, left, how)| Found { name: name.into(), left, how: how.into() });
        let strange = note(&found, &mut resources);
        assert_eq!(strange, ["in the cloud, `stranger` is gone"]);
        let noted: Vec<(&str, Action, &str)> =
            resources.iter().map(|(name, plan)| (&**name, plan.action, plan.notes[0].as_str())).collect();
        let expected = [
            ("gone", Action::Create, "in the cloud it is gone"),
            ("changed", Action::Update, "in the cloud it differs: mtu is 9000"),
            ("broken", Action::Replace, "in the cloud it is broken"),
            ("goes", Action::Delete, "in the cloud it is gone"),
            ("group", Action::Update, "in the cloud `group/1` is gone"),
            ("adopted", Action::Update, "in the cloud it was taken over"),
            ("unfit", Action::Replace, "in the cloud it was taken over"),
        ];
        assert_eq!(noted, expected);
    }
}
