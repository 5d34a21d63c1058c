//! The book's page of changes: the table, for readers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wattle::plan::Action;

use super::table::{REFUSED_BY_SERVICES, UNTRIED, base_of_administrator, changes, changes_of_administrator};

/// The whole page.
pub(super) fn page() -> String {
    let mut text = String::from(
        "# What a change does\n\
         \n\
         What becomes of a resource if one of its properties changes, for the types that most stacks are made of. [`wattle\n\
         plan`](../plan.md) says it for your own stack, together with what else follows. This page is for choosing before.\n\
         \n\
         The tests make each of these changes on a real OpenStack, there and back unless it is refused, and compare what Heat and the\n\
         services do with what `plan` says. They try one value of each property. With another value, or together with another change,\n\
         it may be different: [What `plan` knows](../plan.md#resources) has these cases. Without Heat, [`wattle\n\
         deploy`](../how-to/deploy.md) replaces a floating IP for another `dns_name` or `dns_domain`, and a server for another\n\
         `admin_pass`; `plan` says so.\n",
    );
    let base = base_of_administrator();
    let mut types: BTreeMap<&str, BTreeMap<usize, Vec<String>>> = BTreeMap::new();
    for (name, property, _, action) in changes().into_iter().chain(changes_of_administrator("")) {
        let ty = base[name]["type"].as_str().expect("it has a type");
        let is_refused = REFUSED_BY_SERVICES.iter().any(|row| (row.0, row.1) == (name, property));
        let place = if is_refused { WORDS.len() - 1 } else { place(action) };
        types.entry(ty).or_default().entry(place).or_default().push(said(property, action));
    }
    for (ty, changes) in types {
        let _ = write!(text, "\n## {ty}\n\n| | properties |\n|---|---|\n");
        for (place, mut properties) in changes {
            properties.sort();
            properties.dedup();
            let _ = writeln!(text, "| {} | {} |", WORDS[place], properties.join(", "));
        }
        for (_, properties, why) in UNTRIED.iter().filter(|row| row.0 == ty) {
            let _ = writeln!(text, "| not tried: {why} | `{}` |", properties.join("`, `"));
        }
    }
    text
}

/// A property, with its value if that decides the action.
fn said(property: &str, action: Action) -> String {
    match (property, action) {
        ("size", Action::Refused) => "a smaller `size`".to_owned(),
        ("size", _) => "a larger `size`".to_owned(),
        _ => format!("`{property}`"),
    }
}

/// The possible actions on a resource.
const WORDS: [&str; 5] = [
    "changes in place",
    "is rebuilt: it keeps its addresses, and gets a new disk",
    "is replaced by another one",
    "is refused by Heat",
    "would be replaced, but the service has no room for both, so the update fails",
];

fn place(action: Action) -> usize {
    match action {
        Action::Update => 0,
        Action::Rebuild => 1,
        Action::Replace => 2,
        Action::Refused => 3,
        action => panic!("{action:?} is not what becomes of one resource"),
    }
}
