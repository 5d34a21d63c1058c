//! Logs of servers, as long as their operator requests them.
//!
//! A request is a part of a server's [`Membership`](super::Membership): the operator signs it, and the server's agent
//! watches that node anyway. So no one else can request a log, and nothing is written or read for logs while there is
//! no request. The response is a node in the place of the server's agent. It is signed like everything that the server
//! publishes, and encrypted for the recipient in the request. It names the request, so a response to another one is
//! ignored.

use serde::{Deserialize, Serialize};
use wattle::model::Name;
use wattle_agent_core::content::ENVELOPE;
use wattle_agent_core::time::Time;

use crate::store::{Access, Op, StoreError, Version};

use super::seal::{decrypt, encrypt};
use super::{Opener, OperatorKey, Revision, SealError, Space, SpaceError, Sure, to_json};

/// The maximum number of concurrent requests to one server.
pub const MOST_ASKS: usize = 4;

/// The maximum size of the node with the responses to all requests, in bytes. Beside it, the place of an agent has room
/// for its signals.
const MOST_BYTES: usize = 12 << 10;

/// The beginning of a response before encryption.
const BEGIN: &[u8] = b"wattle-log/1\n";

/// A request for a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Identifies the requesting command. It is unguessable.
    pub id: String,
    /// The component, as `SERVER/COMPONENT`. `None` for everything that the server's agent logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<Name>,
    /// When the request expires, unless it is renewed.
    pub until: Time,
    /// The recipient for whom the response is encrypted: age's public key.
    pub reader: String,
}

impl Ask {
    /// Creates a request of the operator who has `key` for the log of `component`, or of the server as a whole.
    ///
    /// # Panics
    /// The system has no random numbers.
    pub fn new(component: Option<Name>, key: &OperatorKey, until: Time) -> Self {
        let mut id = [0; 16];
        getrandom::fill(&mut id).expect("INVARIANT: the system has random numbers once it has booted");
        Self { id: wattle_agent_core::hex(&id), component, until, reader: key.recipient() }
    }
}

/// The last lines of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    /// When the agent started. Lines are counted from then on.
    pub since: Time,
    /// The number of lines before these.
    pub before: u64,
    /// The lines.
    pub lines: Vec<String>,
}

/// The contents of the node.
#[derive(Debug, Serialize, Deserialize)]
struct Contents {
    revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    space: Option<Name>,
    /// For each request its `id`, and the encrypted [`Log`].
    answers: Vec<(String, String)>,
}

/// The contents of the place for responses.
#[derive(Debug)]
pub struct Answered {
    /// The version of the node. `None` if there is no node.
    pub version: Option<Version>,
    /// The response to the request. `None` as long as there is none.
    pub log: Result<Option<Log>, SpaceError>,
}

/// The prefix that binds encrypted text to one node and one request.
fn head(path: &str, id: &str) -> Vec<u8> {
    [BEGIN, path.as_bytes(), b"\n", id.as_bytes(), b"\n"].concat()
}

/// Builds the node with the responses to `asks`. `log` is called with a request, and with the number of bytes available
/// for the lines as JSON.
fn answers(
    path: &str,
    of: &Revision,
    asks: &[Ask],
    log: &(dyn Fn(&Ask, usize) -> Log + Sync),
) -> Result<Vec<u8>, SealError> {
    let most = MOST_BYTES - ENVELOPE;
    // In base64, three bytes take four.
    let mut room = most * 3 / 4 / asks.len().max(1);
    loop {
        let seal = |ask: &Ask| -> Result<_, SealError> {
            let text = [head(path, &ask.id), to_json(&log(ask, room))].concat();
            Ok((ask.id.clone(), encrypt(&text, [&*ask.reader])?))
        };
        let answers = asks.iter().map(seal).collect::<Result<_, SealError>>()?;
        let data = to_json(&Contents { revision: of.number, space: of.space.clone(), answers });
        match data.len().checked_sub(most).filter(|excess| *excess > 0 && room > 0) {
            // The size of the surrounding JSON is not constant.
            Some(excess) => room = room.saturating_sub(excess / asks.len().max(1) + 1),
            None => return Ok(data),
        }
    }
}

impl Space {
    /// Replaces the responses of `server` by those to `asks`. The caller must be `sure` that it acts for the server. On
    /// a caller's first response, `begins` holds the rights of the node: an existing one is then replaced, because it
    /// may have other rights.
    ///
    /// # Errors
    /// [`SpaceError::Unsure`] if it is not, [`SpaceError::Malformed`] if the recipient is invalid,
    /// [`StoreError::Missing`] if the model has no such server, [`StoreError::Denied`].
    pub async fn answer(
        &self,
        (server, of): (&str, &Revision),
        asks: &[Ask],
        log: &(dyn Fn(&Ask, usize) -> Log + Sync),
        begins: Option<&Access>,
        sure: Sure<'_>,
    ) -> Result<(), SpaceError> {
        let path = self.layout().log(&self.place(server).await?);
        let odd = |error: SealError| SpaceError::Malformed { path: path.clone(), reason: error.to_string() };
        let data = self.signed(&path, answers(&path, of, asks, log).map_err(odd)?);
        if !sure() {
            return Err(SpaceError::Unsure);
        }
        let Some(access) = begins else {
            self.store().set(&path, &data, None).await?;
            return Ok(());
        };
        let create = Op::Create { path: path.clone(), data, access: access.clone() };
        match self.store().apply(vec![create.clone()]).await {
            Err(StoreError::Exists { .. }) => Ok(self.store().apply(vec![Op::Delete { path }, create]).await?),
            created => Ok(created?),
        }
    }

