//! The expected end without faults.

use wattle_model::{IndexMap, Name, Order};

use crate::topology::{Model, Wire};

/// The expected end of a part without faults.
pub(super) struct Expected {
    pub(super) is_done: bool,
    /// Whether that depends on its past: a recipe that requests its inputs is compared by what it requested before it
    /// begins.
    pub(super) is_open: bool,
    /// Whether its recipe begins to run.
    begins: bool,
}

/// The expected end of everything without faults.
pub(super) fn expected(model: &Model) -> IndexMap<Name, Expected> {
    let mut all: IndexMap<Name, Expected> = IndexMap::default();
    for (full, part) in &model.parts {
        let has = |wire: &Wire| match wire {
            Wire::Entry(entry) => {
                let (of, output) = entry.rsplit_once('/').expect("INVARIANT: an entry has three parts");
                let early = model.parts[of].outputs[output].early;
                all[of].is_done || early && all[of].begins
            }
            Wire::Attribute(_) | Wire::Constant(_) | Wire::UserData => true,
        };
        let is_bad = |input: &Name| match &part.inputs[input] {
            Wire::Entry(entry) => model.parts[entry.rsplit_once('/').expect("INVARIANT: as above").0].bad,
            Wire::Attribute(_) | Wire::Constant(_) | Wire::UserData => false,
        };
        let before = match model.servers[&part.server].order {
            Order::Declared => all.keys().rfind(|name| model.parts[*name].server == part.server).cloned(),
            Order::Dataflow => None,
        };
        let orders = part.after.iter().chain(&before).all(|name| all[name].is_done);
        let asks = part.asks();
        let judged = part.requires.as_ref().is_none_or(|input| has(&part.inputs[input]) && !is_bad(input));
        let given = part.inputs.iter().filter(|(name, _)| !part.live || asks.contains(name)).all(|(_, wire)| has(wire));
        let begins = orders && judged && (part.live || given);
        let is_open = |wire: &Wire| match wire {
            Wire::Entry(entry) => {
                let (of, output) = entry.rsplit_once('/').expect("INVARIANT: as above");
                let (early, part) = (model.parts[of].outputs[output].early, &model.parts[of]);
                all[of].is_open || early && part.live && !all[of].is_done && !part.fails
            }
            Wire::Attribute(_) | Wire::Constant(_) | Wire::UserData => false,
        };
        let is_open =
            part.inputs.values().any(is_open) || part.after.iter().chain(&before).any(|name| all[name].is_open);
        // A part that only follows a failure in order stays done if an earlier revision left it so.
        let may_stay = !orders && judged && given && !part.fails;
        let is_open = is_open || may_stay;
        all.insert(full.clone(), Expected { is_done: begins && given && !part.fails, is_open, begins });
    }
    all
}
