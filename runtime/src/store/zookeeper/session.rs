//! A session that lasts: when a session of the crate's client expires, a new client replaces it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tracing::{info, warn};
use wattle_agent_core::time::Time;
use zookeeper_client::{Client, Error, SessionState};

use super::link::Link;
use super::tls::Tls;
use super::tries::Tries;
use crate::clock;
use crate::store::{Address, Encryption, Login, StoreError};

/// How long ZooKeeper keeps the session of a silent client, and the nodes that it holds. A restart of ZooKeeper or the
/// election of a leader takes less, so agents survive it. It also bounds the time until a dead agent is noticed. By
/// default, ZooKeeper grants 4 to 40 s.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Why there will be no other session.
const ENDING: &str = "this process is ending";

/// ZooKeeper's authentication scheme for logins.
const DIGEST: &str = "digest";

/// The number of hosts that a client may see, counting repetitions.
const MOST_HOSTS: usize = 6;

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
const BETWEEN_WARNINGS: [Duration; 2] = [Duration::from_secs(30), Duration::from_hours(1)];

/// The address of a ZooKeeper, and the logins for it.
pub(super) struct Settings {
    /// As written by the user, for messages.
    pub(super) address: String,
    hosts: String,
    logins: Mutex<Vec<Login>>,
    tls: Option<Tls>,
    // How long ZooKeeper keeps the session of a silent client, by its last response: milliseconds, or 0 before the
    // first.
    granted: AtomicU64,
}

/// A session, for as long as one of its clones lives.
#[derive(Clone)]
pub(super) struct Session {
    settings: Arc<Settings>,
    state: watch::Receiver<State>,
    close: Arc<Notify>,
}

#[derive(Clone)]
enum State {
    Connecting,
    Ready(Arc<Link>),
    Unusable(String),
}

impl Settings {
    pub(super) fn new(hosts: &str, encryption: &Encryption, logins: &[Login]) -> Result<Self, StoreError> {
        let address = Address::ZooKeeper { hosts: hosts.to_owned(), encryption: encryption.clone() }.to_string();
        let logins = Mutex::new(logins.to_vec());
        let mut settings = Self { address, hosts: hosts.to_owned(), logins, tls: None, granted: AtomicU64::new(0) };
        if let Encryption::Tls(authority) = encryption {
            let tls = Tls::new(hosts, authority).map_err(|reason| settings.unusable(reason))?;
            settings.tls = Some(tls);
        }
        Ok(settings)
    }

    pub(super) fn unusable(&self, reason: impl ToString) -> StoreError {
        StoreError::Unusable { address: self.address.clone(), reason: reason.to_string() }
    }

    /// How long ZooKeeper keeps the session of a silent client. `None` before it has reported that.
    pub(super) fn granted(&self) -> Option<Duration> {
        Some(self.granted.load(Ordering::Relaxed)).filter(|millis| *millis > 0).map(Duration::from_millis)
    }

    fn logins(&self) -> MutexGuard<'_, Vec<Login>> {
        self.logins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds these `logins` for all sessions that are opened from now on.
    pub(super) fn add(&self, logins: &[Login]) {
        let mut there = self.logins();
        for login in logins {
            if !there.iter().any(|there| there.name == login.name && there.password == login.password) {
                there.push(login.clone());
            }
        }
    }

    async fn connect(&self) -> Result<Client, Error> {
        // The crate's own wait would last for the session's timeout and report nothing.
        let mut connector = Client::connector().with_session_timeout(TIMEOUT).with_fail_eagerly();
        for login in &*self.logins() {
            connector = connector.with_auth(DIGEST, &identity(login));
        }
        let hosts = spread(&self.hosts, chance());
        match &self.tls {
            Some(tls) => connector.with_tls(tls.options.clone()).secure_connect(&hosts).await,
            None => connector.connect(&hosts).await,
        }
    }

