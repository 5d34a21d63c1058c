//! Nova's types.

mod server;

use crate::resource::{Change, Class, Refers, Ruled, Subject};

use super::rule::{broken, quota};

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Nova::Flavor", notes: public_to_all, ..Class::PLAIN },
    Class {
        ty: "OS::Nova::KeyPair",
        refers: Refers::Nothing,
        validates: &[public_key],
        referred_by_name: true,
        ..Class::PLAIN
    },
    Class { ty: "OS::Nova::Quota", validates: &[quota], ..Class::PLAIN },
    server::SERVER,
];

fn public_key(subject: Subject<'_>) -> Ruled {
    if subject.is("public_key")? {
        return Ok(None);
    }
    broken("`public_key` is required: Nova no longer creates keys", "add one")
}

/// Heat considers the projects that can use a flavor only if the flavor is not public (`handle_update`).
fn public_to_all(change: &Change<'_>) -> Vec<String> {
    let is_public = change.before.boolean("is_public") != Some(false);
    let note = || "everyone may use a public flavor: Heat records `tenants` but changes nothing in the service";
    (change.has("tenants") && is_public).then(|| note().to_owned()).into_iter().collect()
}
