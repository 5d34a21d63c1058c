//! Looks at the data space for as long as there is a viewer.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, oneshot, watch};
use wattle::model::{IndexMap, Name};

use crate::clock;
use crate::deploy::Onlooker;
use crate::report::{self, Building, Exported, StackSnapshot, Tally};
use crate::space::{Content, DesiredRevision, Space, SpaceError, Written};

use super::Shown;
use super::view::View;

/// The shortest pause between two looks.
const PAUSE: Duration = Duration::from_millis(300);
/// How much longer the pause after a successful look is than the look itself, so that looking is not what keeps a data
/// space busy.
const RATIO: u32 = 4;
/// The pause until exports are read again if some are not known.
const AGAIN: Duration = Duration::from_secs(10);
/// How long a data space may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// What was seen last, for everyone who looks.
#[derive(Debug)]
pub(super) struct Looks {
    views: watch::Sender<Arc<View>>,
    wanted: Notify,
}

impl Looks {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { views: watch::Sender::new(Arc::default()), wanted: Notify::new() })
    }

    /// What is seen from now on. As long as the result lives, there is a viewer.
    pub(super) fn look(&self) -> watch::Receiver<Arc<View>> {
        let mut views = self.views.subscribe();
        views.mark_unchanged();
        self.wanted.notify_one();
        views
    }

    /// What was seen last.
    pub(super) fn last(&self) -> Arc<View> {
        Arc::clone(&self.views.borrow())
    }
}

/// Looks while there is a viewer, and once more when it is `over`, so that what is seen last is the final state.
pub(super) async fn watch(shown: Shown, looks: Arc<Looks>, mut over: oneshot::Receiver<()>) {
    let Shown { space, opens, .. } = shown;
    let mut seen = Seen::of(Onlooker::new(space.store(), space.layout().stack(), opens));
    let mut is_last = false;
    loop {
        if !is_last && looks.views.receiver_count() == 0 {
            tokio::select! {
                _ = &mut over => return,
                () = looks.wanted.notified() => {}
            }
        }
        let begin = Instant::now();
        let mut pause = PAUSE;
        let view = match tokio::time::timeout(PATIENCE, seen.look(&space)).await {
            Ok(Ok(view)) => {
                pause = PAUSE.max(begin.elapsed() * RATIO);
                view
            }
            Ok(Err(error)) => looks.last().in_trouble(&error.to_string()),
            Err(_) => looks.last().in_trouble(&format!("it has not answered for {} s", PATIENCE.as_secs())),
        };
        looks.views.send_replace(Arc::new(view));
        if is_last {
            return;
        }
        tokio::select! {
            _ = &mut over => is_last = true,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// What is not read again as long as it cannot have changed.
struct Seen {
    building: Building,
    snapshot: Option<StackSnapshot>,
    entries: IndexMap<Name, Option<Written>>,
    exports: Vec<(Name, Exported)>,
    /// The state of everything when the exports were read.
    exported: Option<(DesiredRevision, Tally)>,
    /// When that was.
    exported_at: Instant,
    view: View,
}

impl Seen {
    fn of(onlooker: Onlooker) -> Self {
        Self {
            building: Building::new(onlooker),
            snapshot: None,
            entries: IndexMap::default(),
            exports: Vec::new(),
            exported: None,
            exported_at: Instant::now(),
            view: View::default(),
        }
    }

    async fn look(&mut self, space: &Space) -> Result<View, SpaceError> {
        let snapshot = StackSnapshot::read(space, self.snapshot.as_ref()).await?;
        let revision = snapshot.of();
        // A revision may have other entries than the one before.
        if self.snapshot.as_ref().is_none_or(|before| before.desired != snapshot.desired) {
            let names = report::entries(space, &snapshot, "").await?;
            let mut before = std::mem::take(&mut self.entries);
            self.entries = names.into_iter().map(|name| (name.clone(), before.swap_remove(&name).flatten())).collect();
        }
        // A value of the current revision no longer changes.
        let may_change = |held: &Option<Written>| match held {
            Some(written) if !matches!(written.content, Content::Failure(_)) => written.of() < revision,
            _ => true,
        };
        let names: Vec<Name> =
            self.entries.iter().filter(|(_, held)| may_change(held)).map(|(name, _)| name.clone()).collect();
        for (name, held) in names.iter().zip(report::contents(space, &snapshot, &names).await?) {
            self.entries.insert(name.clone(), held);
        }
        // Trouble with the infrastructure is no reason not to show the software.
        let built = self.building.look().await.map_err(|error| error.to_string());
        self.look_at_exports(space, &snapshot).await;
        self.view = View::of(&snapshot, &self.entries, &self.exports, built, clock::now(), &self.view);
        self.snapshot = Some(snapshot);
        Ok(self.view.clone())
    }

    /// Reads the exports once nothing remains to be done. Until then, there are none.
    async fn look_at_exports(&mut self, space: &Space, snapshot: &StackSnapshot) {
        let tally = snapshot.tally();
        let state = snapshot.desired.clone().filter(|_| tally.is_over()).map(|desired| (desired, tally));
        let is_whole = self.exports.iter().all(|(_, exported)| *exported != Exported::Unknown);
        let is_fresh = is_whole && !self.exports.is_empty() || self.exported_at.elapsed() < AGAIN;
        if state == self.exported && is_fresh {
            return;
        }
        self.exports = if state.is_some() { report::exports(space, &HashMap::new()).await } else { Vec::new() };
        (self.exported, self.exported_at) = (state, Instant::now());
    }
}
