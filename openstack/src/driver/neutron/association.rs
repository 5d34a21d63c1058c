//! Associations of floating IPs with ports or servers. They are tags of the floating IP. An association is named by its
//! mark, so its name is the same whichever floating IP an update gives it. An adopted one is named like its floating
//! IP.

use std::collections::BTreeSet;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use wattle_converge::{Id, Outcome};
use wattle_model::Name;

use super::super::find::Sort;
use super::super::json::{encoded, given, given_text, items, text};
use super::super::mark::{Mark, is_mark};
use super::super::stop::Stop;
use super::super::ties;
use super::super::work::{Collection, Work, get, put};
use super::super::{Driver, Found, Lists, Made, State};
use super::table::{FLOATING_IPS, PORTS};

/// Associations of floating IPs.
#[derive(Debug)]
pub(super) struct Association {
    /// Whether they name a server rather than a port.
    of_server: bool,
    /// The suffix after the mark, which distinguishes the two types.
    suffix: &'static str,
}

pub(super) static TO_PORT: Association = Association { of_server: false, suffix: "" };
pub(super) static TO_SERVER: Association = Association { of_server: true, suffix: ".server" };

/// The floating IP, the port, and one of its addresses, as wanted by a template.
struct Wanted {
    floating: String,
    port: String,
    address: Option<Value>,
}

impl Wanted {
    fn is(&self, item: &Value) -> bool {
        text(item, "port_id") == self.port
            && self.address.as_ref().is_none_or(|address| *address == item["fixed_ip_address"])
    }

    fn body(&self) -> Value {
        let mut body = json!({ "port_id": self.port });
        if let Some(address) = &self.address {
            body["fixed_ip_address"] = address.clone();
        }
        body
    }
}

impl Association {
    fn tag(&self, work: &Work<'_>) -> String {
        format!("{}{}", work.mark, self.suffix)
    }

    fn row(&self, item: &Value, marks: &Mark) -> Option<Id> {
        items(&item["tags"]).iter().find_map(|tag| marks.row(tag.as_str()?.strip_suffix(self.suffix)?))
    }

    /// A floating IP, if it is associated.
    fn seen(&self, item: Value, marks: &Mark) -> Option<Found> {
        let row = self.row(&item, marks);
        let phys = row.map_or_else(|| text(&item, "id").to_owned(), |row| marks.of(row));
        let others = vec![text(&item, "id").to_owned()];
        (!text(&item, "port_id").is_empty()).then(|| Found { others, ..Found::new(row, phys, item) })
    }

    async fn wanted(&self, work: &Work<'_>, properties: &Value) -> Result<Wanted, Stop> {
        let id = |key| given_text(properties, key).unwrap_or_default().to_owned();
        if !self.of_server {
            let port = work.find(Sort::Port, &id("port_id")).await?;
            let address = given(properties, "fixed_ip_address").cloned();
            return Ok(Wanted { floating: id("floatingip_id"), port, address });
        }
        let server = id("server_id");
        let ports = work.listed(get("network", format!("/ports?device_id={}", encoded(&server))), "ports").await?;
        let has_four = |port: &&Value| items(&port["fixed_ips"]).iter().any(|ip| text(ip, "ip_address").contains('.'));
        let Some(port) = ports.iter().find(has_four) else {
            return Err(Stop::refused(format!(
                "the server `{server}` has no port with an IPv4 address, which a floating IP needs: give it one first"
            )));
        };
        Ok(Wanted { floating: id("floating_ip"), port: text(port, "id").to_owned(), address: None })
    }

    /// Floating IPs tagged with this mark, associated or not.
    async fn tagged(&self, work: &Work<'_>, mark: &str) -> Result<Vec<Value>, Stop> {
        let path = format!("/floatingips?tags={}", encoded(&format!("{mark}{}", self.suffix)));
        work.listed(get("network", path), "floatingips").await
    }

    async fn read(&self, work: &Work<'_>, id: &str) -> Result<Option<Value>, Stop> {
        work.read(get("network", ties::floating_ip(id)), "floatingip").await
    }

    /// Associates the floating IP as wanted.
    async fn give(&self, work: &Work<'_>, wanted: &Wanted) -> Result<Found, Stop> {
        let Some(item) = self.read(work, &wanted.floating).await? else {
            return Err(Stop::refused(format!("there is no floating IP with the id `{}`", wanted.floating)));
        };
        let path = ties::floating_ip(&wanted.floating);
        let held = text(&item, "port_id");
        match self.row(&item, work.marks) {
            // Another row of the deployment holds it and will release it.
            row if ties::is_anothers(work, row) && !held.is_empty() => return Err(Stop::later()),
            None if !held.is_empty() && !wanted.is(&item) => {
                return Err(Stop::refused(format!(
                    "someone else has associated the floating IP {} with the port `{held}`: remove it from there first",
                    text(&item, "floating_ip_address")
                )));
            }
            _ => {}
        }
        let tag = self.tag(work);
        // Tags of associations that were never made, or that someone else removed, would claim this association.
        let is_row = |tag: &str| tag.strip_suffix(self.suffix).is_some_and(|mark| work.marks.row(mark).is_some());
        let stale =
            items(&item["tags"]).iter().filter_map(Value::as_str).filter(|known| *known != tag && is_row(known));
        for stale in stale.filter(|_| held.is_empty()) {
            ties::untie(work, &path, &item, stale).await?;
        }
        ties::tie(work, &path, &tag).await?;
        let item = if wanted.is(&item) {
            item
        } else {
            let answer = work.change(put("network", path.clone(), "floatingip", wanted.body())).await;
            match answer.map_err(Stop::outcome) {
                Ok(mut answer) => answer["floatingip"].take(),
                Err(Outcome::Refused(why)) => {
                    ties::untie(work, &path, &json!({ "tags": [tag] }), &tag).await?;
                    return Err(Stop::Outcome(Outcome::Refused(why)));
                }
                Err(outcome) => return Err(Stop::Outcome(outcome)),
            }
        };
        Ok(Found::new(work.marks.row(&work.mark), work.mark.clone(), item))
    }
}