    /// Removes the responses of `server`.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there are none, [`StoreError::Denied`].
    pub async fn fall_silent(&self, server: &str) -> Result<(), SpaceError> {
        let path = self.layout().log(&self.place(server).await?);
        Ok(self.store().apply(vec![Op::Delete { path }]).await?)
    }

    /// Waits for responses in `place` other than those `seen`, and returns the one to `ask`.
    ///
    /// # Errors
    /// The store cannot be used.
    pub async fn answered(
        &self,
        place: &str,
        (ask, opener): (&Ask, &Opener),
        seen: Option<Version>,
    ) -> Result<Answered, StoreError> {
        let path = self.layout().log(place);
        let node = match self.store().changed(&path, seen).await {
            Err(error @ StoreError::Denied { .. }) => return Ok(Answered { version: None, log: Err(error.into()) }),
            node => node?,
        };
        let version = node.as_ref().map(|node| node.version);
        let odd = |reason: &str| SpaceError::Malformed { path: path.clone(), reason: reason.to_owned() };
        let log = match node {
            Some(node) if node.data.len() > MOST_BYTES => Err(odd("it is longer than any log")),
            node => match self.verified(&path, node).await {
                Ok(Some(node)) if !node.data.is_empty() => opened(&path, &node.data, ask, opener).map_err(odd),
                other => other.map(|_| None),
            },
        };
        Ok(Answered { version, log })
    }
}

/// Decrypts the response to `ask`, if there is one. An error contains no text that a server has chosen.
fn opened(path: &str, data: &[u8], ask: &Ask, opener: &Opener) -> Result<Option<Log>, &'static str> {
    let contents: Contents = serde_json::from_slice(data).map_err(|_| "these are not answers")?;
    let Some((_, sealed)) = contents.answers.iter().find(|(id, _)| *id == ask.id) else { return Ok(None) };
    let text = decrypt(sealed, opener).map_err(|_| "it is not encrypted for this operator")?;
    let log = text.strip_prefix(&*head(path, &ask.id)).ok_or("it belongs elsewhere")?;
    serde_json::from_slice(log).map(Some).map_err(|_| "this is not a log")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/wattle/shop/agents/db/log";

    fn ask(key: &OperatorKey) -> Ask {
        Ask::new(None, key, Time::EPOCH)
    }

    fn of() -> Revision {
        Revision { space: Some("2026-01-01T00:00:00Z-aa".into()), number: 7 }
    }

    /// Lines that fill the available room.
    fn full(_: &Ask, room: usize) -> Log {
        Log { since: Time::EPOCH, before: 3, lines: vec!["\"".repeat(room / 2)] }
    }

    #[test]
    fn whatever_is_asked_the_node_stays_within_its_bounds_and_is_used() {
        let key = OperatorKey::generate();
        for count in 1..=MOST_ASKS {
            let asks: Vec<_> = (0..count).map(|_| ask(&key)).collect();
            for _ in 0..20 {
                let data = answers(PATH, &of(), &asks, &full).unwrap();
                assert!(data.len() + ENVELOPE <= MOST_BYTES, "{count}: {}", data.len());
                assert!(data.len() > MOST_BYTES * 3 / 4, "{count}: {}", data.len());
                let log = opened(PATH, &data, &asks[count - 1], &key.opener()).unwrap().unwrap();
                assert_eq!(log.before, 3);
            }
        }
    }

    #[test]
    fn an_answer_is_for_one_request_in_one_place_and_for_one_reader() {
        let (key, other) = (OperatorKey::generate(), OperatorKey::generate());
        let asks = [ask(&key), ask(&other)];
        let data = answers(PATH, &of(), &asks, &full).unwrap();
        assert!(opened(PATH, &data, &asks[0], &key.opener()).unwrap().is_some());
        opened(PATH, &data, &asks[1], &key.opener()).unwrap_err();
        assert_eq!(opened(PATH, &data, &ask(&key), &key.opener()), Ok(None));
        opened("/wattle/shop/agents/web/log", &data, &asks[0], &key.opener()).unwrap_err();
        for odd in [&b"{}"[..], b"[]", b"\xff", br#"{"revision":7,"answers":[["1"]]}"#] {
            opened(PATH, odd, &asks[0], &key.opener()).unwrap_err();
        }
    }
}
