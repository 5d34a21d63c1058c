//! The wanted values of keys that a template does not give, or gives only in part.
//!
//! A property that is not given has its default, if that is the same in every cloud. Otherwise it has its value after
//! the last action on the thing, unless the template gave it until now: then [`left`](super::left) determines the
//! value. Changes that a cloud makes by itself do not count as differences.

use serde_json::Value;

use super::super::json::{agrees, given, items, text};
use super::super::stop::Stop;
use super::super::work::Work;
use super::{Column, Form, Plain};

/// The wanted value of a key.
pub(super) struct Asked<'p> {
    pub(super) column: &'p Column,
    pub(super) wanted: Value,
    /// Whether the template does not give it.
    pub(super) is_unsaid: bool,
}

impl Plain {
    /// The wanted values of a thing's keys, as far as they are known.
    pub(super) async fn asked(
        &self,
        work: &Work<'_>,
        item: &Value,
        properties: &Value,
    ) -> Result<Vec<Asked<'_>>, Stop> {
        let mut asked = Vec::new();
        for column in self.columns {
            // A service does not show every key to every user.
            if item.get(column.key).is_none() {
                continue;
            }
            let said = column.wanted(work, properties).await?;
            let is_unsaid = said.is_none();
            let is_said_otherwise = self.is_said_otherwise(column, properties);
            let left =
                if is_unsaid && !is_said_otherwise { self.left(work, column, item, properties).await? } else { None };
            let keeps = is_unsaid && (is_said_otherwise || left.is_none() && self.quirk.keeps(column.key, item));
            let default = column.default.map(|text| serde_json::from_str(text).expect("INVARIANT: defaults are JSON"));
            let default = left.or(default);
            let noted =
                if column.changes && column.form != Form::NoAddress { self.noted(work, column.key) } else { None };
            let wanted = match (said, default) {
                (None, _) if keeps => None,
                (None, Some(default)) => Some(default),
                (said, _) => in_full(work, column.key, said, noted, item),
            };
            asked.extend(wanted.map(|wanted| Asked { column, wanted, is_unsaid }));
        }
        Ok(asked)
    }

    /// Whether a thing still has the value that the cloud chose.
    pub(super) fn is_as_given(&self, work: &Work<'_>, asked: &Asked<'_>, current: &Value) -> bool {
        asked.is_unsaid && self.noted(work, asked.column.key).is_some_and(|noted| asked.column.agrees(&noted, current))
    }

    /// The value of a key after the last action on the thing.
    pub(super) fn noted(&self, work: &Work<'_>, key: &str) -> Option<Value> {
        let (attribute, _) = self.attributes.iter().find(|(_, known)| *known == key)?;
        work.noted(attribute)
    }

    /// Whether another property determines the key of `column`.
    fn is_said_otherwise(&self, column: &Column, properties: &Value) -> bool {
        let is_said = |other: &&Column| given(properties, other.property).is_some_and(|value| *value != false);
        let others = self.columns.iter().filter(|other| other.key == column.key && other.property != column.property);
        others.filter(is_said).count() > 0
    }
}

/// The wanted value of a key given as `said`, completed with the other values after the last action on the thing.
fn in_full(work: &Work<'_>, key: &str, said: Option<Value>, noted: Option<Value>, item: &Value) -> Option<Value> {
    let said = if key == "allowed_address_pairs" { said.map(|said| pairs(said, item)) } else { said };
    if key == "external_gateway_info" && work.has_left("external_gateway_info.enable_snat") {
        return said.map(|said| translated(said, item));
    }
    let is_of_it = |noted: &Value| said.as_ref().is_none_or(|said| agrees(said, noted));
    let Some(noted) = noted.filter(is_of_it) else { return said };
    let current = &item[key];
    match key {
        "fixed_ips" => addresses(said, noted, current),
        "external_gateway_info" => gateway(said, &noted, current),
        _ => said.or(Some(noted)),
    }
}

/// The addresses that a port was given, unless it has lost one of them or gained an IPv4 address. Neutron adds the IPv6
/// addresses that hosts assign themselves, and some ports get no address before a host is chosen for them.
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

/// Address pairs in Neutron's form: one without a MAC address has the port's.
fn pairs(mut said: Value, item: &Value) -> Value {
    if items(&item["allowed_address_pairs"]).iter().any(|pair| pair["mac_address"].is_null()) {
        // This service does not show it.
        return said;
    }
    for pair in said.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        if pair.get("mac_address").is_none_or(Value::is_null) && !item["mac_address"].is_null() {
            pair.insert("mac_address".into(), item["mac_address"].clone());
        }
    }
    said
}

/// The wanted gateway when the template no longer says whether addresses are translated: they are, unless a service
/// does not show that.
fn translated(mut said: Value, item: &Value) -> Value {
    if said.get("enable_snat").is_none() && !item["external_gateway_info"]["enable_snat"].is_null() {
        said["enable_snat"] = true.into();
    }
    said
}

/// A gateway that is still on the same network keeps its setting for address translation. Only users with that right may set it.
fn gateway(said: Option<Value>, noted: &Value, current: &Value) -> Option<Value> {
    let mut said = said?;
    let network = &noted["network_id"];
    let is_same = said["network_id"] == *network && current["network_id"] == *network;
    if is_same && said.get("enable_snat").is_none() && !noted["enable_snat"].is_null() {
        said["enable_snat"] = noted["enable_snat"].clone();
    }
    Some(said)
}
