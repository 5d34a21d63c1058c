//! Manila's types.

use crate::resource::{Class, Ruled, Subject};

use super::rule::broken;

pub(super) const CLASSES: &[Class] =
    &[Class { ty: "OS::Manila::ShareNetwork", validates: &[share_network], ..Class::PLAIN }];

fn share_network(subject: Subject<'_>) -> Ruled {
    if subject.is("nova_network")? {
        return broken("Nova's networks no longer exist", "use `neutron_network`");
    }
    if subject.is("neutron_network")? && !subject.is("neutron_subnet")? {
        return broken("`neutron_network` needs `neutron_subnet`", "add one");
    }
    Ok(None)
}
