//! Attachments of volumes to servers. The mark is in the volume's metadata, together with the server, so it does not
//! apply to a later attachment to another server.

use std::collections::BTreeSet;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use wattle_converge::{Id, Outcome};
use wattle_model::Name;

use super::super::json::{encoded, given_text, items, text};
use super::super::mark::{Mark, is_mark};
use super::super::stop::Stop;
use super::super::ties;
use super::super::work::{Collection, Work, delete, post};
use super::super::{Driver, Found, Lists, Made, State};
use super::{VOLUMES, volume};

/// The metadata key of the mark.
const KEY: &str = "wattle-attachment";

/// The metadata key of the server that the mark applies to.
const SERVER: &str = "wattle-attachment-server";

/// Attachments. An attachment is named by its mark, so its name is the same wherever an update moves it. An adopted one
/// is named `SERVER:VOLUME`, or like its volume.
#[derive(Debug)]
pub(super) struct Attachments;

/// The row of the mark that a volume carries for this server.
fn row(item: &Value, server: &str, marks: &Mark) -> Option<Id> {
    let metadata = &item["metadata"];
    if text(metadata, SERVER) == server { marks.row(text(metadata, KEY)) } else { None }
}

/// All attachments of a volume.
fn seen(item: &Value, marks: &Mark) -> Vec<Found> {
    let one = |attachment: &Value| {
        let server = text(attachment, "server_id");
        let row = row(item, server, marks);
        let name = format!("{server}:{}", text(item, "id"));
        let found = Found::new(row, row.map_or_else(|| name.clone(), |row| marks.of(row)), item.clone());
        // Heat's name for it is the volume's.
        Found { others: vec![name, text(item, "id").to_owned()], beside: vec![attachment.clone()], ..found }
    };
    let attached = items(&item["attachments"]).iter().filter(|attachment| !text(attachment, "server_id").is_empty());
    let attached: Vec<Found> = attached.map(one).collect();
    // While a volume is being attached, Cinder does not show the server.
    let coming = text(&item["metadata"], SERVER);
    match text(item, "status") {
        "attaching" | "reserved" if attached.is_empty() && !coming.is_empty() => {
            vec![one(&json!({ "server_id": coming }))]
        }
        _ => attached,
    }
}

/// The server, if given, and the volume.
fn parts(name: &str) -> (Option<&str>, &str) {
    name.split_once(':').map_or((None, name), |(server, volume)| (Some(server), volume))
}

/// The server and the volume that a template names.
fn wanted(properties: &Value) -> (&str, &str) {
    let id = |key| given_text(properties, key).unwrap_or_default();
    (id("instance_uuid"), id("volume_id"))
}

fn server_of(found: &Found) -> &str {
    found.beside.first().map(|attachment| text(attachment, "server_id")).unwrap_or_default()
}

