//! The server and its clients, where they differ from other stores.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;

use super::wire::{self, Greeting, Hello, Inbox, PROTOCOL, Reply, Request};
use super::{Server, ServerError, connect, socket};
use crate::store::{Access, Login, MAX_DATA, Op, Store, StoreError, Version};

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn socket(&self) -> PathBuf {
        self.0.path().join("run/socket")
    }

    fn log(&self) -> PathBuf {
        self.0.path().join("state/log")
    }

    async fn serve(&self) -> Server {
        Server::start(&self.socket(), &self.log(), &operator().principal()).await.unwrap()
    }

    async fn store(&self) -> Arc<dyn Store> {
        Arc::new(connect(&self.socket(), &[operator()]).await.unwrap())
    }
}

fn operator() -> Login {
    Login { name: "operator".to_owned(), password: "right".to_owned() }
}

fn create(path: &str, data: &[u8]) -> Vec<Op> {
    vec![Op::Create { path: path.to_owned(), data: data.to_vec(), access: Access::new() }]
}

/// A client that can send any bytes.
struct Raw {
    stream: UnixStream,
    inbox: Inbox,
}

impl Raw {
    async fn connect(place: &Place) -> Self {
        let stream = socket::connect(&place.socket()).await.unwrap();
        Self { stream, inbox: Inbox::default() }
    }

    async fn login(place: &Place, client: u64) -> Self {
        let mut raw = Self::connect(place).await;
        raw.send(&Hello { protocol: PROTOCOL, client, logins: vec![operator()] }).await;
        assert!(matches!(raw.receive().await, Greeting::Welcome));
        raw
    }

    async fn send(&mut self, content: &impl serde::Serialize) {
        self.stream.write_all(&wire::frame(content)).await.unwrap();
    }

    async fn receive<T: serde::de::DeserializeOwned>(&mut self) -> T {
        self.inbox.receive(&mut self.stream).await.unwrap()
    }

    async fn ask(&mut self, id: u64, request: &Request<'_>) -> Reply<'static> {
        self.send(&(id, request)).await;
        let (answered, reply): (u64, Reply<'static>) = self.receive().await;
        assert_eq!(answered, id);
        reply
    }
}

#[tokio::test]
async fn for_this_user_alone() {
    let place = Place::new();
    let server = place.serve().await;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.socket()), 0o600);
    assert_eq!(mode(place.socket().parent().unwrap()), 0o700);
    assert_eq!(mode(&place.log()), 0o600);
    server.stop().await.unwrap();
    assert!(!place.socket().exists());
}

#[tokio::test]
async fn only_one_server() {
    let place = Place::new();
    let server = place.serve().await;
    let other = Place::new();
    let operator = operator().principal();
    let same_log = Server::start(&other.socket(), &place.log(), &operator).await;
    assert!(matches!(same_log, Err(ServerError::InUse { path }) if path == place.log()));
    let same_socket = Server::start(&place.socket(), &other.log(), &operator).await;
    assert!(matches!(same_socket, Err(ServerError::InUse { path }) if path == place.socket()));
    // Nothing was affected.
    place.store().await.apply(create("/a", b"")).await.unwrap();
    server.stop().await.unwrap();
    // A stale socket is no obstacle.
    drop(std::os::unix::net::UnixListener::bind(place.socket()).unwrap());
    let _server = place.serve().await;
    assert_eq!(place.store().await.get("/a").await.unwrap().unwrap().data, b"");
}

