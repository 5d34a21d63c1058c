//! Rules of security groups.
//!
//! As in Heat, a group has the given rules. It also keeps Neutron's two rules that allow all outgoing traffic, unless
//! one of the given rules is for outgoing traffic.

use serde_json::{Map, Value, json};

use super::super::find::Sort;
use super::super::json::{agrees, given, given_text, items, text};
use super::super::stop::Stop;
use super::super::work::{Work, delete, get, post};
use crate::Fault;

/// The keys that determine what a rule does.
const KEYS: [&str; 7] =
    ["direction", "ethertype", "protocol", "port_range_min", "port_range_max", "remote_ip_prefix", "remote_group_id"];

/// Reconciles a group with the rules of its template: creates the missing ones, and deletes the superfluous ones.
pub(super) async fn reconcile(work: &Work<'_>, item: &mut Value, properties: &Value) -> Result<(), Stop> {
    if is_as_given(work, item, properties) {
        return Ok(());
    }
    let group = text(item, "id").to_owned();
    let wanted = wanted(work, &group, properties).await?;
    let current = items(&item["security_group_rules"]);
    let (missing, stale) = compared(&wanted, current);
    if missing.is_empty() && stale.is_empty() {
        return Ok(());
    }
    // Neutron does not allow two rules with the same effect, so a rule that differs only in its description is deleted first.
    let (first, last): (Vec<&Value>, Vec<&Value>) =
        stale.into_iter().partition(|stale| missing.iter().any(|missing| does_the_same(missing, stale)));
    for rule in first {
        remove(work, rule).await?;
    }
    if !missing.is_empty() {
        let rules: Vec<Value> = missing.into_iter().cloned().collect();
        match work.ask(post("network", "/security-group-rules", "security_group_rules", rules.into())).await {
            // An earlier request created them, which the next read will show.
            Err(Fault::Refused { status: 409, message, .. }) if message.contains("already exists") => {
                return Err(Stop::later());
            }
            answer => drop(answer?),
        }
    }
    for rule in last {
        remove(work, rule).await?;
    }
    let path = format!("/security-groups/{group}");
    if let Some(read) = work.read(get("network", path), "security_group").await? {
        *item = read;
    }
    Ok(())
}

async fn remove(work: &Work<'_>, rule: &Value) -> Result<(), Stop> {
    work.remove(delete("network", format!("/security-group-rules/{}", text(rule, "id")))).await?;
    Ok(())
}

/// How the rules of a group differ from the given ones.
pub(super) async fn differs(work: &Work<'_>, item: &Value, properties: &Value) -> Result<Option<String>, Stop> {
    if is_as_given(work, item, properties) {
        return Ok(None);
    }
    let wanted = wanted(work, text(item, "id"), properties).await?;
    let (missing, stale) = compared(&wanted, items(&item["security_group_rules"]));
    let several = |rules: &[&Value]| match rules {
        [one] => format!("one: {}", shown(one)),
        several => several.len().to_string(),
    };
    Ok(match (missing.as_slice(), stale.as_slice()) {
        ([], []) => None,
        (missing, []) => Some(format!("`rules` lacks {}", several(missing))),
        ([], stale) => Some(format!("`rules` also has {}", several(stale))),
        (missing, stale) => Some(format!("`rules` lacks {}, and also has {}", several(missing), several(stale))),
    })
}

/// The attribute in which the rules of a group are recorded.
pub(in crate::driver) const NOTED: &str = "rules";

/// The maximum number of recorded rules. A cloud gives a group only a few; those of a template are in the template.
const MOST_NOTED: usize = 8;

/// The rules of a group in recorded form, if they are few.
pub(super) fn noted(item: &Value) -> Option<Value> {
    let mut rules: Vec<String> = items(&item["security_group_rules"]).iter().map(shown).collect();
    rules.sort_unstable();
    (rules.len() <= MOST_NOTED).then(|| rules.into())
}

/// Whether a group that is given no rules still has the cloud's default rules, which the administrators choose.
fn is_as_given(work: &Work<'_>, item: &Value, properties: &Value) -> bool {
    let is_said = given(properties, "rules").is_some() || work.has_left("rules");
    !is_said && work.noted(NOTED).is_some_and(|noted| Some(noted) == self::noted(item))
}

fn shown(rule: &Value) -> String {
    let said = KEYS.iter().map(|key| &rule[key]).filter(|value| !value.is_null());
    said.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect::<Vec<_>>().join(" ")
}

/// The rules of `wanted` that are missing, and those of `current` that are superfluous.
fn compared<'v>(wanted: &'v [Value], current: &'v [Value]) -> (Vec<&'v Value>, Vec<&'v Value>) {
    let is =
        |one: &Value, other: &Value| does_the_same(one, other) && agrees(&one["description"], &other["description"]);
    let missing = wanted.iter().filter(|wanted| !current.iter().any(|current| is(wanted, current))).collect();
    let stale = current.iter().filter(|current| !wanted.iter().any(|wanted| is(wanted, current))).collect();
    (missing, stale)
}

fn does_the_same(one: &Value, other: &Value) -> bool {
    KEYS.iter().all(|key| match *key {
        "protocol" => protocol(&one[key]) == protocol(&other[key]),
        key => agrees(&one[key], &other[key]),
    })
}

/// Normalizes the name of a protocol.
fn protocol(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.to_lowercase(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let known = [("1", "icmp"), ("6", "tcp"), ("17", "udp"), ("icmpv6", "ipv6-icmp"), ("58", "ipv6-icmp")];
    let known = known.iter().find(|(other, _)| *other == text).map(|(_, name)| (*name).to_owned());
    match text.as_str() {
        "" | "any" | "-1" => None,
        _ => Some(known.unwrap_or(text)),
    }
}

/// The wanted rules of a group, in Neutron's form.
async fn wanted(work: &Work<'_>, group: &str, properties: &Value) -> Result<Vec<Value>, Stop> {
    let mut rules = Vec::new();
    for rule in given(properties, "rules").map(items).unwrap_or_default() {
        let wanted = formatted(work, group, rule).await?;
        if !rules.contains(&wanted) {
            rules.push(wanted);
        }
    }
    if !rules.iter().any(|rule: &Value| rule["direction"] == "egress") {
        rules.extend(
            ["IPv4", "IPv6"]
                .map(|ethertype| json!({ "security_group_id": group, "direction": "egress", "ethertype": ethertype })),
        );
    }
    Ok(rules)
}

async fn formatted(work: &Work<'_>, group: &str, rule: &Value) -> Result<Value, Stop> {
    let mut body = Map::new();
    body.insert("security_group_id".into(), group.into());
    body.insert("direction".into(), given(rule, "direction").cloned().unwrap_or_else(|| "ingress".into()));
    body.insert("ethertype".into(), given(rule, "ethertype").cloned().unwrap_or_else(|| "IPv4".into()));
    for key in ["protocol", "port_range_min", "port_range_max", "description"] {
        if let Some(value) = given(rule, key).filter(|value| **value != "") {
            body.insert(key.into(), value.clone());
        }
    }
    if text(rule, "remote_mode") == "remote_group_id" {
        let remote = match given_text(rule, "remote_group_id") {
            Some(remote) => work.find(Sort::Group, remote).await?,
            None => group.to_owned(),
        };
        body.insert("remote_group_id".into(), remote.into());
    } else if let Some(prefix) = given_text(rule, "remote_ip_prefix") {
        body.insert("remote_ip_prefix".into(), prefix.into());
    }
    Ok(body.into())
}