#[async_trait]
impl Driver for Attachments {
    fn collections(&self) -> Vec<&'static Collection> {
        vec![&VOLUMES]
    }

    fn found(&self, lists: &Lists, marks: &Mark) -> Vec<Found> {
        lists.of(&VOLUMES).iter().flat_map(|item| seen(item, marks)).collect()
    }

    fn is_tie(&self) -> bool {
        true
    }

    fn state(&self, found: &Found) -> State {
        match text(&found.item, "status") {
            "in-use" | "extending" => State::Ready,
            status if status.starts_with("error") => {
                State::Broken(format!("Cinder says that its volume is in the state {status}"))
            }
            _ => State::Busy,
        }
    }

    fn attributes(&self, found: &Found) -> Map<String, Value> {
        let mut attributes = Map::new();
        attributes.insert("reference".into(), found.item["id"].clone());
        attributes
    }

    async fn differs(&self, _: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
        let (server, volume) = wanted(properties);
        let has = server_of(found);
        let is_it = has == server && text(&found.item, "id") == volume;
        Ok((!is_it).then(|| {
            format!(
                "it attaches the volume `{}` to the server `{has}`, but should attach `{volume}` to `{server}`",
                text(&found.item, "id")
            )
        }))
    }

    async fn look(&self, work: &Work<'_>, properties: Option<&Value>) -> Result<Option<Found>, Stop> {
        let ours = work.marks.row(&work.mark);
        let volumes = match properties {
            Some(properties) => volume::read(work, wanted(properties).1).await?.into_iter().collect(),
            None => volume::noted(work, KEY, &work.mark).await?,
        };
        Ok(volumes.iter().flat_map(|item| seen(item, work.marks)).find(|found| found.row == ours))
    }

    async fn get(&self, work: &Work<'_>, phys: &str) -> Result<Option<Found>, Stop> {
        if is_mark(phys) {
            let volumes = volume::noted(work, KEY, phys).await?;
            return Ok(volumes.iter().flat_map(|item| seen(item, work.marks)).find(|found| found.phys == phys));
        }
        let (server, id) = parts(phys);
        let Some(item) = volume::read(work, id).await? else { return Ok(None) };
        let is_it = |found: &Found| server.is_none_or(|server| server_of(found) == server);
        let found = seen(&item, work.marks).into_iter().find(is_it);
        Ok(found.filter(|found| !ties::is_anothers(work, found.row)))
    }

    async fn make(&self, work: &Work<'_>, properties: &Value) -> Result<Made, Stop> {
        let (server, id) = wanted(properties);
        let Some(item) = volume::read(work, id).await? else {
            return Err(Stop::refused(format!("there is no volume with the id `{id}`")));
        };
        let notes = json!({ KEY: work.mark, SERVER: server });
        let has = seen(&item, work.marks).into_iter().find(|found| server_of(found) == server);
        if let Some(has) = has {
            if ties::is_anothers(work, has.row) {
                return Err(Stop::later());
            }
            // It was attached by a request that got no response, or by someone else.
            volume::note(work, id, notes).await?;
            return Ok(Made::Accepted(work.mark.clone()));
        }
        match text(&item, "status") {
            "available" => {}
            "in-use" if item["multiattach"] == true => {}
            status if status.starts_with("error") => {
                return Err(Stop::refused(format!("Cinder says that the volume `{id}` is in the state {status}")));
            }
            // Another server has it, or is detaching it.
            _ => return Err(Stop::later()),
        }
        volume::note(work, id, notes).await?;
        let mut body = json!({ "volumeId": id });
        if let Some(device) = given_text(properties, "mountpoint") {
            body["device"] = device.into();
        }
        let path = format!("/servers/{}/os-volume_attachments", encoded(server));
        work.make(post("compute", path, "volumeAttachment", body)).await?;
        Ok(Made::Accepted(work.mark.clone()))
    }

    /// Detaches it, and attaches it again where it is wanted.
    async fn update(&self, work: &Work<'_>, found: Found, properties: &Value) -> Result<Outcome, Stop> {
        if self.differs(work, &found, properties).await?.is_none() {
            if found.row.is_some() {
                return Ok(self.outcome(&found));
            }
        } else {
            self.detach(work, &found).await?;
        }
        match self.make(work, properties).await? {
            Made::Accepted(phys) => Ok(Outcome::Accepted(Some(phys.into()))),
            Made::Thing(found) => Ok(self.outcome(&found)),
        }
    }

    /// An attachment can only be released as a whole.
    async fn release(&self, work: &Work<'_>, found: Found, _: &BTreeSet<Name>) -> Result<Outcome, Stop> {
        self.detach(work, &found).await?;
        match self.get(work, &found.phys).await? {
            Some(_) => Err(Stop::later()),
            None => Ok(Outcome::Done(None)),
        }
    }

    async fn delete(&self, work: &Work<'_>, phys: &str) -> Result<Outcome, Stop> {
        let Some(found) = self.get(work, phys).await? else { return Ok(Outcome::Absent) };
        self.detach(work, &found).await?;
        Ok(Outcome::Accepted(Some(phys.into())))
    }
}

impl Attachments {
    async fn detach(&self, work: &Work<'_>, found: &Found) -> Result<(), Stop> {
        let server = server_of(found);
        work.may_ask(server, "detach_volume").await?;
        let path = format!("/servers/{}/os-volume_attachments/{}", encoded(server), encoded(text(&found.item, "id")));
        match work.remove(delete("compute", path).once()).await {
            // It is being detached already.
            Err(stop) if matches!(text(&found.item, "status"), "detaching") => {
                drop(stop);
                Ok(())
            }
            answer => answer.map(drop),
        }
    }
}
