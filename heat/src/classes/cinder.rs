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
        needed: &["volume_type"],
        rebuilds: restored,
        effects: &[("backup_id", "A change overwrites the volume with the backup.")],
        notes: volume_in_place,
        ..Class::PLAIN
    },
    Class {
        ty: "OS::Cinder::VolumeAttachment",
        notes: |_| vec!["Heat detaches the volume and attaches it again: unmount it first".to_owned()],
        ..Class::PLAIN
    },
    Class { ty: "OS::Cinder::VolumeType", validates: &[projects], notes: public_to_all, ..Class::PLAIN },
];

/// Restoring a backup overwrites the volume.
fn restored(change: &Change<'_>) -> Option<String> {
    (change.has("backup_id") && change.after.value("backup_id").is_some())
        .then(|| "the backup overwrites it: rename a volume that comes from another backup to keep this one".to_owned())
}

fn volume_in_place(change: &Change<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if change.has("read_only") || change.has("backup_id") {
        notes.push("Heat detaches the volume and attaches it again: unmount it first".to_owned());
    }
    if change.has("size") {
        notes.push(
            "the volume grows, but the file system on it does not: grow it with `resize2fs` or a similar tool"
                .to_owned(),
        );
    }
    if change.has("volume_type") {
        notes.push("Cinder refuses if the volume would have to move to another backend".to_owned());
    }
    notes
}

/// Heat considers the projects of a volume type only if it is not public (`handle_update`).
fn public_to_all(change: &Change<'_>) -> Vec<String> {
    let is_public = change.after.boolean("is_public") != Some(false);
    let note =
        || "all projects may use a public volume type: Heat records `projects` but changes nothing in the service";
    (change.has("projects") && is_public).then(|| note().to_owned()).into_iter().collect()
}

/// Cinder cannot shrink a volume. Heat reports this when it gets to the update (`NotSupported`, "Shrinking volume").
fn shrinks(change: &Change<'_>) -> Option<String> {
    let size = |given: Given<'_>| match given.value("size")? {
        Value::Integer(size) => Some(*size),
        Value::Text(size) => size.trim().parse().ok(),
        _ => None,
    };
    let (before, after) = (size(change.before)?, size(change.after)?);
    (change.has("size") && after < before).then(|| {
        format!("a volume never shrinks: leave `size` at {before}, or rename the smaller one and copy its data")
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
            return broken(
                "without `size`, its only source must be a `source_volid` or a `snapshot_id`",
                "set its `size`",
            );
        }
    } else if subject.is("size")? && sources > 1 {
        return broken("it takes only one of `image`, `source_volid` and `snapshot_id`", "remove the others");
    }
    Ok(None)
}

fn projects(subject: Subject<'_>) -> Ruled {
    if subject.is("projects")? && subject.is("is_public")? {
        return broken("a public volume type takes no `projects`", "set `is_public: false`");
    }
    Ok(None)
}
