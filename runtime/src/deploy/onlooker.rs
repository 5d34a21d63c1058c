//! Repeatedly observes a stack's infrastructure, without reading again what has not changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use futures_util::try_join;
use serde::de::DeserializeOwned;
use wattle::model::Name;
use wattle_converge::{Id, Row};

use crate::space::OperatorKey;
use crate::store::{Store, StoreError};

use super::facts::{Changes, DesiredState, Good, Report, Wish};
use super::heat::{self, MadeByHeat, Noted};
use super::keeper::{AT_ONCE, get};
use super::place::Place;
use super::shelf::Shelf;
use super::{DeployError, Maker, Planned, Through, own};

/// The known state of a stack's infrastructure.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The stack.
    pub stack: Name,
    /// What deploys it.
    pub through: Through,
    /// The number of the desired state; 0 if there is none yet.
    pub number: u64,
    /// The planned resources; `None` if unknown.
    pub planned: Option<Vec<Planned>>,
    /// The rows, oldest first.
    pub rows: Vec<Row>,
    /// Whether everything that was requested has existed at some time.
    pub is_reached: bool,
    /// Whether all work for the last request has ended.
    pub is_settled: bool,
    /// Whether a process is leading.
    pub is_led: bool,
    /// The differences from the request, as texts.
    pub roots: Vec<String>,
    /// The servers created by Heat.
    pub servers: BTreeMap<Name, MadeByHeat>,
}

/// Observes a stack's infrastructure.
#[derive(Debug)]
pub struct Onlooker {
    store: Arc<dyn Store>,
    stack: String,
    /// The key that decrypts targets, and their reader.
    opens: Option<(OperatorKey, Arc<dyn Maker>)>,
    facts: Option<Facts>,
    rows: BTreeMap<Id, Row>,
    /// The name of the last target that was read, and its planned resources.
    planned: Option<(String, Option<Vec<Planned>>)>,
    known: Option<Arc<Known>>,
}

/// The data read each time: a constant number of nodes, whatever the number of resources.
#[derive(Clone, Debug, Default, PartialEq)]
struct Facts {
    wish: Option<Wish>,
    desired: Option<DesiredState>,
    good: Vec<Good>,
    report: Option<Report>,
    heat: Option<Noted>,
    is_led: bool,
    changes: Option<Changes>,
}

impl Onlooker {
    /// Creates an observer of `stack` for the owner of this key, with the reader of targets. Without the key, nothing
    /// is visible.
    pub fn new(store: &Arc<dyn Store>, stack: &str, opens: Option<(OperatorKey, Arc<dyn Maker>)>) -> Self {
        let store = opens.as_ref().map_or_else(|| Arc::clone(store), |(key, _)| own(store, key));
        let stack = stack.to_owned();
        Self { store, stack, opens, facts: None, rows: BTreeMap::new(), planned: None, known: None }
    }

