//! What the keys of a thing are to be that its template says nothing of, or not all of.
//!
//! A property that is not said is what a thing has without it, where that is the same in every cloud; else what it was when something
//! was last done to the thing. What a cloud changes by itself is nothing that anybody has changed.

use serde_json::Value;

use super::super::json::{agrees, given, items, text};
use super::super::stop::Stop;
use super::super::work::Work;
use super::{Column, Form, Plain};

/// What a key is to be.
pub(super) struct Asked<'p> {
    pub(super) column: &'p Column,
    pub(super) wanted: Value,
    /// The template says nothing of it.
    pub(super) is_unsaid: bool,
}

impl Plain {
    /// What the keys of a thing are to be, as far as that is known.
    pub(super) async fn asked(
        &self,
        work: &Work<'_>,
        item: &Value,
        properties: &Value,
    ) -> Result<Vec<Asked<'_>>, Stop> {
        let mut asked = Vec::new();
        for column in self.columns {
            // A service does not show everything to everybody.
            let Some(current) = item.get(column.key) else { continue };
            let said = column.wanted(work, properties).await?;
            let is_unsaid = said.is_none();
            let keeps = is_unsaid && (self.is_said_otherwise(column, properties) || self.quirk.keeps(column.key, item));
            let default = column.default.map(|text| serde_json::from_str(text).expect("INVARIANT: defaults are JSON"));
            let noted =
                if column.changes && column.form != Form::NoAddress { self.noted(work, column.key) } else { None };
            let wanted = match (said, default) {
                (None, _) if keeps => None,
                (None, Some(default)) => Some(default),
                (said, _) => in_full(column.key, said, noted, current),
            };
            asked.extend(wanted.map(|wanted| Asked { column, wanted, is_unsaid }));
        }
        Ok(asked)
    }

    /// Whether a thing has still what it was given by the cloud.
    pub(super) fn is_as_given(&self, work: &Work<'_>, asked: &Asked<'_>, current: &Value) -> bool {
        asked.is_unsaid && self.noted(work, asked.column.key).is_some_and(|noted| asked.column.agrees(&noted, current))
    }

    /// What a key was when something was last done to the thing.
    fn noted(&self, work: &Work<'_>, key: &str) -> Option<Value> {
        let (attribute, _) = self.attributes.iter().find(|(_, known)| *known == key)?;
        work.noted(attribute)
    }

    /// Whether another property says what the key of `column` is to be.
    fn is_said_otherwise(&self, column: &Column, properties: &Value) -> bool {
        let is_said = |other: &&Column| given(properties, other.property).is_some_and(|value| *value != false);
        let others = self.columns.iter().filter(|other| other.key == column.key && other.property != column.property);
        others.filter(is_said).count() > 0
    }
}

/// What a key is to be of which this is said, where something else was there as well when something was last done to the thing.
fn in_full(key: &str, said: Option<Value>, noted: Option<Value>, current: &Value) -> Option<Value> {
    let is_of_it = |noted: &Value| said.as_ref().is_none_or(|said| agrees(said, noted));
    let Some(noted) = noted.filter(is_of_it) else { return said };
    match key {
        "fixed_ips" => addresses(said, noted, current),
        "external_gateway_info" => gateway(said, &noted, current),
        "allowed_address_pairs" => Some(noted),
        _ => said.or(Some(noted)),
    }
}

/// The addresses that a port was given, if it has not got them any more, or more of IPv4. Neutron adds those of IPv6 that hosts give
/// themselves, and some ports get none before a host is chosen for them.
fn addresses(said: Option<Value>, noted: Value, current: &Value) -> Option<Value> {
    if items(&noted).is_empty() {
        return said;
    }
    let has = |all: &Value, one: &Value| items(all).iter().any(|other| agrees(one, other));
    let is_there = items(&noted).iter().all(|ip| has(current, ip));
    let is_more = |ip: &&Value| text(ip, "ip_address").contains('.') && !has(&noted, ip);
    let is_it = is_there && !items(current).iter().any(|ip| is_more(&ip));
    Some(if is_it { current.clone() } else { noted })
}

/// A way out that is still the same one translates addresses as it did. Only who may may say so.
fn gateway(said: Option<Value>, noted: &Value, current: &Value) -> Option<Value> {
    let mut said = said?;
    let network = &noted["network_id"];
    let is_same = said["network_id"] == *network && current["network_id"] == *network;
    if is_same && said.get("enable_snat").is_none() && !noted["enable_snat"].is_null() {
        said["enable_snat"] = noted["enable_snat"].clone();
    }
    Some(said)
}
