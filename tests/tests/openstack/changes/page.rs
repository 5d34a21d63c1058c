//! The book's page about changes: the table in a form for readers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wattle::plan::Action;

use super::table::{REFUSED_BY_SERVICES, UNTRIED, base_of_administrator, changes, changes_of_administrator};

/// The whole page.
pub(super) fn page() -> String {
    let mut text = String::from(
        "# What a change does\n\
         \n\
         What happens to a resource if one of its properties changes, for the types that most stacks consist of. [`wattle\n\
         plan`](../plan.md) says this for your own stack, together with what else follows. This page is for choices that you make before.\n\
         \n\
         The tests make each of these changes on a real OpenStack, their lab. Unless it is refused, they also undo it, and they compare\n\
         what Heat and the services do with what `plan` says. They try one value of each property. With another value, or together with\n\
         another change, it may be different: [What `plan` knows](../plan.md#resources) lists these cases. Without Heat, [`wattle\n\
         deploy`](../how-to/deploy.md) replaces a floating IP if its `dns_name` or `dns_domain` changes, and a server if its `admin_pass`\n\
         changes; `plan` says so.\n",
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

/// A property, with its value if the action depends on it.
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
    "would be replaced, but the service cannot have both at once, so the update fails",
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
