//! Carries out the engine's requests, with OpenStack's drivers and the data space.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use wattle::model::Name;
use wattle_converge::{Id, Job, Outcome};
use wattle_openstack::driver::{self, Mark, OpenStack};
use wattle_openstack::{Fault, Session};

use crate::deploy::{Blindness, Cloud, Expected, Identity, Rows, Seen};
use crate::space::Space;

use super::software::Software;

/// OpenStack, and the data space of the stack whose servers run there.
pub struct Hands {
    driver: OpenStack,
    /// The types whose services the cloud has.
    kinds: BTreeSet<Name>,
    software: Software,
}

impl std::fmt::Debug for Hands {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hands").field("mark", self.driver.mark()).finish_non_exhaustive()
    }
}

impl Hands {
    /// Creates a worker for the deployment with this identity.
    pub async fn new(session: Arc<Session>, identity: &Identity, space: Space) -> Self {
        let mut kinds = BTreeSet::new();
        for kind in driver::kinds() {
            if session.url(kind.service).await.is_ok() {
                kinds.insert(kind.name.into());
            }
        }
        Self { driver: OpenStack::new(session, Mark::new(&identity.mark)), kinds, software: Software::new(space) }
    }
}

#[async_trait]
impl Cloud for Hands {
    fn kinds(&self) -> BTreeSet<Name> {
        self.kinds.clone()
    }

    async fn carry_out(&self, job: &Job) -> Outcome {
        match self.software.carry_out(job).await {
            Some(outcome) => outcome,
            None => self.driver.carry_out(job).await,
        }
    }

    async fn list(&self, kinds: &BTreeSet<Name>, rows: &Rows) -> Result<Vec<Seen>, Blindness> {
        let blind = |fault: Fault| Blindness { why: fault.in_full(), is_final: fault.is_locked_out() };
        let seen = self.driver.list(kinds, &Known(rows)).await.map_err(blind)?;
        Ok(seen.into_iter().map(|seen| Seen { row: seen.row, kind: seen.kind, sight: seen.sight }).collect())
    }
}

/// The engine's knowledge of rows, for the drivers.
struct Known<'a>(&'a Rows);

impl driver::Rows for Known<'_> {
    fn expected(&self, row: Id) -> Option<driver::Expected<'_>> {
        let Expected { name, properties, noted } = self.0.expected.get(&row)?;
        Some(driver::Expected { name, properties, noted })
    }

    fn row_of(&self, kind: &str, phys: &str) -> Option<Id> {
        self.0.by_phys.get(&(kind.into(), phys.into())).copied()
    }
}
