//! Magnum's types.

use crate::resource::{Class, Ruled, Subject};

use super::rule::broken;

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Magnum::BayModel", validates: &[cluster], ..Class::PLAIN },
    Class { ty: "OS::Magnum::ClusterTemplate", validates: &[cluster], ..Class::PLAIN },
];

fn cluster(subject: Subject<'_>) -> Ruled {
    let (driver, engine) = (subject.text("volume_driver")?, subject.text("coe")?);
    let supported = if engine == "kubernetes" { "cinder" } else { "rexray" };
    if subject.has("volume_driver")? && driver != supported {
        return broken(format!("{engine} supports the `volume_driver` {supported}"), "use that");
    }
    Ok(None)
}
