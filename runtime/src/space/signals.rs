//! The signals of servers, each in a node of its own below the place of the server's agent.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use wattle::model::Name;

use crate::store::{Access, Op, StoreError};

use super::{ServerPlan, Signal, Signalled, Signals, Space, SpaceError, State, Sure, places};

/// The maximum number of concurrent requests.
const AT_ONCE: usize = 64;

/// The signals of all servers for one handle.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// The valid signals.
    pub signals: Vec<Signal>,
    /// Invalid contents in the place of a server's signals: the server, and the reason.
    pub odd: Vec<(Name, String)>,
}

impl Space {
    /// Replaces the `signals` of `server`. The caller must be `sure` that it acts for the server. `access` holds the
    /// rights of the node.
    ///
    /// # Errors
    /// [`SpaceError::Unsure`] if it is not, [`StoreError::Missing`] if the model has no such server,
    /// [`StoreError::Denied`].
    pub async fn set_signals(
        &self,
        server: &str,
        signals: &Signals,
        access: &Access,
        sure: Sure<'_>,
    ) -> Result<(), SpaceError> {
        let path = self.layout.signals(&self.place(server).await?);
        let data = self.signed(&path, signals.to_bytes());
        if !sure() {
            return Err(SpaceError::Unsure);
        }
        let mut ops = vec![Op::Create { path: path.clone(), data: data.clone(), access: access.clone() }];
        match self.store.set(&path, &data, None).await {
            Ok(_) => return Ok(()),
            Err(StoreError::Missing { .. }) => {}
            // A previous agent of the server has created it.
            Err(StoreError::Denied { .. }) => ops.insert(0, Op::Delete { path }),
            Err(error) => return Err(error.into()),
        }
        Ok(self.store.apply(ops).await?)
    }

    /// The signals of `server`. `None` if it never sent any.
    ///
    /// # Errors
    /// They cannot be read, are too long, or are not signed by their server.
    pub async fn signals(&self, server: &str) -> Result<Option<Signals>, SpaceError> {
        self.signals_in(&self.place(server).await?).await
    }

    /// Reads the signals of the server that has this `place`.
    async fn signals_in(&self, place: &str) -> Result<Option<Signals>, SpaceError> {
        let path = self.layout.signals(place);
        let Some(node) = self.verified(&path, self.get(&path).await?).await? else { return Ok(None) };
        let odd = || SpaceError::Malformed { path, reason: "these are not signals, or too many".to_owned() };
        Signals::parse(&node.data).ok_or_else(odd).map(Some)
    }

    /// Reads the signals of all servers for `handle`. A recipe's failure is ignored if the recipe will run again for
    /// the present plan of its server, because it then sends signals again.
    ///
    /// # Errors
    /// The signals cannot be read. Problems with a single server are reported for that server.
    pub async fn signalled(&self, handle: &str) -> Result<Said, SpaceError> {
        let places = places::newest(&self.store.children(&self.layout.agents()).await?);
        let read = places.into_iter().map(|(server, place)| async move {
            let said = self.signalled_by(&server, &place, handle).await;
            Ok::<_, SpaceError>((server, said))
        });
        let all: Vec<_> = stream::iter(read).buffered(AT_ONCE).try_collect().await?;
        let mut said = Said::default();
        for (server, one) in all {
            match one {
                Ok(signals) => said.signals.extend(signals),
                Err(
                    error @ (SpaceError::Malformed { .. }
                    | SpaceError::Untrusted { .. }
                    | SpaceError::Store(StoreError::Denied { .. })),
                ) => said.odd.push((server, error.to_string())),
                Err(error) => return Err(error),
            }
        }
        Ok(said)
    }

    async fn signalled_by(&self, server: &str, place: &str, handle: &str) -> Result<Vec<Signal>, SpaceError> {
        // Most servers have never sent a signal.
        if self.store.get(&self.layout.signals(place)).await?.is_none() {
            return Ok(Vec::new());
        }
        let plan = self.plan(server).await?;
        let Some(mut signals) = self.signals_in(place).await? else { return Ok(Vec::new()) };
        let mut counted = Vec::new();
        for signal in signals.handles.shift_remove(handle).unwrap_or_default() {
            let is_over = signal.status == Signalled::Failure
                && match &plan {
                    Some(plan) => self.runs_again(server, plan, &signal).await?,
                    None => false,
                };
            counted.extend((!is_over).then_some(signal));
        }
        Ok(counted)
    }

    /// Whether the recipe that sent the signal runs again, or may do so.
    async fn runs_again(&self, server: &str, plan: &ServerPlan, signal: &Signal) -> Result<bool, SpaceError> {
        let Some(component) = signal.component.as_ref().filter(|_| signal.plan < plan.revision) else {
            return Ok(false);
        };
        if !plan.components.contains_key(component) {
            return Ok(true);
        }
        let status = match self.status(&format!("{server}/{component}")).await {
            Ok(status) => status.filter(|status| status.of() >= plan.of()),
            Err(SpaceError::Malformed { .. } | SpaceError::Untrusted { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok(!status.is_some_and(|status| matches!(status.state, State::Done | State::Failed(_))))
    }
}
