//! Cinder's types.

use crate::evaluate::Value;
use crate::properties::translation;
use crate::resource::{Change, Class, Given, Ruled, Subject};

use super::rule::{broken, quota};

pub(super) const CLASSES: &[Class] = &[
    Class { ty: "OS::Cinder::Quota", validates: &[quota], ..Class::PLAIN },
    Class {
        ty: "OS::Cinder::Volume",
        translates: &[translation(&["image"], &["imageRef"])],
        validates: &[source],
        snapshots: true,
        refuses: shrinks,
        ..Class::PLAIN
    },
    Class { ty: "OS::Cinder::VolumeType", validates: &[projects], ..Class::PLAIN },
];

/// Cinder makes no volume smaller, and Heat says so when it comes to it (`NotSupported`, "Shrinking volume").
fn shrinks(change: &Change<'_>) -> Option<String> {
    let size = |given: Given<'_>| match given.value("size")? {
        Value::Integer(size) => Some(*size),
        Value::Text(size) => size.trim().parse().ok(),
        _ => None,
    };
    let (before, after) = (size(change.before)?, size(change.after)?);
    (change.has("size") && after < before).then(|| {
        format!("a volume is never made smaller: leave `size` at {before}, or give the smaller one another name and copy its data")
    })
}

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
