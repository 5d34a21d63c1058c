//! The server: its socket, its connections, and its end.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};

use super::answer::{Asked, answer, no_room};
use super::guard::Token;
use super::watcher::{self, Looks};
use super::{Shown, UiError};

/// The largest number of simultaneous connections that have shown the token. A browser has at most six.
const CONNECTIONS: usize = 64;
/// The largest number of connections that have not. The oldest one makes room for the next.
const STRANGERS: usize = 64;
/// How long a client may take to send its request.
const HEADER: Duration = Duration::from_secs(10);
/// How long the last look may take.
const LAST_LOOK: Duration = Duration::from_secs(2);
/// How long clients have to receive the last events.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A live view that is served until it is dropped.
#[derive(Debug)]
pub struct Ui {
    address: SocketAddr,
    token: Token,
    /// Dropped when it is over.
    over: Option<oneshot::Sender<()>>,
    ended: watch::Sender<Option<String>>,
    server: JoinHandle<()>,
    watcher: JoinHandle<()>,
}

/// A live view that is listening, but shows nothing yet.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listening {
    /// Listens on `address`, on a free port if its port is 0.
    ///
    /// # Errors
    /// Why it cannot listen there.
    pub async fn at(address: SocketAddr) -> Result<Self, UiError> {
        let refused = |source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => UiError::Taken { address },
            io::ErrorKind::AddrNotAvailable => UiError::Elsewhere { address },
            _ => UiError::Listen { address, source },
        };
        let listener = TcpListener::bind(address).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        Ok(Self { listener, address })
    }

    /// Serves `shown`.
    pub fn show(self, shown: Shown) -> Ui {
        let Self { listener, address } = self;
        let token = Token::generate();
        let looks = Looks::new();
        let (ended, _) = watch::channel(None);
        let (over, is_over) = oneshot::channel();
        let watcher = tokio::spawn(watcher::watch(shown.clone(), looks.clone(), is_over));
        let asked = Asked { shown, token: token.clone(), own: address.ip(), looks, ended: ended.subscribe() };
        let server = tokio::spawn(serve(listener, Arc::new(asked)));
        Ui { address, token, over: Some(over), ended, server, watcher }
    }
}

impl Ui {
    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL to open in a browser. Everyone who has it may look.
    pub fn url(&self) -> String {
        let mut shown = self.address;
        if shown.ip().is_unspecified() {
            shown.set_ip(if shown.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() });
        }
        format!("http://{shown}/?token={}", self.token.as_str())
    }

    /// Looks once more, notifies all browsers that it is over and why, and ends.
    pub async fn end(mut self, why: &str) {
        drop(self.over.take());
        // What a data space that no longer answers has is not shown.
        let _ = tokio::time::timeout(LAST_LOOK, &mut self.watcher).await;
        self.ended.send_replace(Some(why.to_owned()));
        // Connections that do not receive the last events in time are closed.
        let _ = tokio::time::timeout(LAST_WORDS, &mut self.server).await;
    }
}

impl Drop for Ui {
    fn drop(&mut self) {
        self.server.abort();
        self.watcher.abort();
    }
}

/// Serves connections until it is over, and lets the existing ones end.
async fn serve(listener: TcpListener, asked: Arc<Asked>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    let mut strangers: VecDeque<(AbortHandle, Arc<Place>)> = VecDeque::new();
    let mut ended = asked.ended.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = ended.wait_for(Option::is_some) => break,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) => {
                strangers.retain(|(task, place)| !task.is_finished() && place.get().is_none());
                // Clients that send nothing must not keep others out.
                if strangers.len() == STRANGERS
                    && let Some((oldest, _)) = strangers.pop_front()
                {
                    oldest.abort();
                }
                let (asked, place) = (Arc::clone(&asked), Arc::new(Place::new()));
                let task = connections.spawn(connection(stream, asked, Arc::clone(&room), Arc::clone(&place)));
                strangers.push_back((task, place));
            }
            // Too many open files. Some will be closed.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// The permit of a connection that has shown the token.
type Place = OnceLock<OwnedSemaphorePermit>;

async fn connection(stream: TcpStream, asked: Arc<Asked>, room: Arc<Semaphore>, place: Arc<Place>) {
    let _ = stream.set_nodelay(true);
    let mut ended = asked.ended.clone();
    let service = service_fn(|request| {
        let (asked, room, place) = (Arc::clone(&asked), Arc::clone(&room), Arc::clone(&place));
        async move {
            if place.get().is_none() && asked.token.is_in(request.uri()) {
                match room.try_acquire_owned() {
                    Ok(permit) => drop(place.set(permit)),
                    Err(_) => return Ok::<_, Infallible>(no_room(&request, CONNECTIONS)),
                }
            }
            Ok(answer(&asked, &request).await)
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER).max_buf_size(16 * 1024);
    let mut served = std::pin::pin!(http.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        _ = &mut served => return,
        _ = ended.wait_for(Option::is_some) => {}
    }
    served.as_mut().graceful_shutdown();
    // It does not matter to us if a client has gone.
    let _ = served.await;
}
