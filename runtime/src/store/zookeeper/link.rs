//! A client, for as long as it responds.
//!
//! The crate reports lost connections and expired sessions. But it waits forever for a request that gets no response
//! while the connection lives, and a member of an ensemble may forget a request while it loses its leader. No request
//! takes longer than a session lasts. So a request without a response for several times as long counts as lost, and the
//! session with it.

use std::ops::Deref;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use zookeeper_client::{Client, Error};

/// The timeout of a response, as a multiple of a session's duration. A lost connection is noticed, and given up, in
/// less than two.
const PATIENCE: u32 = 3;

/// A client until its session is over or given up.
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

    /// Whether it no longer responds.
    pub(super) fn is_over(&self) -> bool {
        *self.is_given_up.borrow() || self.client.state().is_terminated()
    }

    /// Waits until the session is given up.
    pub(super) async fn given_up(&self) {
        // The sender exists for as long as this value does.
        let _ = self.is_given_up.subscribe().wait_for(|is_given_up| *is_given_up).await;
    }

    /// Waits for the response. `None` if it does not arrive in time, or if that of an earlier request did not: the
    /// session is then given up, and it is unknown whether the request was carried out.
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

    /// Does the same for requests that can fail. A missing response then counts as a lost connection.
    pub(super) async fn ask<T>(&self, asked: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        self.answer(asked).await.unwrap_or(Err(Error::ConnectionLoss))
    }

    fn patience(&self) -> Duration {
        self.client.session_timeout() * PATIENCE
    }
}
