//! Checks requirements before anything runs.

use wattle_heat::evaluate::apply;
use wattle_model::Value;
use wattle_model::requirement::{Verdict, judge, unmet};

use crate::seed::{Origin, Seed, Wire};

/// The requirements that the `known` values violate, each as a message. Requirements that agents check later are
/// checked as far as these values allow.
pub fn broken(seed: &Seed, known: impl Fn(&Origin) -> Option<Value>) -> Vec<String> {
    let value = |wire: &Wire| {
        let leaf = &mut |origin: &Origin| known(origin).ok_or(());
        wire.evaluate(leaf, &mut |name, argument| apply(name, argument).map_err(drop)).ok()
    };
    let mut found = Vec::new();
    for (name, requirement) in &seed.requirements {
        if let Verdict::Fails(reasons) = judge(&requirement.predicate, &mut |wire| value(wire)) {
            found.push(unmet(name, &requirement.at, &reasons, &requirement.because));
        }
    }
    found
}
