//! What happens to requirements. A new value of a parameter does not change a requirement: `seed apply` checks it in any
//! case.

use crate::lower::Seed;
use crate::lower::seed::{SeedRequirement, Wire};
use crate::model::{IndexMap, IndexSet, Name};
use crate::requirement::demanded;

use super::state::State;
use super::{Demanded, Reason, RequirementPlan};

pub(super) fn plan(before: Option<&State>, after: &State) -> IndexMap<Name, RequirementPlan> {
    let (old, new) = (before.and_then(State::seed), after.seed());
    let of = |seed: Option<&'_ Seed>| seed.map(|seed| seed.requirements.keys().cloned().collect::<Vec<Name>>());
    let names: IndexSet<Name> = of(new).into_iter().chain(of(old)).flatten().collect();
    let judged = |name: Name| {
        let [was, is] = [old, new].map(|seed| seed.and_then(|seed| seed.requirements.get(&name)));
        let judges = new.map(|seed| judges(seed, &name)).unwrap_or_default();
        Some((name, judged(was, is, judges)?))
    };
    names.into_iter().filter_map(judged).collect()
}

fn judged(was: Option<&SeedRequirement>, is: Option<&SeedRequirement>, judges: Vec<Name>) -> Option<RequirementPlan> {
    let when = is.or(was)?.when;
    let condition = |from: Option<String>, to: Option<String>| {
        // If only a secret in it has changed, both have the same text.
        let (from, to) = if from == to { (None, None) } else { (from, to) };
        Reason { what: "condition".to_owned(), from, to, through: None }
    };
    let (action, because) = match (was, is) {
        (Some(was), Some(is)) => {
            let mut because = Vec::new();
            if was.predicate != is.predicate {
                because.push(condition(Some(worded(was)), Some(worded(is))));
            }
            if was.because != is.because {
                let text = |requirement: &SeedRequirement| {
                    Some(requirement.because.clone()).filter(|because| !because.is_empty())
                };
                because.push(Reason { what: "its reason".to_owned(), from: text(was), to: text(is), through: None });
            }
            (if because.is_empty() { Demanded::Unchanged } else { Demanded::Changed }, because)
        }
        (None, is) => (Demanded::Added, vec![condition(None, is.map(worded))]),
        (was, None) => (Demanded::Removed, vec![condition(was.map(worded), None)]),
    };
    Some(RequirementPlan { action, when, judges, because })
}

/// The requirement, in the words of the code that checks it.
fn worded(requirement: &SeedRequirement) -> String {
    demanded(&requirement.predicate, &|wire: &Wire| wire.constant().cloned())
}

fn judges(seed: &Seed, name: &Name) -> Vec<Name> {
    let components = seed
        .servers
        .iter()
        .flat_map(|(server, seed)| seed.components.iter().map(move |(component, seed)| (server, component, seed)));
    let judges = components.filter(|(.., seed)| seed.requires.contains(name));
    judges.map(|(server, component, _)| format!("{server}/{component}").into()).collect()
}
