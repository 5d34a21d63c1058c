//! Key pairs. They are identified by name only, so the mark is in the comment of the public key.

use std::collections::BTreeSet;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use wattle_converge::Outcome;
use wattle_model::Name;

use super::super::json::{encoded, given, given_text, text};
use super::super::mark::{Mark, with, without};
use super::super::stop::Stop;
use super::super::ties;
use super::super::work::{Collection, Work, delete, get, post};
use super::super::{Driver, Found, Lists, Made, State};
use crate::version::Version;

/// The first version in which key pairs have types.
const TYPES: Version = Version::new(2, 2);

static KEYS: Collection =
    Collection { service: "compute", path: "/os-keypairs", key: "keypairs", version: Some(TYPES) };

/// Key pairs.
#[derive(Debug)]
pub(super) struct Keys;

fn seen(item: &Value, marks: &Mark) -> Found {
    let (row, name) = (marks.row_in(text(item, "public_key").trim_end()), text(item, "name"));
    let phys = ties::called(name, row.map(|row| marks.of(row)));
    Found { others: vec![name.to_owned()], ..Found::new(row, phys, item.clone()) }
}

/// Properties that make Nova generate a key in Heat, or that require certificates.
pub(super) fn beyond(properties: &Value) -> Option<(String, &'static str)> {
    if given(properties, "public_key").is_none_or(|key| *key == "") {
        let help = "give it the public half of a key that you have, because Nova no longer generates keys";
        return Some(("a key pair without `public_key` is only for Heat".into(), help));
    }
    let is_certificate = given_text(properties, "type") == Some("x509");
    is_certificate.then(|| ("`type: x509` of a key pair is only for Heat".into(), "give it a key for SSH"))
}

/// Reads the key pair with this name, whichever deployment it belongs to.
async fn read(work: &Work<'_>, name: &str) -> Result<Option<Found>, Stop> {
    let read = work.read(get("compute", path(name)).version(TYPES), "keypair").await?;
    Ok(read.map(|item| seen(&item, work.marks)))
}

fn path(name: &str) -> String {
    format!("/os-keypairs/{}", encoded(name))
}

#[async_trait]
impl Driver for Keys {
    fn collections(&self) -> Vec<&'static Collection> {
        vec![&KEYS]
    }

    fn found(&self, lists: &Lists, marks: &Mark) -> Vec<Found> {
        lists.of(&KEYS).iter().map(|item| seen(&item["keypair"], marks)).collect()
    }

    fn is_tie(&self) -> bool {
        true
    }

    fn state(&self, _: &Found) -> State {
        State::Ready
    }

    fn attributes(&self, found: &Found) -> Map<String, Value> {
        let key = without(text(&found.item, "public_key").trim_end());
        let mut attributes = Map::new();
        attributes.insert("public_key".into(), key.into());
        attributes.insert("private_key".into(), "".into());
        attributes.insert("reference".into(), found.item["name"].clone());
        attributes
    }

    async fn differs(&self, _: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
        let current = without(text(&found.item, "public_key").trim_end());
        let wanted = given_text(properties, "public_key").map(str::trim_end);
        Ok(wanted.filter(|wanted| *wanted != current).map(|_| "`public_key` is a different key".to_owned()))
    }

    async fn look(&self, work: &Work<'_>, properties: Option<&Value>) -> Result<Option<Found>, Stop> {
        let ours = work.marks.row(&work.mark);
        if let Some(name) = properties.and_then(|properties| given_text(properties, "name")) {
            return Ok(read(work, name).await?.filter(|found| found.row == ours));
        }
        let all = work.listed(KEYS.call(), KEYS.key).await?;
        Ok(all.iter().map(|item| seen(&item["keypair"], work.marks)).find(|found| found.row == ours))
    }

    async fn get(&self, work: &Work<'_>, phys: &str) -> Result<Option<Found>, Stop> {
        let (name, mark) = ties::parts(phys);
        Ok(read(work, name).await?.and_then(|found| ties::same(work, mark, found)))
    }

    async fn make(&self, work: &Work<'_>, properties: &Value) -> Result<Made, Stop> {
        let name = given_text(properties, "name").unwrap_or_default();
        let key = given_text(properties, "public_key").unwrap_or_default();
        match read(work, name).await? {
            None => {}
            // Another row of the deployment still has to delete it.
            Some(found) if found.row.is_some() => return Err(Stop::later()),
            Some(_) => {
                return Err(Stop::refused(format!(
                    "a key pair `{name}` already exists and does not belong to this deployment: rename this one, or delete the other one"
                )));
            }
        }
        let body = json!({ "name": name, "public_key": with(key.trim_end(), &work.mark), "type": "ssh" });
        let answer = work.make(post("compute", "/os-keypairs", "keypair", body).version(TYPES)).await?;
        Ok(Made::Thing(seen(&answer["keypair"], work.marks)))
    }

    async fn update(&self, work: &Work<'_>, found: Found, properties: &Value) -> Result<Outcome, Stop> {
        match self.differs(work, &found, properties).await? {
            Some(how) => Err(Stop::refused(format!("{how}, which cannot be changed in place"))),
            None => Ok(self.outcome(&found)),
        }
    }

    /// Deletes the key pair, which frees its name. Servers keep the keys that they were created with.
    async fn release(&self, work: &Work<'_>, found: Found, _: &BTreeSet<Name>) -> Result<Outcome, Stop> {
        self.delete(work, &found.phys).await?;
        Ok(Outcome::Done(None))
    }

    async fn delete(&self, work: &Work<'_>, phys: &str) -> Result<Outcome, Stop> {
        if self.get(work, phys).await?.is_none() {
            return Ok(Outcome::Absent);
        }
        let gone = work.remove(delete("compute", path(ties::parts(phys).0)).version(TYPES).once()).await?;
        Ok(if gone.is_some() { Outcome::Done(None) } else { Outcome::Absent })
    }
}
