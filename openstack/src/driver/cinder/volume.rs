//! Volumes. The mark is in their metadata, under a key of its own.

use std::collections::BTreeSet;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use wattle_converge::Outcome;
use wattle_model::Name;

use super::super::find::Sort;
use super::super::json::{differs, encoded, given, given_text, text};
use super::super::mark::Mark;
use super::super::stop::{Stop, of_reading};
use super::super::work::{Collection, Work, delete, get, post, put};
use super::super::{Driver, Found, Lists, Made, State, cannot_be_released};
use super::{OURS, VOLUMES};
use crate::session::Call;
use crate::version::Version;
use crate::{Fault, Method};

/// The first version in which an attached volume can grow.
const GROWS_IN_USE: Version = Version::new(3, 42);

/// The first version in which a volume can be created from a backup.
const BACKUPS: Version = Version::new(3, 47);

/// Properties used at a volume's creation, and Cinder's keys for them.
const MADE_WITH: [(&str, &str); 8] = [
    ("size", "size"),
    ("description", "description"),
    ("availability_zone", "availability_zone"),
    ("volume_type", "volume_type"),
    ("snapshot_id", "snapshot_id"),
    ("source_volid", "source_volid"),
    ("backup_id", "backup_id"),
    ("multiattach", "multiattach"),
];

/// Volumes.
#[derive(Debug)]
pub(super) struct Volumes;

pub(super) fn takes(property: &str) -> bool {
    MADE_WITH.iter().any(|(known, _)| *known == property)
        || matches!(property, "name" | "image" | "imageRef" | "metadata" | "scheduler_hints")
}

pub(super) fn path(id: &str) -> String {
    format!("/volumes/{}", encoded(id))
}

fn seen(item: Value, marks: &Mark) -> Found {
    Found::new(marks.row(text(&item["metadata"], OURS)), text(&item, "id"), item.clone())
}

/// Reads a volume, whichever deployment it belongs to.
pub(super) async fn read(work: &Work<'_>, id: &str) -> Result<Option<Value>, Stop> {
    work.read(get("block-storage", path(id)), "volume").await
}

/// Keys that Cinder shows administrators in the metadata of an attached volume.
const CINDERS: [&str; 2] = ["attached_mode", "readonly"];

