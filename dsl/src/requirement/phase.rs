//! When the values of a requirement are known, and which components read them.

use std::collections::{HashMap, HashSet};

pub use wattle_agent_core::seed::When;

use crate::analysis::{attribute, reads};
use crate::model::requirement::Operand;
use crate::model::{Expr, Model, Name, Parameter, Predicate, Reference, Test, Type};

/// When all values of `predicate` are known.
pub fn when(model: &Model, predicate: &Predicate<Expr>) -> When {
    let mut found = When::Check;
    predicate.each(&mut |value| {
        let mut of_value = if matches!(value, Expr::Constant(_)) { When::Check } else { When::Apply };
        reads::run_time(model, value, &mut |_| of_value = When::RunTime);
        found = found.max(of_value);
    });
    found
}

/// The values that a requirement reads at run time.
pub(crate) fn run_time(model: &Model, predicate: &Predicate<Expr>) -> Vec<String> {
    let mut found = Vec::new();
    predicate.each(&mut |value| {
        reads::run_time(model, value, &mut |read| {
            if !found.contains(&read) {
                found.push(read);
            }
        });
    });
    found
}

/// The requirements that are checked at run time, each with the components that check it: those that read all of its
/// values.
pub fn readers(model: &Model) -> Vec<(&Name, Vec<&Name>)> {
    let of_run_time = |(name, requirement): (_, &crate::model::Requirement)| {
        let needed = run_time(model, &requirement.predicate);
        (!needed.is_empty()).then_some((name, needed))
    };
    let needed: Vec<_> = model.requirements.iter().filter_map(of_run_time).collect();
    let wanted: HashSet<&String> = needed.iter().flat_map(|(_, needed)| needed).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut read: HashMap<String, HashSet<&Name>> = HashMap::new();
    for (key, component) in &model.components {
        for binding in component.inputs.values() {
            reads::run_time(model, &binding.value, &mut |name| {
                if wanted.contains(&name) {
                    read.entry(name).or_default().insert(key);
                }
            });
        }
    }
    let judges = |needed: &[String]| {
        let all: Option<Vec<_>> = needed.iter().map(|name| read.get(name)).collect();
        let all = all.unwrap_or_default();
        let Some((first, rest)) = all.split_first() else { return Vec::new() };
        let mut judges: Vec<&Name> =
            first.iter().copied().filter(|key| rest.iter().all(|others| others.contains(key))).collect();
        judges.sort_by_cached_key(|key| model.components.get_index_of(*key));
        judges
    };
    needed.iter().map(|(name, needed)| (*name, judges(needed))).collect()
}

/// The predicate with its values' names, and with a mark on each value that is secret.
pub(crate) fn operands(model: &Model, predicate: &Predicate<Expr>) -> Predicate<Operand<Expr>> {
    let mut named = predicate.map(|value| Operand { name: name(value), from: value.clone() });
    mark(model, &mut named);
    named
}

fn mark(model: &Model, predicate: &mut Predicate<Operand<Expr>>) {
    match predicate {
        Predicate::All(parts) | Predicate::Any(parts) => parts.iter_mut().for_each(|part| mark(model, part)),
        Predicate::Opposite(part) => mark(model, part),
        Predicate::Tested(tested) => {
            let mut secret = tested.secret;
            let mut look = |operand: &Operand<Expr>| secret |= is_secret(model, &operand.from);
            tested.value.iter().for_each(&mut look);
            tested.test.each(&mut |operand| look(operand));
            tested.secret = secret;
            if let (true, Some(operand)) = (secret, &mut tested.value)
                && matches!(operand.from, Expr::Text(_) | Expr::List(_) | Expr::Map(_) | Expr::Function { .. })
            {
                // A value computed from a secret may be secret as well.
                operand.name = Some("a value computed from a secret".into());
            }
            if let Test::EveryItem(item) | Test::SomeItem(item) = &mut tested.test {
                mark(model, item);
            }
        }
    }
}

/// Whether a value contains a secret, as far as its types show.
pub(crate) fn is_secret(model: &Model, value: &Expr) -> bool {
    value.references().any(|reference| match reference {
        Reference::Parameter(name) => model.parameters.get(name).is_some_and(Parameter::is_hidden),
        other => model.declared(other).is_some_and(Type::is_secret),
    })
}

/// The name of a value in messages.
fn name(value: &Expr) -> Option<Name> {
    match value {
        Expr::Constant(_) => None,
        Expr::Text(parts) => {
            let part = |part: &Expr| match (part, name(part)) {
                (_, Some(name)) => format!("{{{name}}}"),
                (Expr::Constant(value), None) => value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned),
                _ => String::new(),
            };
            Some(parts.iter().map(part).collect::<String>().into())
        }
        Expr::List(items) => Some(format!("[{}]", names(items.iter())).into()),
        Expr::Map(items) => Some(format!("{{{}}}", names(items.values())).into()),
        Expr::Function { name, argument } => Some(format!("{name}({})", names([&**argument].into_iter())).into()),
        Expr::Leaf(reference) => Some(attribute::text(reference.referred()).into()),
    }
}

fn names<'e>(values: impl Iterator<Item = &'e Expr>) -> String {
    let one = |value: &Expr| match value {
        Expr::Constant(value) => value.to_string(),
        other => name(other).unwrap_or_default().to_string(),
    };
    values.map(one).collect::<Vec<_>>().join(", ")
}
