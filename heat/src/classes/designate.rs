//! Designate's types.

use crate::properties::translation;
use crate::resource::{Class, Ruled, Subject};

use super::rule::broken;

pub(super) const CLASSES: &[Class] = &[Class {
    ty: "OS::Designate::Zone",
    translates: &[translation(&["masters"], &["primaries"])],
    validates: &[zone],
    ..Class::PLAIN
}];

fn zone(subject: Subject<'_>) -> Ruled {
    match &*subject.text("type")? {
        "PRIMARY" if !subject.is("email")? => broken("a primary zone needs an `email`", "add one"),
        "SECONDARY" if !subject.is("masters")? => broken("a secondary zone needs `masters`", "add some"),
        _ => Ok(None),
    }
}
