//! Volumes.

use wattle_openstack::Method::{Delete, Get, Post, Put};

use super::{COMPUTE, Step, VOLUMES, step};

pub(super) const STEPS: &[Step] = &[
    Step {
        body: r#"{"volume": {"size": 1, "name": "<unique>", "metadata": {"mark": "<unique>"}}}"#,
        keeps: &[("volume", "/volume/id")],
        ..step("create a volume", VOLUMES, Post, "/volumes")
    },
    Step {
        until: Some(("/volume/status", "available")),
        ..step("wait for the volume", VOLUMES, Get, "/volumes/<volume>")
    },
    step("list volumes", VOLUMES, Get, "/volumes/detail?name=<unique>"),
    Step {
        body: r#"{"volume": {"name": "<unique>-b", "description": "<unique>"}}"#,
        ..step("change a volume", VOLUMES, Put, "/volumes/<volume>")
    },
    Step {
        body: r#"{"metadata": {"mark": "<unique>", "c": "d"}}"#,
        ..step("change a volume's metadata", VOLUMES, Put, "/volumes/<volume>/metadata")
    },
    Step {
        body: r#"{"metadata": {"e": "f"}}"#,
        ..step("add to a volume's metadata", VOLUMES, Post, "/volumes/<volume>/metadata")
    },
    step("list volumes by metadata", VOLUMES, Get, "/volumes/detail?metadata=%7B%27mark%27%3A%27<unique>%27%7D"),
    Step {
        body: r#"{"os-retype": {"new_type": "fast", "migration_policy": "never"}}"#,
        ..step("give a volume another type", VOLUMES, Post, "/volumes/<volume>/action")
    },
    Step {
        until: Some(("/volume/status", "available")),
        ..step("wait for the volume of another type", VOLUMES, Get, "/volumes/<volume>")
    },
    Step {
        body: r#"{"os-extend": {"new_size": 2}}"#,
        version: Some("3.42"),
        ..step("extend a volume", VOLUMES, Post, "/volumes/<volume>/action")
    },
    Step {
        until: Some(("/volume/status", "available")),
        ..step("wait for the extended volume", VOLUMES, Get, "/volumes/<volume>")
    },
    Step {
        body: r#"{"os-extend": {"new_size": 1}}"#,
        version: Some("3.42"),
        ..step("shrink a volume", VOLUMES, Post, "/volumes/<volume>/action")
    },
    Step {
        body: r#"{"volumeAttachment": {"volumeId": "<volume>"}}"#,
        ..step("attach a volume", COMPUTE, Post, "/servers/<server>/os-volume_attachments")
    },
    Step {
        until: Some(("/volume/status", "in-use")),
        ..step("wait for the attached volume", VOLUMES, Get, "/volumes/<volume>")
    },
    step("list attachments", COMPUTE, Get, "/servers/<server>/os-volume_attachments"),
    step("delete a volume in use", VOLUMES, Delete, "/volumes/<volume>"),
    step("detach a volume", COMPUTE, Delete, "/servers/<server>/os-volume_attachments/<volume>"),
    Step {
        until: Some(("/volume/status", "available")),
        ..step("wait for the detached volume", VOLUMES, Get, "/volumes/<volume>")
    },
    step("delete a volume", VOLUMES, Delete, "/volumes/<volume>"),
];
