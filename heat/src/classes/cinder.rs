//! Cinder's types.

use crate::properties::translation;
use crate::resource::{Class, Ruled, Subject};

use super::rule::{broken, quota};

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Cinder::Quota", validates: &[quota], ..Class::PLAIN },
    Class {
        ty: "OS::Cinder::Volume",
        translates: &[translation(&["image"], &["imageRef"])],
        validates: &[source],
        snapshots: true,
        ..Class::PLAIN
    },
    Class { ty: "OS::Cinder::VolumeType", validates: &[projects], ..Class::PLAIN },
];

fn source(subject: Subject<'_>) -> Ruled {
    if subject.is("backup_id")? {
        return Ok(None);
    }
    let sizeless = usize::from(subject.is("snapshot_id")?) + usize::from(subject.is("source_volid")?);
    let sources = sizeless + usize::from(subject.is("image")?) + usize::from(subject.is("imageRef")?);
    if !subject.has("size")? {
        if sizeless != 1 || sources != 1 {
            return broken("without `size` it is made of one `source_volid` or `snapshot_id`", "give it a `size`");
        }
    } else if subject.is("size")? && sources > 1 {
        return broken("it is made of one of `image`, `source_volid` and `snapshot_id`", "take the others away");
    }
    Ok(None)
}

fn projects(subject: Subject<'_>) -> Ruled {
    if subject.is("projects")? && subject.is("is_public")? {
        return broken("a public volume type has no `projects`", "set `is_public: false`");
    }
    Ok(None)
}