    /// Returns its state; `None` if nothing was deployed, or this user may not see it. While nothing changes, returns
    /// the same value.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn look(&mut self) -> Result<Option<Arc<Known>>, DeployError> {
        if self.opens.is_none() {
            return Ok(None);
        }
        match self.look_as_operator().await {
            Err(DeployError::Store(StoreError::Denied { .. })) => Ok(None),
            looked => looked,
        }
    }

    async fn look_as_operator(&mut self) -> Result<Option<Arc<Known>>, DeployError> {
        let facts = self.facts().await?;
        // Without a node that lists the written rows, any may have been written.
        let is_same = self.facts.as_ref() == Some(&facts) && (facts.changes.is_some() || facts.heat.is_some());
        if is_same && self.known.is_some() {
            return Ok(self.known.clone());
        }
        if facts.wish.is_none() && facts.heat.is_none() {
            (self.facts, self.known) = (None, None);
            return Ok(None);
        }
        self.refresh(&facts).await?;
        let target = facts.desired.as_ref().and_then(|desired| desired.asked.target.clone());
        let planned = match (&facts.heat, &facts.desired, target) {
            (None, Some(_), Some(target)) => self.planned(&target).await?,
            // Nothing should be left.
            (None, Some(_), None) => Some(Vec::new()),
            _ => None,
        };
        let known = Arc::new(known(&self.stack, &facts, planned, self.rows.values().cloned().collect()));
        (self.facts, self.known) = (Some(facts), Some(Arc::clone(&known)));
        Ok(Some(known))
    }

    async fn facts(&self) -> Result<Facts, DeployError> {
        let (store, place) = (&self.store, Place::new(&self.stack));
        let leader = place.leader();
        let leads = async { Ok(store.get(&leader).await?.is_some()) };
        // Read the list of written rows first: rows read later may be newer, and are then read once more.
        let changes = self.held(place.changes()).await?;
        let (wish, desired, good, report, heat, is_led) = try_join!(
            self.held(place.wish()),
            self.held(place.desired_state()),
            self.held(place.good()),
            self.held(place.report()),
            heat::noted(store, &self.stack),
            leads,
        )?;
        Ok(Facts { wish, desired, good: good.unwrap_or_default(), report, heat, is_led, changes })
    }

    async fn held<T: DeserializeOwned>(&self, path: String) -> Result<Option<T>, DeployError> {
        Ok(get(&self.store, &self.stack, &path).await?.map(|(held, _)| held))
    }

    /// Reads the rows written since the last time.
    async fn refresh(&mut self, facts: &Facts) -> Result<(), DeployError> {
        let before = self.facts.as_ref().and_then(|facts| facts.changes.as_ref());
        let written = facts.changes.as_ref().zip(before).and_then(|(changes, before)| changes.since(before));
        let place = Place::new(&self.stack);
        let ids: BTreeSet<Id> = if let Some(written) = written {
            written
        } else {
            let names = self.store.children(&place.rows()).await?;
            let there: BTreeSet<Id> = names.iter().filter_map(|name| name.parse().ok()).collect();
            self.rows.retain(|id, _| there.contains(id));
            there
        };
        let read = ids.into_iter().map(|id| {
            let row = self.held(place.row(id));
            async move { Ok::<(Id, Option<Row>), DeployError>((id, row.await?)) }
        });
        let read: Vec<_> = stream::iter(read.collect::<Vec<_>>()).buffered(AT_ONCE).try_collect().await?;
        for (id, row) in read {
            match row {
                Some(row) => self.rows.insert(id, row),
                None => self.rows.remove(&id),
            };
        }
        Ok(())
    }

    /// The planned resources of the target with this name.
    async fn planned(&mut self, target: &str) -> Result<Option<Vec<Planned>>, DeployError> {
        if let Some((known, planned)) = &self.planned
            && known == target
        {
            return Ok(planned.clone());
        }
        let Some((key, maker)) = &self.opens else { return Ok(None) };
        let planned = match Shelf::new(&self.store, &self.stack, key, maker).source(target).await {
            Ok(source) => {
                let maker = Arc::clone(maker);
                // Reading a large template takes time; other tasks continue meanwhile.
                let read = tokio::task::spawn_blocking(move || maker.planned(&source).ok());
                read.await.ok().flatten()
            }
            // It is encrypted for another key, or is being removed.
            Err(DeployError::Sealed { .. }) => None,
            Err(error) => return Err(error),
        };
        self.planned = Some((target.to_owned(), planned.clone()));
        Ok(planned)
    }
}

fn known(stack: &str, facts: &Facts, planned: Option<Vec<Planned>>, rows: Vec<Row>) -> Known {
    let known = Known {
        stack: stack.into(),
        through: Through::Wattle,
        number: facts.desired.as_ref().map_or(0, |desired| desired.generation),
        planned,
        rows,
        is_reached: false,
        is_settled: false,
        is_led: facts.is_led,
        roots: Vec::new(),
        servers: BTreeMap::new(),
    };
    if let Some(Noted { number, is_reached, servers }) = &facts.heat {
        let is_settled = *is_reached;
        let servers = servers.clone();
        return Known {
            through: Through::Heat,
            number: *number,
            is_reached: *is_reached,
            is_settled,
            servers,
            ..known
        };
    }
    let wish = facts.wish.as_ref().map_or(0, |wish| wish.number);
    let is_its = |report: &&Report| report.wish >= wish && report.generation == known.number;
    let report = facts.report.as_ref().filter(is_its);
    Known {
        is_reached: facts.good.iter().any(|good| good.desired.generation == known.number),
        is_settled: report.is_some(),
        roots: report.map(|report| report.roots.clone()).unwrap_or_default(),
        ..known
    }
}