#[async_trait]
impl Driver for Association {
    fn collections(&self) -> Vec<&'static Collection> {
        if self.of_server { vec![&FLOATING_IPS, &PORTS] } else { vec![&FLOATING_IPS] }
    }

    fn found(&self, lists: &Lists, marks: &Mark) -> Vec<Found> {
        let all = lists.of(&FLOATING_IPS).iter().filter_map(|item| self.seen(item.clone(), marks));
        let with_port = |mut found: Found| {
            let port = lists.of(&PORTS).iter().find(|port| port["id"] == found.item["port_id"]);
            found.beside = port.filter(|_| self.of_server).cloned().into_iter().collect();
            found
        };
        all.map(with_port).collect()
    }

    fn is_tie(&self) -> bool {
        true
    }

    fn state(&self, _: &Found) -> State {
        State::Ready
    }

    fn attributes(&self, _: &Found) -> Map<String, Value> {
        Map::new()
    }

    async fn differs(&self, work: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
        let id = text(&found.item, "id");
        let floating = given_text(properties, if self.of_server { "floating_ip" } else { "floatingip_id" });
        if let Some(floating) = floating.filter(|floating| *floating != id) {
            return Ok(Some(format!("it is for the floating IP `{id}`, but should be for `{floating}`")));
        }
        if self.of_server {
            let server = given_text(properties, "server_id").unwrap_or_default();
            let has = found.beside.first().map(|port| text(port, "device_id")).unwrap_or_default();
            return Ok((has != server)
                .then(|| format!("it is associated with the server `{has}`, but should be with `{server}`")));
        }
        let wanted = self.wanted(work, properties).await?;
        let address = found.item["fixed_ip_address"].as_str().unwrap_or_default();
        Ok((!wanted.is(&found.item)).then(|| {
            let wanted_at =
                wanted.address.as_ref().and_then(Value::as_str).map_or(String::new(), |at| format!(" at {at}"));
            format!(
                "it is associated with the port `{}` at {address}, but should be with `{}`{wanted_at}",
                text(&found.item, "port_id"),
                wanted.port
            )
        }))
    }

    async fn look(&self, work: &Work<'_>, _: Option<&Value>) -> Result<Option<Found>, Stop> {
        self.get(work, &work.mark).await
    }

    async fn get(&self, work: &Work<'_>, phys: &str) -> Result<Option<Found>, Stop> {
        if is_mark(phys) {
            return Ok(self.tagged(work, phys).await?.into_iter().find_map(|item| self.seen(item, work.marks)));
        }
        let found = self.read(work, phys).await?.and_then(|item| self.seen(item, work.marks));
        Ok(found.filter(|found| !ties::is_anothers(work, found.row)))
    }

    async fn make(&self, work: &Work<'_>, properties: &Value) -> Result<Made, Stop> {
        let wanted = self.wanted(work, properties).await?;
        Ok(Made::Thing(self.give(work, &wanted).await?))
    }

    async fn update(&self, work: &Work<'_>, found: Found, properties: &Value) -> Result<Outcome, Stop> {
        let wanted = self.wanted(work, properties).await?;
        let id = text(&found.item, "id");
        if wanted.floating == id && wanted.is(&found.item) && found.row == work.marks.row(&work.mark) {
            return Ok(self.outcome(&found));
        }
        if wanted.floating == id {
            // It belongs to this row, whether it is tagged or was adopted.
            ties::tie(work, &ties::floating_ip(id), &self.tag(work)).await?;
        } else {
            self.delete(work, &found.phys).await?;
        }
        let given = self.give(work, &wanted).await?;
        Ok(self.outcome(&given))
    }

    /// An association can only be released as a whole.
    async fn release(&self, work: &Work<'_>, found: Found, _: &BTreeSet<Name>) -> Result<Outcome, Stop> {
        self.delete(work, &found.phys).await?;
        Ok(Outcome::Done(None))
    }

    async fn delete(&self, work: &Work<'_>, phys: &str) -> Result<Outcome, Stop> {
        let (held, mark) = if is_mark(phys) {
            (self.tagged(work, phys).await?, phys)
        } else {
            (self.get(work, phys).await?.map(|found| found.item).into_iter().collect(), work.mark.as_str())
        };
        let mut outcome = Outcome::Absent;
        for item in held {
            let path = ties::floating_ip(text(&item, "id"));
            if !text(&item, "port_id").is_empty() {
                work.change(put("network", path.clone(), "floatingip", json!({ "port_id": null }))).await?;
                outcome = Outcome::Done(None);
            }
            ties::untie(work, &path, &item, &format!("{mark}{}", self.suffix)).await?;
        }
        Ok(outcome)
    }
}
