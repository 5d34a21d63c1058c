//! Swift's types.

use crate::resource::{Class, Refers};

pub(super) const CLASSES: &[Class] =
    &[Class { ty: "OS::Swift::Container", refers: Refers::None, referred_by_name: true, ..Class::PLAIN }];
