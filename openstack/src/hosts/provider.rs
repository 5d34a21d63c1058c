//! Resource providers: what Placement knows of hosts. Those of one host are a tree, whose root is the host.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::StreamExt as _;
use futures_util::stream;
use serde_json::Value;

use crate::version::Version;
use crate::{Fault, Session};

use super::{get, text};

/// The first version in which providers are trees.
const TREES: Version = Version::new(1, 14);

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

/// What these providers offer.
pub(super) async fn offer(session: &Session, providers: &[String]) -> Result<Offer, Fault> {
    let calls = providers.iter().flat_map(|id| ["inventories", "usages", "traits"].map(|what| (id, what)));
    let asked = calls.map(|(id, what)| async move {
        let call = get("placement", format!("/resource_providers/{id}/{what}")).version(TREES);
        Ok((what, session.call(call).await?))
    });
    let mut answers = stream::iter(asked).buffered(AT_ONCE);
    let mut offer = Offer::default();
    while let Some(answer) = answers.next().await {
        let (what, answer) = answer?;
        offer.add(what, &answer[what]);
    }
    Ok(offer)
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
