//! A client, for as long as it answers.
//!
//! The crate tells of a connection that is lost and of a session that has expired. A request that is not answered while the
//! connection lives waits for ever there: a member of an ensemble may forget one while it loses its leader. No request takes
//! longer than a session lasts, so what is not answered for several times as long is taken for lost, and the session with it.

use std::ops::Deref;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use zookeeper_client::{Client, Error};

/// How many times as long as a session lasts an answer may take. A lost connection is noticed, and lost for good, in less than
/// two.
const PATIENCE: u32 = 3;

/// A client until its session is over, or given up.
pub(super) struct Link {
    client: Client,
    is_given_up: watch::Sender<bool>,
}

impl Deref for Link {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Link {
    pub(super) fn new(client: Client) -> Self {
        Self { client, is_given_up: watch::Sender::new(false) }
    }

    /// Whether it answers nothing any more.
    pub(super) fn is_over(&self) -> bool {
        *self.is_given_up.borrow() || self.client.state().is_terminated()
    }

    /// Returns when the session is given up.
    pub(super) async fn given_up(&self) {
        // The sender is there for as long as this is.
        let _ = self.is_given_up.subscribe().wait_for(|is_given_up| *is_given_up).await;
    }

    /// What is answered; none if nothing is, by then or to somebody else who asked before: the session is given up, and nobody
    /// knows whether what was asked is done.
    pub(super) async fn answer<T>(&self, asked: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            answer = asked => Some(answer),
            () = self.given_up() => None,
            () = sleep(self.patience()) => {
                self.is_given_up.send_replace(true);
                None
            }
        }
    }

    /// The same for what may fail: then as if the connection was lost.
    pub(super) async fn ask<T>(&self, asked: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        self.answer(asked).await.unwrap_or(Err(Error::ConnectionLoss))
    }

    fn patience(&self) -> Duration {
        self.client.session_timeout() * PATIENCE
    }
}