#[tokio::test]
async fn at_a_long_path() {
    let place = Place(tempfile::Builder::new().prefix(&"long".repeat(40)).tempdir().unwrap());
    let _server = place.serve().await;
    place.store().await.apply(create("/a", b"")).await.unwrap();
    let path = place.0.path().join("s".repeat(200));
    match connect(&path, &[]).await {
        Err(StoreError::Unusable { reason, .. }) => assert!(reason.contains("shorter"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_login_that_is_refused() {
    let place = Place::new();
    let server = place.serve().await;
    let wrong = Login { password: "wrong".to_owned(), ..operator() };
    let error = connect(&place.socket(), &[wrong]).await.unwrap_err();
    let socket = place.socket();
    assert_eq!(
        error.to_string(),
        format!("cannot use the data space at unix:{}: it gives a different password for `operator`", socket.display())
    );
    // Likewise for a client that reconnects.
    let store = place.store().await;
    let mut waiting = store.changed("/a", None);
    assert!((&mut waiting).now_or_never().is_none());
    server.stop().await.unwrap();
    let other = Login { password: "other".to_owned(), ..operator() };
    let _server = Server::start(&place.socket(), &place.log(), &other.principal()).await.unwrap();
    assert!(matches!(waiting.await, Err(StoreError::Unusable { .. })));
    assert!(matches!(store.get("/a").await, Err(StoreError::Unusable { .. })));
}

#[tokio::test]
async fn a_client_of_another_version() {
    let place = Place::new();
    let _server = place.serve().await;
    let mut raw = Raw::connect(&place).await;
    raw.send(&(PROTOCOL + 1, "whatever comes then", 7)).await;
    match raw.receive().await {
        Greeting::Refused(reason) => {
            let [ours, theirs] = [PROTOCOL, PROTOCOL + 1].map(|number| format!("version {number}"));
            assert!(reason.contains(&ours) && reason.contains(&theirs), "{reason}");
        }
        Greeting::Welcome => panic!("welcome"),
    }
    // Something that is not a client at all.
    let mut raw = Raw::connect(&place).await;
    raw.stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let ended = raw.inbox.fill(&mut raw.stream).await.unwrap_err();
    assert!(matches!(ended.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset), "{ended}");
}

#[tokio::test]
async fn a_server_of_another_kind() {
    for (answer, expected) in [
        (wire::frame(&Greeting::Refused("too old".to_owned())), "too old"),
        (b"HTTP/1.1 400 Bad Request\r\n".to_vec(), "not the protocol of a data space"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = socket::bind(&path).unwrap();
        let serving = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(&answer).await.unwrap();
            std::future::pending::<()>().await;
        };
        let connected = tokio::select! {
            connected = connect(&path, &[]) => connected,
            () = serving => unreachable!(),
        };
        match connected {
            Err(StoreError::Unusable { reason, .. }) => assert_eq!(reason, expected),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_server_is_waited_for() {
    let place = Place::new();
    let connecting = place.store();
    let serving = async {
        tokio::time::sleep(Duration::from_millis(30)).await;
        place.serve().await
    };
    let (store, _server) = tokio::join!(connecting, serving);
    store.apply(create("/a", b"")).await.unwrap();
}

/// Waits until this many clients wait for a change.
async fn watching(server: &Server, expected: usize) {
    for _ in 0..5000 {
        if server.watching() == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("{} wait for a change, not {expected}", server.watching());
}

#[tokio::test]
async fn who_gives_up_leaves_nothing_behind() {
    let place = Place::new();
    let server = place.serve().await;
    let store = place.store().await;
    let mut waiting: Vec<_> = (0..1000).map(|_| store.changed("/a", None)).collect();
    for wait in &mut waiting {
        assert!(wait.now_or_never().is_none());
    }
    watching(&server, 1000).await;
    waiting.truncate(400);
    watching(&server, 400).await;
    // A lost connection leaves nothing behind, either, and pending requests are repeated.
    server.disconnect_all();
    tokio::time::sleep(Duration::from_millis(100)).await;
    watching(&server, 400).await;
    store.apply(create("/a", b"")).await.unwrap();
    for node in waiting {
        assert!(node.await.unwrap().is_some());
    }
    assert_eq!(server.watching(), 0);
    let mut waiting = store.changed("/b", None);
    assert!((&mut waiting).now_or_never().is_none());
    watching(&server, 1).await;
    drop(waiting);
    drop(store);
    watching(&server, 0).await;
}

#[tokio::test]
async fn a_request_that_comes_again_is_answered_as_before() {
    let place = Place::new();
    let mut server = place.serve().await;
    place.store().await.apply(create("/a", b"0")).await.unwrap();
    let first = place.store().await.get("/a").await.unwrap().unwrap().version;
    let set = |data: &'static [u8], expected: Version| Request::Set {
        path: "/a".into(),
        data: data.into(),
        expected: Some(expected),
    };
    let Reply::Written(second) = Raw::login(&place, 7).await.ask(1, &set(b"1", first)).await else { panic!() };
    let made = Request::Apply { ops: create("/b", b"").into(), sync: true };
    assert!(matches!(Raw::login(&place, 7).await.ask(2, &made).await, Reply::Done));
    for _ in 0..2 {
        let mut again = Raw::login(&place, 7).await;
        assert!(matches!(again.ask(1, &set(b"1", first)).await, Reply::Written(version) if version == second));
        assert!(matches!(again.ask(2, &made).await, Reply::Done));
        // From another client, or with another number, it is another request.
        assert!(matches!(again.ask(3, &set(b"1", first)).await, Reply::Failed(wire::Fault::Conflict { .. })));
        assert!(matches!(again.ask(4, &made).await, Reply::Failed(wire::Fault::Exists { .. })));
        let mut other = Raw::login(&place, 8).await;
        assert!(matches!(other.ask(1, &set(b"1", first)).await, Reply::Failed(wire::Fault::Conflict { .. })));
        // Likewise after a restart of the server.
        server.stop().await.unwrap();
        server = place.serve().await;
    }
}

#[tokio::test]
async fn who_does_not_listen_holds_nobody_up() {
    let place = Place::new();
    let _server = place.serve().await;
    let store = place.store().await;
    store.apply(create("/a", &vec![7; MAX_DATA])).await.unwrap();
    let mut raw = Raw::login(&place, 7).await;
    let asked = 100;
    for id in 0..asked {
        raw.send(&(id, Request::Get { path: "/a".into() })).await;
    }
    for n in 0..100u8 {
        store.set("/a", &[n], None).await.unwrap();
        store.set("/a", &vec![7; MAX_DATA], None).await.unwrap();
    }
    // It still gets all responses.
    for id in 0..asked {
        let (answered, reply): (u64, Reply<'static>) = raw.receive().await;
        assert_eq!(answered, id);
        assert!(matches!(reply, Reply::Node(Some(node)) if node.data.len() == MAX_DATA || node.data.len() == 1));
    }
}

#[tokio::test]
async fn a_server_that_stops_lets_its_log_go() {
    let place = Place::new();
    for n in 0..20u8 {
        let server = place.serve().await;
        let store = place.store().await;
        store.apply(create(&format!("/{n}"), b"")).await.unwrap();
        let _waiting = store.changed("/none", None).now_or_never();
        server.stop().await.unwrap();
    }
    let _server = place.serve().await;
    assert!(place.store().await.get("/19").await.unwrap().is_some());
}