    /// Connects, however long it takes.
    ///
    /// # Errors
    /// The reason why retrying is pointless.
    async fn connect_at_last(&self) -> Result<Client, String> {
        let started = clock::now();
        let mut pause = FIRST_PAUSE;
        let mut warned: Option<(tokio::time::Instant, Duration)> = None;
        loop {
            let error = match self.connect().await {
                Ok(client) => {
                    if warned.is_some() {
                        info!(address = self.address, "the data space can be reached");
                    }
                    return Ok(client);
                }
                Err(Error::AuthFailed) => return Err("it refuses the credential".to_owned()),
                Err(error @ Error::BadArguments(_)) => return Err(error.to_string()),
                Err(error) => error,
            };
            if let Some(tls) = &self.tls
                && let Some(reason) = tls.refusal().await
            {
                return Err(reason);
            }
            if warned.is_none_or(|(at, between)| at.elapsed() >= between) {
                warned = Some((tokio::time::Instant::now(), until_next_warning(warned.map(|(_, between)| between))));
                let since = since(started);
                warn!(address = self.address, %since, %error, "waiting for the data space: it cannot be reached");
            }
            // Agents that lost the connection together should not come back together.
            let jitter = chance() % 512;
            tokio::time::sleep(pause / 2 + pause * jitter / 1024).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }
}

/// How long to suppress warnings after one, if the last suppression was `last`: twice as long each time, because
/// repeated warnings contain nothing new.
fn until_next_warning(last: Option<Duration>) -> Duration {
    let [first, longest] = BETWEEN_WARNINGS;
    last.map_or(first, |last| longest.min(last * 2))
}

fn identity(Login { name, password }: &Login) -> Vec<u8> {
    format!("{name}:{password}").into_bytes()
}

fn chance() -> u32 {
    getrandom::u32().unwrap_or_default()
}

/// The hosts, some of them several times.
///
/// After a lost connection, the client tries one host after the other. Its pauses in between depend on the number of
/// hosts, and their random part is at most a tenth of a second. Without repetitions, thousands of agents that lost an
/// ensemble at the same moment would all try to connect at the same moment again.
fn spread(hosts: &str, chance: u32) -> String {
    let few = hosts.split(',').count();
    let many = few + chance as usize % (MOST_HOSTS.saturating_sub(few) + 1);
    hosts.split(',').cycle().take(many).collect::<Vec<_>>().join(",")
}

fn since(time: Time) -> String {
    format!("{time:.0}")
}

impl Session {
    /// Opens a session in the background.
    pub(super) fn open(settings: Arc<Settings>) -> Self {
        let (sender, state) = watch::channel(State::Connecting);
        let close = Arc::new(Notify::new());
        tokio::spawn(keep(Arc::clone(&settings), sender, Arc::clone(&close)));
        Self { settings, state, close }
    }

    /// Ends the session. Returns when ZooKeeper has been notified, which then removes the session's held nodes at once.
    /// Callers that still wait for a response keep the session open.
    pub(super) async fn close(&self) {
        self.close.notify_one();
        let mut state = self.state.clone();
        while state.changed().await.is_ok() {}
    }

