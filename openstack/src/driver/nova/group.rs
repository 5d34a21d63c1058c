//! Server groups. Their name is the only field that can carry a mark.

use std::collections::BTreeSet;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use wattle_converge::Outcome;
use wattle_model::Name;

use super::super::json::{encoded, given, given_text, items, text};
use super::super::mark::{Mark, with, without};
use super::super::stop::Stop;
use super::super::work::{Collection, Work, delete, get, post};
use super::super::{Driver, Found, Lists, Made, State, cannot_be_released};
use crate::version::Version;

/// The first version in which groups have a single policy, with rules.
const RULES: Version = Version::new(2, 64);

/// The first version with soft policies.
const SOFT: Version = Version::new(2, 15);

static GROUPS: Collection =
    Collection { service: "compute", path: "/os-server-groups", key: "server_groups", version: None };

/// Server groups.
#[derive(Debug)]
pub(super) struct Groups;

fn seen(item: &Value, marks: &Mark) -> Found {
    Found::new(marks.row_in(text(item, "name")), text(item, "id"), item.clone())
}

#[async_trait]
impl Driver for Groups {
    fn collections(&self) -> Vec<&'static Collection> {
        vec![&GROUPS]
    }

    fn found(&self, lists: &Lists, marks: &Mark) -> Vec<Found> {
        lists.of(&GROUPS).iter().map(|item| seen(item, marks)).collect()
    }

    fn state(&self, _: &Found) -> State {
        State::Ready
    }

    fn attributes(&self, _: &Found) -> Map<String, Value> {
        Map::new()
    }

    async fn differs(&self, _: &Work<'_>, found: &Found, properties: &Value) -> Result<Option<String>, Stop> {
        let name = without(text(&found.item, "name"));
        if let Some(wanted) = given_text(properties, "name").filter(|wanted| *wanted != name) {
            return Ok(Some(super::super::json::differs("name", &wanted.into(), &name.into())));
        }
        let current = found.item.get("policies").map_or(&found.item["policy"], |policies| &policies[0]);
        let wanted = given(properties, "policies").and_then(|policies| policies.get(0));
        let wanted = wanted.filter(|wanted| *wanted != current);
        Ok(wanted.map(|wanted| super::super::json::differs("policies", wanted, current)))
    }

    async fn look(&self, work: &Work<'_>, _: Option<&Value>) -> Result<Option<Found>, Stop> {
        let all = work.listed(GROUPS.call(), GROUPS.key).await?;
        Ok(all.iter().map(|item| seen(item, work.marks)).find(|found| found.row == work.marks.row(&work.mark)))
    }

    async fn get(&self, work: &Work<'_>, phys: &str) -> Result<Option<Found>, Stop> {
        let path = format!("/os-server-groups/{}", encoded(phys));
        Ok(work.read(get("compute", path), "server_group").await?.map(|item| seen(&item, work.marks)))
    }

    async fn make(&self, work: &Work<'_>, properties: &Value) -> Result<Made, Stop> {
        let name = with(given_text(properties, "name").unwrap_or(&work.name), &work.mark);
        let policy = given(properties, "policies").and_then(|policies| items(policies).first());
        let policy = policy.cloned().unwrap_or_else(|| "anti-affinity".into());
        let rules = given(properties, "rules").filter(|rules| **rules != json!({}));
        // All clouds understand the older form.
        let (body, version) = match rules {
            Some(rules) => {
                let mut rules = rules.clone();
                rules.as_object_mut().into_iter().for_each(|rules| rules.retain(|_, rule| !rule.is_null()));
                (json!({ "name": name, "policy": policy, "rules": rules }), RULES)
            }
            None => (json!({ "name": name, "policies": [policy] }), SOFT),
        };
        let answer = work.make(post("compute", "/os-server-groups", "server_group", body).version(version)).await?;
        Ok(Made::Thing(seen(&answer["server_group"], work.marks)))
    }

    async fn update(&self, work: &Work<'_>, found: Found, properties: &Value) -> Result<Outcome, Stop> {
        match self.differs(work, &found, properties).await? {
            Some(how) => Err(Stop::refused(format!("{how}, which cannot be changed in place"))),
            None => Ok(self.outcome(&found)),
        }
    }

    async fn release(&self, _: &Work<'_>, _: Found, exclusive: &BTreeSet<Name>) -> Result<Outcome, Stop> {
        Err(cannot_be_released(exclusive))
    }

    async fn delete(&self, work: &Work<'_>, phys: &str) -> Result<Outcome, Stop> {
        let gone = work.remove(delete("compute", format!("/os-server-groups/{}", encoded(phys)))).await?;
        Ok(if gone.is_some() { Outcome::Done(None) } else { Outcome::Absent })
    }
}
