//! Requirements on parameters, judged before anything is written.

use wattle::lower::Seed;
use wattle::lower::seed::{Origin, Wire};
use wattle::model::{IndexMap, IndexSet, Name, Value};
use wattle::requirement::{Verdict, When, judge, told};

use super::given::parameters;

/// The parameters of requirements that nobody but `seed apply` judges: they must have a value.
pub(super) fn judged_here(seed: &Seed) -> IndexSet<&Name> {
    let mut found = IndexSet::default();
    for requirement in seed.requirements.values().filter(|one| one.when == When::Apply && !one.heat) {
        requirement.predicate.each(&mut |operand| parameters(&operand.from, &mut found));
    }
    found
}

/// What does not hold of the parameters that are known, each as a message says it. What agents judge later is judged as
/// far as parameters tell.
pub(super) fn broken(seed: &Seed, parameters: &IndexMap<&Name, Value>) -> Vec<String> {
    let mut found = Vec::new();
    for (name, requirement) in &seed.requirements {
        if let Verdict::Fails(reasons) = judge(&requirement.predicate, &mut |wire| known(wire, parameters)) {
            found.push(told(name, &requirement.at, &reasons, &requirement.because));
        }
    }
    found
}

/// The value, if constants and known parameters make it.
fn known(wire: &Wire, parameters: &IndexMap<&Name, Value>) -> Option<Value> {
    let parameter = |origin: &Origin| parameters.get(origin.parameter()?).cloned();
    let compute = |name: &str, argument: &Value| wattle_heat::evaluate::apply(name, argument).ok();
    wire.evaluate(&mut |origin| parameter(origin).ok_or(()), &mut |name, argument| compute(name, argument).ok_or(()))
        .ok()
}
