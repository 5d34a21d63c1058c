//! Resource providers: Placement's view of hosts. Those of one host form a tree, whose root is the host.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::StreamExt as _;
use futures_util::stream;
use serde_json::{Map, Value};

use crate::version::Version;
use crate::{Fault, Session};

use super::{get, text};

/// The first version in which providers are trees.
const TREES: Version = Version::new(1, 14);

/// The first version in which summaries cover whole trees, with all resource classes and traits.
const WHOLE_TREES: Version = Version::new(1, 29);

/// The number of concurrent requests.
const AT_ONCE: usize = 8;

/// The inventory of a resource class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inventory {
    /// The amount available to servers, without what is reserved for the host itself.
    pub total: i64,
    /// The overcommit ratio.
    pub ratio: f64,
    /// The largest amount for one server.
    pub largest: i64,
    /// The smallest amount for one server.
    pub smallest: i64,
    /// The amount for one server is a multiple of this.
    pub step: i64,
}

impl Inventory {
    /// Creates an inventory of this amount, without overcommitment and limits.
    pub(super) fn plain(total: i64) -> Self {
        Self { total, ratio: 1.0, largest: total, smallest: 1, step: 1 }
    }
}

/// The combined inventory of one host's providers.
#[derive(Clone, Debug, Default)]
pub(super) struct Offer {
    pub(super) has: BTreeMap<String, Inventory>,
    pub(super) used: BTreeMap<String, i64>,
    pub(super) traits: BTreeSet<String>,
}

/// Lists the ids of all providers, by the ids of their roots.
pub(super) async fn trees(session: &Session) -> Result<BTreeMap<String, Vec<String>>, Fault> {
    let providers = session.list(get("placement", "/resource_providers").version(TREES), "resource_providers").await?;
    let mut trees: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for provider in &providers {
        let (root, own) = (text(&provider["root_provider_uuid"]), text(&provider["uuid"]));
        trees.entry(root.to_owned()).or_default().push(own.to_owned());
    }
    Ok(trees)
}

/// Reads the offer of each tree. Placement lists usages and traits of many providers in one response, but reservations
/// and overcommit ratios only for one provider at a time. So each provider costs one request, and two more if the list
/// omits it.
pub(super) async fn offers(session: &Session, trees: &[Vec<String>]) -> Result<Vec<Offer>, Fault> {
    let known = summaries(session).await?;
    let mut offers = vec![Offer::default(); trees.len()];
    let mut asked = Vec::new();
    for (number, id) in trees.iter().enumerate().flat_map(|(number, tree)| tree.iter().map(move |id| (number, id))) {
        asked.push((number, id, "inventories"));
        match known.get(id) {
            Some(summary) => {
                let uses = summary["resources"].as_object().into_iter().flatten();
                let uses = uses.map(|(class, said)| (class.clone(), said["used"].clone())).collect();
                offers[number].add("usages", &Value::Object(uses));
                offers[number].add("traits", &summary["traits"]);
            }
            None => asked.extend(["usages", "traits"].map(|what| (number, id, what))),
        }
    }
    let calls = asked.into_iter().map(|(number, id, what)| async move {
        let call = get("placement", format!("/resource_providers/{id}/{what}")).version(TREES);
        Ok((number, what, session.call(call).await?))
    });
    let mut answers = stream::iter(calls).buffered(AT_ONCE);
    while let Some(answer) = answers.next().await {
        let (number, what, answer) = answer?;
        offers[number].add(what, &answer[what]);
    }
    Ok(offers)
}

/// Reads the usages and traits of providers, by id, in all trees in which a server still finds memory. Empty if
/// Placement is too old for that.
async fn summaries(session: &Session) -> Result<Map<String, Value>, Fault> {
    let call = get("placement", "/allocation_candidates?resources=MEMORY_MB:1").version(WHOLE_TREES);
    match session.call(call).await {
        Ok(mut answer) => match answer["provider_summaries"].take() {
            Value::Object(summaries) => Ok(summaries),
            _ => Ok(Map::new()),
        },
        Err(Fault::Version { .. }) => Ok(Map::new()),
        Err(fault) => Err(fault),
    }
}

impl Offer {
    fn add(&mut self, what: &str, said: &Value) {
        match what {
            "traits" => self.traits.extend(said.as_array().into_iter().flatten().map(|one| text(one).to_owned())),
            "usages" => {
                for (class, used) in said.as_object().into_iter().flatten() {
                    *self.used.entry(class.clone()).or_default() += used.as_i64().unwrap_or(0);
                }
            }
            _ => {
                for (class, inventory) in said.as_object().into_iter().flatten() {
                    let amount = |key: &str| inventory[key].as_i64();
                    let ratio = inventory["allocation_ratio"].as_f64().unwrap_or(1.0);
                    let total = (amount("total").unwrap_or(0) - amount("reserved").unwrap_or(0)).max(0);
                    let (smallest, step) = (amount("min_unit").unwrap_or(1), amount("step_size").unwrap_or(1));
                    // One server gets all of a class from one provider.
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_precision_loss,
                        reason = "no host has that much"
                    )]
                    let capacity = (total as f64 * ratio) as i64;
                    let largest = amount("max_unit").unwrap_or(capacity).min(capacity);
                    let first = Inventory { total: 0, ratio, largest: 0, smallest, step };
                    let all = self.has.entry(class.clone()).or_insert(first);
                    all.total += total;
                    // Where the providers of a host differ, it has the lowest ratio, and gives one server what any of
                    // them gives.
                    all.ratio = all.ratio.min(ratio);
                    all.largest = all.largest.max(largest);
                    (all.smallest, all.step) = (all.smallest.min(smallest), all.step.min(step));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_server_gets_what_one_provider_gives() {
        let inventory = |total: i64, most: i64, step: i64| json!({ "total": total, "reserved": 0, "allocation_ratio": 2.0, "min_unit": step, "max_unit": most, "step_size": step });
        let mut offer = Offer::default();
        offer.add("inventories", &json!({ "VCPU": inventory(16, 16, 1), "VGPU": inventory(4, 8, 2) }));
        offer.add("inventories", &json!({ "VGPU": inventory(6, 3, 1) }));
        let of = |class: &str| offer.has[class];
        assert_eq!(of("VCPU"), Inventory { total: 16, ratio: 2.0, largest: 16, smallest: 1, step: 1 });
        assert_eq!(of("VGPU"), Inventory { total: 10, ratio: 2.0, largest: 8, smallest: 1, step: 1 });
        let mut old = Offer::default();
        old.add("inventories", &json!({ "VCPU": { "total": 4, "reserved": 1 } }));
        assert_eq!(old.has["VCPU"], Inventory::plain(3));
    }
}