    /// Adds these `logins` to the session.
    ///
    /// # Errors
    /// ZooKeeper does not accept them, or there will be no session.
    pub(super) async fn log_in(&self, logins: &[Login]) -> Result<(), StoreError> {
        for login in logins {
            let mut tries = Tries::new(self);
            loop {
                let client = tries.client().await?;
                match client.ask(client.auth(DIGEST, &identity(login))).await {
                    Ok(()) => break,
                    Err(error) => tries.again(error, "read", "/")?,
                }
            }
        }
        Ok(())
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Waits for a client whose session is not over.
    ///
    /// # Errors
    /// There will be none.
    pub(super) async fn client(&self) -> Result<Arc<Link>, StoreError> {
        self.wait_for(|client| !client.is_over()).await
    }

    /// The number of the present session. 0 while there is no session.
    pub(super) fn id(&self) -> i64 {
        match &*self.state.borrow() {
            State::Ready(client) => client.session_id().0,
            State::Connecting | State::Unusable(_) => 0,
        }
    }

    /// Waits for the client that replaces the one of session `id`, once that one is over.
    ///
    /// # Errors
    /// There will be none.
    pub(super) async fn successor(&self, id: i64) -> Result<Arc<Link>, StoreError> {
        self.wait_for(|client| client.session_id().0 != id && !client.is_over()).await
    }

    async fn wait_for(&self, suits: impl Fn(&Link) -> bool) -> Result<Arc<Link>, StoreError> {
        if let State::Ready(client) = &*self.state.borrow()
            && suits(client)
        {
            return Ok(Arc::clone(client));
        }
        let mut state = self.state.clone();
        let found = state.wait_for(|state| match state {
            State::Connecting => false,
            State::Ready(client) => suits(client),
            State::Unusable(_) => true,
        });
        match found.await.as_deref() {
            Ok(State::Ready(client)) => Ok(Arc::clone(client)),
            Ok(State::Unusable(reason)) => Err(self.settings.unusable(reason)),
            Ok(State::Connecting) | Err(_) => Err(self.settings.unusable(ENDING)),
        }
    }
}

/// Maintains a client for as long as the session is in use and not closed.
async fn keep(settings: Arc<Settings>, sender: watch::Sender<State>, close: Arc<Notify>) {
    loop {
        let connected = tokio::select! {
            connected = settings.connect_at_last() => connected,
            () = sender.closed() => return,
            () = close.notified() => return,
        };
        let client = match connected {
            Ok(client) => Arc::new(Link::new(client)),
            Err(reason) => {
                sender.send_replace(State::Unusable(reason));
                return;
            }
        };
        let granted = u64::try_from(client.session_timeout().as_millis()).unwrap_or(u64::MAX);
        settings.granted.store(granted, Ordering::Relaxed);
        sender.send_replace(State::Ready(Arc::clone(&client)));
        tokio::select! {
            () = follow(&settings.address, &client) => {}
            () = client.given_up() => {
                warn!(address = settings.address, "the data space does not answer a request; opening another session");
            }
            () = sender.closed() => return,
            () = close.notified() => {
                sender.send_replace(State::Unusable(ENDING.to_owned()));
                return closed(client).await;
            }
        }
        sender.send_replace(State::Connecting);
    }
}

/// Waits until the client is no longer in use, and ZooKeeper has been notified.
async fn closed(client: Arc<Link>) {
    let mut states = client.state_watcher();
    let mut state = client.state();
    // Dropping the last one closes the session.
    drop(client);
    while !state.is_terminated() {
        state = states.changed().await;
    }
}

/// Reports lost connections of the client until its session is over.
async fn follow(address: &str, client: &Client) {
    let mut states = client.state_watcher();
    let mut state = client.state();
    let mut lost = None;
    while !state.is_terminated() {
        match state {
            SessionState::Disconnected => {
                lost = Some(clock::now());
                warn!(address, "waiting for the data space: the connection is lost");
            }
            _ => {
                if let Some(lost) = lost.take() {
                    info!(address, since = %since(lost), "the data space can be reached again");
                }
            }
        }
        state = states.changed().await;
    }
    let since = since(lost.unwrap_or_else(clock::now));
    warn!(address, %state, %since, "the session with the data space is over; opening another");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_stays_away_does_not_fill_the_log() {
        let mut between = until_next_warning(None);
        let (mut time, mut warnings) = (Duration::ZERO, 1);
        while time < Duration::from_hours(24) {
            time += between;
            warnings += 1;
            between = until_next_warning(Some(between));
        }
        assert_eq!(until_next_warning(None), Duration::from_secs(30));
        assert!(warnings <= 32, "{warnings}");
        assert_eq!(between, Duration::from_hours(1));
    }

    #[test]
    fn clients_see_different_numbers_of_the_same_hosts() {
        let seen = |hosts, chance| spread(hosts, chance);
        assert_eq!(seen("a:1,b:2,c:3", 0), "a:1,b:2,c:3");
        assert_eq!(seen("a:1,b:2,c:3", 2), "a:1,b:2,c:3,a:1,b:2");
        assert_eq!(seen("a:1,b:2,c:3", 3).split(',').count(), MOST_HOSTS);
        assert_eq!(seen("a:1,b:2,c:3", 4), "a:1,b:2,c:3");
        assert_eq!(seen("a:1", 1), "a:1,a:1");
        let many = ["a:1"; 12].join(",");
        assert_eq!(seen(&many, 5), many);
    }
}
