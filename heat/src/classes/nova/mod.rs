//! Nova's types.

mod server;

use crate::resource::{Class, Refers, Ruled, Subject};

use super::rule::{broken, quota};

pub(super) const CLASSES: &[Class] = &[
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
    broken("`public_key` must be there: Nova makes no keys any more", "give it one")
}