/// The metadata without our own keys, and without Cinder's unless the template gives them.
fn foreign(item: &Value, properties: &Value) -> Map<String, Value> {
    let all = item["metadata"].as_object().into_iter().flatten();
    let is_cinders = |key: &str| CINDERS.contains(&key) && properties["metadata"].get(key).is_none();
    let foreign = all.filter(|(key, _)| !key.starts_with(OURS) && !is_cinders(key));
    foreign.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// The wanted texts of a volume: the given ones; otherwise the default; otherwise those after the last action on it.
async fn asked(work: &Work<'_>, properties: &Value) -> Result<Vec<(&'static str, Value)>, Stop> {
    let said = |key: &str| given(properties, key).cloned();
    let volume_type = match given_text(properties, "volume_type") {
        Some(given) => Some(given.into()),
        None if work.has_left("volume_type") => default_type(work).await?,
        None => None,
    };
    let all = [
        ("name", Some(work.called(properties))),
        ("description", said("description").or_else(|| Some("".into()))),
        ("volume_type", volume_type.or_else(|| work.noted("volume_type"))),
    ];
    Ok(all.into_iter().filter_map(|(key, value)| Some((key, value?))).collect())
}

/// The default type of volumes, if it exists and is known.
async fn default_type(work: &Work<'_>) -> Result<Option<Value>, Stop> {
    let name = |found: Option<Value>| found.map(|found| found["name"].clone()).filter(Value::is_string);
    match work.read(get("block-storage", "/types/default"), "volume_type").await {
        Err(Stop::Fault(fault)) if fault.is_refusal() => Ok(None),
        found => found.map(name),
    }
}

/// The wanted size of a volume. A volume that is created from something else may have none.
fn asked_size(work: &Work<'_>, properties: &Value) -> Option<Value> {
    given(properties, "size").cloned().or_else(|| work.noted("size"))
}

/// The metadata of a template, as texts.
fn wanted(properties: &Value) -> Map<String, Value> {
    let given = properties["metadata"].as_object().into_iter().flatten();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    given.map(|(key, value)| (key.clone(), text(value).into())).collect()
}

/// A size, which is a number or the text of a number.
fn size(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn image(properties: &Value) -> Option<&str> {
    given_text(properties, "image").or_else(|| given_text(properties, "imageRef"))
}

/// Whether two texts are the same. A missing text equals an empty one.
fn same(wanted: &Value, current: &Value) -> bool {
    wanted.as_str().unwrap_or_default() == current.as_str().unwrap_or_default()
}

#[async_trait]
impl Driver for Volumes {
    fn collections(&self) -> Vec<&'static Collection> {
        vec![&VOLUMES]
    }

    fn found(&self, lists: &Lists, marks: &Mark) -> Vec<Found> {
        lists.of(&VOLUMES).iter().map(|item| seen(item.clone(), marks)).collect()
    }

    fn state(&self, found: &Found) -> State {
        match text(&found.item, "status") {
            "available" | "in-use" => State::Ready,
            status if status.starts_with("error") => {
                State::Broken(format!("Cinder says that it is in the state {status}"))
            }
            _ => State::Busy,
        }
    }

    fn attributes(&self, found: &Found) -> Map<String, Value> {
        let item = &found.item;
        let keys = [
            ("availability_zone", "availability_zone"),
            ("size", "size"),
            ("snapshot_id", "snapshot_id"),
            ("display_name", "name"),
            ("display_description", "description"),
            ("volume_type", "volume_type"),
            ("source_volid", "source_volid"),
            ("status", "status"),
            ("created_at", "created_at"),
            ("bootable", "bootable"),
            ("encrypted", "encrypted"),
            ("attachments_list", "attachments"),
            ("multiattach", "multiattach"),
        ];
        let mut attributes: Map<String, Value> =
            keys.iter().map(|(attribute, key)| ((*attribute).to_owned(), item[*key].clone())).collect();
        attributes.insert("metadata".into(), Value::from(foreign(item, &Value::Null)).to_string().into());
        attributes.insert("metadata_values".into(), foreign(item, &Value::Null).into());
        attributes.insert("attachments".into(), item["attachments"].to_string().into());
        attributes
    }

    async fn differs(&self, work: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
        let item = &found.item;
        for (key, wanted) in asked(work, properties).await? {
            if !same(&wanted, &item[key]) {
                return Ok(Some(differs(key, &wanted, &item[key])));
            }
        }
        if let Some(wanted) = asked_size(work, properties).filter(|wanted| size(wanted) != size(&item["size"])) {
            return Ok(Some(differs("size", &wanted, &item["size"])));
        }
        let (wanted, current) = (wanted(properties), foreign(item, properties));
        if wanted != current {
            return Ok(Some(differs("metadata", &wanted.into(), &current.into())));
        }
        Ok(None)
    }

    async fn look(&self, work: &Work<'_>, _: Option<&Value>) -> Result<Option<Found>, Stop> {
        let found = noted(work, OURS, &work.mark).await?.into_iter().next();
        Ok(found.map(|item| seen(item, work.marks)))
    }

    async fn get(&self, work: &Work<'_>, phys: &str) -> Result<Option<Found>, Stop> {
        Ok(read(work, phys).await?.map(|item| seen(item, work.marks)))
    }

    async fn make(&self, work: &Work<'_>, properties: &Value) -> Result<Made, Stop> {
        let mut body = Map::new();
        body.insert("name".into(), work.called(properties));
        for (property, key) in MADE_WITH {
            if let Some(value) = given(properties, property).filter(|value| **value != "" && **value != false) {
                body.insert(key.into(), value.clone());
            }
        }
        if let Some(image) = image(properties) {
            body.insert("imageRef".into(), work.find(Sort::Image, image).await?.into());
        }
        let mut metadata = wanted(properties);
        metadata.insert(OURS.into(), work.mark.as_str().into());
        body.insert("metadata".into(), metadata.into());
        let mut call = post("block-storage", "/volumes", "volume", body.into());
        if given_text(properties, "backup_id").is_some() {
            call = call.version(BACKUPS);
        }
        if let Some(hints) = given(properties, "scheduler_hints").filter(|hints| **hints != json!({})) {
            let mut body = call.body.clone().unwrap_or_default();
            body["OS-SCH-HNT:scheduler_hints"] = hints.clone();
            call = call.body(body);
        }
        let answer = work.make(call).await?;
        match text(&answer["volume"], "id") {
            "" => Err(Stop::Outcome(Outcome::Unknown)),
            id => Ok(Made::Accepted(id.to_owned())),
        }
    }

    async fn update(&self, work: &Work<'_>, mut found: Found, properties: &Value) -> Result<Outcome, Stop> {
        match self.state(&found) {
            State::Busy => return Err(Stop::later()),
            State::Broken(why) => return Ok(Outcome::Broken(why.into())),
            State::Ready | State::Stopped(_) => {}
        }
        let path = path(&found.phys);
        let item = &found.item;
        let (has, wants) = (size(&item["size"]), asked_size(work, properties).as_ref().and_then(size));
        if let (Some(has), Some(wants)) = (has, wants)
            && wants < has
        {
            return Err(Stop::refused(format!("a volume can only grow: `size` is {has} GiB, but should be {wants}")));
        }
        let asked = asked(work, properties).await?;
        let other = |key: &str| asked.iter().find(|(of, wanted)| *of == key && !same(wanted, &item[key]));
        let mut body = Map::new();
        for (key, wanted) in ["name", "description"].into_iter().filter_map(other) {
            body.insert((*key).into(), wanted.clone());
        }
        if !body.is_empty() {
            work.change(put("block-storage", path.clone(), "volume", body.into())).await?;
        }
        // Keep our own metadata. An adopted volume gets the mark.
        let mut metadata = wanted(properties);
        let all = item["metadata"].as_object().into_iter().flatten();
        let ours = all.filter(|(key, _)| key.starts_with(OURS) || CINDERS.contains(&key.as_str()));
        let ours = ours.filter(|(key, _)| properties["metadata"].get(key).is_none());
        metadata.extend(ours.map(|(key, value)| (key.clone(), value.clone())));
        metadata.insert(OURS.into(), work.mark.as_str().into());
        if item["metadata"].as_object() != Some(&metadata) {
            work.change(put("block-storage", format!("{path}/metadata"), "metadata", metadata.into())).await?;
        }
        let action = |name: &str, body: Value| post("block-storage", format!("{path}/action"), name, body);
        if let Some((_, wanted)) = other("volume_type") {
            work.change(action("os-retype", json!({ "new_type": wanted, "migration_policy": "never" }))).await?;
            return Err(Stop::later());
        }
        if let Some(wants) = wants.filter(|wants| has.is_some_and(|has| *wants > has)) {
            let call = action("os-extend", json!({ "new_size": wants }));
            let is_held = text(item, "status") == "in-use";
            work.change(if is_held { call.version(GROWS_IN_USE) } else { call }).await?;
            return Ok(Outcome::Accepted(Some(found.phys.as_str().into())));
        }
        match read(work, &found.phys).await? {
            Some(item) => {
                found.item = item;
                Ok(self.outcome(&found))
            }
            None => Ok(Outcome::Absent),
        }
    }

    fn adopts(&self) -> bool {
        true
    }

    fn mark<'f>(&self, found: &'f Found) -> Option<&'f str> {
        Some(text(&found.item["metadata"], OURS)).filter(|mark| !mark.is_empty())
    }

    async fn cannot_be(&self, _: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
        let item = &found.item;
        for key in ["availability_zone", "snapshot_id", "source_volid"] {
            if let Some(wanted) = given(properties, key).filter(|wanted| !same(wanted, &item[key])) {
                return Ok(Some(differs(key, wanted, &item[key])));
            }
        }
        let wanted = given(properties, "size").filter(|wanted| size(wanted) < size(&item["size"]));
        Ok(wanted.map(|wanted| format!("{}: a volume only grows", differs("size", wanted, &item["size"]))))
    }

    async fn release(&self, _: &Work<'_>, _: Found, exclusive: &BTreeSet<Name>) -> Result<Outcome, Stop> {
        Err(cannot_be_released(exclusive))
    }

    async fn delete(&self, work: &Work<'_>, phys: &str) -> Result<Outcome, Stop> {
        match work.remove(delete("block-storage", path(phys))).await {
            Ok(None) => Ok(Outcome::Absent),
            Ok(Some(())) => Ok(Outcome::Accepted(Some(phys.into()))),
            // Deleting a volume that is already being deleted gets the same refusal as deleting one in use.
            Err(Stop::Fault(Fault::Refused { status: 400, message, .. })) if message.contains("status must be") => {
                match read(work, phys).await? {
                    None => Ok(Outcome::Absent),
                    Some(item) if text(&item, "status") == "deleting" => Ok(Outcome::Accepted(Some(phys.into()))),
                    Some(_) => Err(Stop::later()),
                }
            }
            Err(stop) => Err(stop),
        }
    }
}

/// Adds texts to a volume's metadata.
pub(super) async fn note(work: &Work<'_>, id: &str, notes: Value) -> Result<(), Stop> {
    let call = Call::new("block-storage", Method::Post, format!("{}/metadata", path(id)));
    work.change(call.body(json!({ "metadata": notes }))).await?;
    Ok(())
}

/// Volumes with this text in their metadata.
pub(super) async fn noted(work: &Work<'_>, key: &str, note: &str) -> Result<Vec<Value>, Stop> {
    let filter = encoded(&format!("{{'{key}':'{note}'}}"));
    let call = get("block-storage", format!("/volumes/detail?metadata={filter}"));
    let mut volumes = match work.every(call, "volumes").await {
        // A cloud may not allow this filter.
        Err(Fault::Refused { status: 400 | 403, .. }) => work.listed(VOLUMES.call(), VOLUMES.key).await?,
        volumes => volumes.map_err(of_reading)?,
    };
    volumes.retain(|item| text(&item["metadata"], key) == note);
    Ok(volumes)
}
