//! Cinder's types: volumes, and their attachments to servers. Source: Block Storage API v3, Compute API v2.1 for attachments, and
//! Heat's classes for the meaning of properties.

mod attachment;
mod volume;

use std::time::Duration;

use super::json::{given, given_text};
use super::resource_type::{ResourceType, words};
use super::work::Collection;

/// The prefix of our own keys in the metadata of a volume.
const OURS: &str = "wattle";

static VOLUMES: Collection =
    Collection { service: "block-storage", path: "/volumes/detail", key: "volumes", version: None };

pub(super) const KINDS: &[ResourceType] = &[
    ResourceType {
        name: "OS::Cinder::Volume",
        service: "block-storage",
        also: |properties| {
            let image = given(properties, "image").or_else(|| given(properties, "imageRef"));
            image.map(|_| "image").into_iter().collect()
        },
        fixed: &["backup_id"],
        stays: &["size"],
        shows: &[],
        exclusive: |_| Vec::new(),
        turns: |_| Vec::new(),
        patience: Duration::from_hours(1),
        drains: false,
        driver: &volume::Volumes,
        takes: volume::takes,
        beyond: |_| None,
    },
    ResourceType {
        name: "OS::Cinder::VolumeAttachment",
        service: "block-storage",
        also: |_| vec!["compute"],
        fixed: &[],
        stays: &["mountpoint"],
        shows: &[],
        exclusive: |properties| given_text(properties, "volume_id").map(words::volume).into_iter().collect(),
        turns: |_| Vec::new(),
        patience: Duration::from_mins(10),
        drains: false,
        driver: &attachment::Attachments,
        takes: |property| matches!(property, "instance_uuid" | "volume_id" | "mountpoint"),
        beyond: |_| None,
    },
];
