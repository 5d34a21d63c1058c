//! Who carries out what the engine asks for: OpenStack's drivers, and the data space where software is concerned.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use wattle::model::{Name, Value};
use wattle_converge::{Id, Job, Outcome, What};
use wattle_deploy::{RANDOM, made_here};
use wattle_openstack::Session;
use wattle_openstack::driver::{self, Mark, OpenStack};

use crate::deploy::{Cloud, Identity, Rows, Seen};
use crate::report::Picture;
use crate::space::Space;

/// How often it is asked whether a server's software is torn down.
const PAUSE: Duration = Duration::from_secs(2);

/// OpenStack, and the data space of the stack whose servers run there.
pub struct Hands {
    driver: OpenStack,
    /// The types whose services the cloud has.
    kinds: BTreeSet<Name>,
    space: Space,
}

impl std::fmt::Debug for Hands {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hands").field("mark", self.driver.mark()).finish_non_exhaustive()
    }
}

impl Hands {
    /// Those of the deployment of this identity.
    pub async fn new(session: Arc<Session>, identity: &Identity, space: Space) -> Self {
        let mut kinds = BTreeSet::new();
        for kind in driver::kinds() {
            if session.url(kind.service).await.is_ok() {
                kinds.insert(kind.name.into());
            }
        }
        Self { driver: OpenStack::new(session, Mark::new(&identity.mark)), kinds, space }
    }

    /// Whether nothing is to be torn down any more on a server before it is deleted.
    async fn drained(&self, server: &str) -> Outcome {
        // In a nested stack, or a group, its own name comes last.
        let server = server.rsplit('/').next().unwrap_or(server);
        match Picture::read(&self.space, None).await {
            Err(_) => Outcome::Later(PAUSE),
            Ok(picture) => {
                match picture.servers.get(server) {
                    // One that stays in the model goes on elsewhere: nothing is torn down.
                    Some(standing) if standing.plan.as_ref().is_some_and(|plan| plan.retired) => {
                        if standing.tears_down() { Outcome::Later(PAUSE) } else { Outcome::Done(None) }
                    }
                    Some(_) | None => Outcome::Done(None),
                }
            }
        }
    }
}

#[async_trait]
impl Cloud for Hands {
    fn kinds(&self) -> BTreeSet<Name> {
        self.kinds.clone()
    }

    async fn carry_out(&self, job: &Job) -> Outcome {
        match &job.what {
            What::Drain => self.drained(&job.name).await,
            What::Create { properties } | What::Update { properties } if &*job.kind == RANDOM => {
                let why = || Outcome::Refused("it has no value".into());
                made_here(&job.kind, properties).map_or_else(why, |thing| Outcome::Done(Some(thing)))
            }
            // It is nowhere but in the facts.
            What::Look if &*job.kind == RANDOM => Outcome::Absent,
            _ if &*job.kind == RANDOM => Outcome::Done(None),
            _ => self.driver.carry_out(job).await,
        }
    }

    async fn list(&self, kinds: &BTreeSet<Name>, rows: &Rows) -> Result<Vec<Seen>, String> {
        let seen = self.driver.list(kinds, &Known(rows)).await.map_err(|fault| fault.to_string())?;
        Ok(seen.into_iter().map(|seen| Seen { row: seen.row, kind: seen.kind, sight: seen.sight }).collect())
    }
}

/// What the engine knows of rows, for the drivers.
struct Known<'a>(&'a Rows);

impl driver::Rows for Known<'_> {
    fn expected(&self, row: Id) -> Option<&Value> {
        self.0.expected.get(&row)
    }

    fn row_of(&self, kind: &str, phys: &str) -> Option<Id> {
        self.0.by_phys.get(&(kind.into(), phys.into())).copied()
    }
}
