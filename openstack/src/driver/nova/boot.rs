//! Builds the request that creates a server.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::super::find::Sort;
use super::super::json::{given, given_text, items, text};
use super::super::stop::Stop;
use super::super::work::{Work, post};
use super::nics::Nics;
use crate::session::Call;
use crate::version::Version;

/// The first version in which a server can be created with tags.
const TAGS: Version = Version::new(2, 52);

/// The first version in which a volume created with a server can have a type.
const TYPES: Version = Version::new(2, 67);

/// Properties used at a server's creation.
pub(super) const TAKES: [&str; 16] = [
    "name",
    "image",
    "flavor",
    "block_device_mapping",
    "block_device_mapping_v2",
    "key_name",
    "availability_zone",
    "security_groups",
    "networks",
    "scheduler_hints",
    "metadata",
    "user_data",
    "config_drive",
    "diskConfig",
    "admin_pass",
    "tags",
];

/// Builds the request that creates a server.
pub(super) async fn call(work: &Work<'_>, properties: &Value) -> Result<Call, Stop> {
    let mut body = Map::new();
    body.insert("name".into(), work.called(properties));
    let flavor = work.find(Sort::Flavor, given_text(properties, "flavor").unwrap_or_default()).await?;
    body.insert("flavorRef".into(), flavor.into());
    let image = match given_text(properties, "image") {
        Some(image) => Some(work.find(Sort::Image, image).await?),
        None => None,
    };
    let devices = devices(work, properties, image.as_deref()).await?;
    if let Some(image) = image {
        body.insert("imageRef".into(), image.into());
    }
    let needs_types = devices.iter().any(|device| device.get("volume_type").is_some());
    if !devices.is_empty() {
        body.insert("block_device_mapping_v2".into(), devices.into());
    }
    body.insert("networks".into(), Nics::of(work, properties).await?.sent());
    let same = [
        ("key_name", "key_name"),
        ("availability_zone", "availability_zone"),
        ("diskConfig", "OS-DCF:diskConfig"),
        ("admin_pass", "adminPass"),
    ];
    for (property, key) in same {
        if let Some(value) = given_text(properties, property) {
            body.insert(key.into(), value.into());
        }
    }
    if let Some(wanted) = given(properties, "config_drive") {
        body.insert("config_drive".into(), wanted.clone());
    }
    let groups = given(properties, "security_groups").map(items).unwrap_or_default();
    if !groups.is_empty() {
        let groups: Vec<Value> = groups.iter().map(|group| json!({ "name": group })).collect();
        body.insert("security_groups".into(), groups.into());
    }
    if let Some(data) = given_text(properties, "user_data") {
        body.insert("user_data".into(), STANDARD.encode(data).into());
    }
    let metadata = metadata(properties);
    if !metadata.is_empty() {
        body.insert("metadata".into(), metadata.into());
    }
    body.insert("tags".into(), tags(work, properties));
    let call = post("compute", "/servers", "server", body.into());
    let call = call.version(if needs_types { TYPES } else { TAGS });
    let Some(hints) = given(properties, "scheduler_hints").filter(|hints| **hints != json!({})) else {
        return Ok(call);
    };
    let mut body = call.body.clone().unwrap_or_default();
    body["os:scheduler_hints"] = hints.clone();
    Ok(call.body(body))
}

/// The tags of a template, and the mark.
pub(super) fn tags(work: &Work<'_>, properties: &Value) -> Value {
    let own = given(properties, "tags").map(items).unwrap_or_default();
    own.iter().cloned().chain([Value::from(work.mark.as_str())]).collect::<Vec<_>>().into()
}

/// Converts metadata to Nova's form, which is texts. Other values become JSON.
pub(super) fn metadata(properties: &Value) -> Map<String, Value> {
    let given = properties["metadata"].as_object().into_iter().flatten();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    given.map(|(key, value)| (key.clone(), text(value).into())).collect()
}

/// The block devices, if the template gives any. Nova then expects the image's disk among them.
async fn devices(work: &Work<'_>, properties: &Value, image: Option<&str>) -> Result<Vec<Value>, Stop> {
    let mut devices = Vec::new();
    for device in given(properties, "block_device_mapping_v2").map(items).unwrap_or_default() {
        devices.push(newer(work, device).await?);
    }
    for device in given(properties, "block_device_mapping").map(items).unwrap_or_default() {
        devices.push(older(device, image.is_some()));
    }
    let is_first = |device: &Value| device["boot_index"] == 0;
    if let Some(image) = image.filter(|_| !devices.is_empty() && !devices.iter().any(is_first)) {
        let disk = json!({ "uuid": image, "source_type": "image", "destination_type": "local", "boot_index": 0, "delete_on_termination": true });
        devices.insert(0, disk);
    }
    Ok(devices)
}

/// Converts a device by its source. Source: Heat's `_build_block_device_mapping_v2`.
async fn newer(work: &Work<'_>, device: &Value) -> Result<Value, Stop> {
    let of = |uuid: &str, source: &str| json!({ "uuid": uuid, "source_type": source, "destination_type": "volume", "boot_index": 0, "delete_on_termination": false });
    let blank = || json!({ "source_type": "blank", "destination_type": "local", "boot_index": -1, "delete_on_termination": true });
    let image = given_text(device, "image").or_else(|| given_text(device, "image_id"));
    let mut body = match (given_text(device, "volume_id"), given_text(device, "snapshot_id"), image) {
        (Some(volume), _, _) => of(volume, "volume"),
        (None, Some(snapshot), _) => of(snapshot, "snapshot"),
        (None, None, Some(image)) => of(&work.find(Sort::Image, image).await?, "image"),
        (None, None, None) => {
            let mut body = blank();
            if given(device, "swap_size").is_some() {
                body["guest_format"] = "swap".into();
            }
            let sizes =
                [("ephemeral_format", "guest_format"), ("ephemeral_size", "volume_size"), ("swap_size", "volume_size")];
            for (property, key) in sizes {
                if let Some(value) = given(device, property) {
                    body[key] = value.clone();
                }
            }
            body
        }
    };
    let same =
        ["device_name", "device_type", "disk_bus", "boot_index", "volume_size", "delete_on_termination", "volume_type"];
    for key in same {
        if let Some(value) = given(device, key).filter(|value| **value != "") {
            body[key] = value.clone();
        }
    }
    Ok(body)
}

/// Converts a device in Nova's first format, which Nova no longer accepts.
fn older(device: &Value, has_image: bool) -> Value {
    let (uuid, source) = match given_text(device, "snapshot_id") {
        Some(snapshot) => (snapshot, "snapshot"),
        None => (text(device, "volume_id"), "volume"),
    };
    let is_first = !has_image && text(device, "device_name") == "vda";
    let mut body = json!({ "uuid": uuid, "source_type": source, "destination_type": "volume", "boot_index": if is_first { 0 } else { -1 } });
    for key in ["device_name", "volume_size", "delete_on_termination"] {
        if let Some(value) = given(device, key).filter(|value| **value != "") {
            body[key] = value.clone();
        }
    }
    body
}
