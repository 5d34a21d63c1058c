//! Resource providers: what Placement knows of hosts. Those of one host are a tree, whose root is the host.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::StreamExt as _;
use futures_util::stream;
use serde_json::{Map, Value};

use crate::version::Version;
use crate::{Fault, Session};

use super::{get, text};

/// The first version in which providers are trees.
const TREES: Version = Version::new(1, 14);

/// The first version in which summaries are of whole trees, with all resource classes and traits.
const WHOLE_TREES: Version = Version::new(1, 29);

/// How many requests are under way at once.
const AT_ONCE: usize = 8;

/// How much of a resource class there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inventory {
    /// The amount for servers, without what is reserved for the host itself.
    pub total: i64,
    /// By how much it is overcommitted.
    pub ratio: f64,
}

/// What the providers of one host offer together.
#[derive(Clone, Debug, Default)]
pub(super) struct Offer {
    pub(super) has: BTreeMap<String, Inventory>,
    pub(super) used: BTreeMap<String, i64>,
    pub(super) traits: BTreeSet<String>,
}

/// The ids of all providers, by the ids of their roots.
pub(super) async fn trees(session: &Session) -> Result<BTreeMap<String, Vec<String>>, Fault> {
    let providers = session.list(get("placement", "/resource_providers").version(TREES), "resource_providers").await?;
    let mut trees: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for provider in &providers {
        let (root, own) = (text(&provider["root_provider_uuid"]), text(&provider["uuid"]));
        trees.entry(root.to_owned()).or_default().push(own.to_owned());
    }
    Ok(trees)
}

/// What the providers of each tree offer. Placement lists uses and traits of many providers in one answer, but how much is
/// reserved and overcommitted only for one provider at a time. So each provider costs one request, and two more if the list
/// leaves it out.
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

/// What is used of providers and which traits they have, by their ids: of all trees in which a server still finds memory. Empty
/// if Placement is too old for that.
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
                    let amount = |key: &str| inventory[key].as_i64().unwrap_or(0);
                    let ratio = inventory["allocation_ratio"].as_f64().unwrap_or(1.0);
                    let all = self.has.entry(class.clone()).or_insert(Inventory { total: 0, ratio });
                    all.total += (amount("total") - amount("reserved")).max(0);
                    // Where the providers of a host differ, it has what the most careful one of them says.
                    all.ratio = all.ratio.min(ratio);
                }
            }
        }
    }
}
