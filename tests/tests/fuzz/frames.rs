//! Input on the socket of the embedded store: any client may send anything without affecting others.

use std::cell::Cell;
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use wattle_runtime::store::embedded::{self, Server};
use wattle_runtime::store::{Access, Login, OPERATOR, Op, Store as _};
use wattle_tests::fuzz::{Read, Target};

/// A postcard frame: its length, and its content.
fn frame(content: &[u8]) -> Vec<u8> {
    [&u32::try_from(content.len()).expect("short").to_le_bytes(), content].concat()
}

fn text(text: &str) -> Vec<u8> {
    [&[u8::try_from(text.len()).expect("short")], text.as_bytes()].concat()
}

/// The first frame and requests of all kinds, as the client sends them.
fn conversations(protocol: u8) -> Vec<Vec<u8>> {
    let hello = frame(&[&[protocol, 7, 1][..], &text("web"), &text("password")].concat());
    let (path, seen) = (text("/a/b"), [0]);
    let requests: [Vec<u8>; 7] = [
        [&[1, 0][..], &path].concat(),
        [&[2, 1][..], &path, &seen].concat(),
        [&[3, 2][..], &path].concat(),
        [&[4, 3][..], &path, &text("data"), &seen].concat(),
        [&[5, 4, 2, 2][..], &path, &[2], &path, &[0]].concat(),
        [1, 7].to_vec(),
        [&[6, 8, 1][..], &text("web"), &text("password")].concat(),
    ];
    let all: Vec<u8> = requests.iter().flat_map(|request| frame(request)).collect();
    let mut conversations: Vec<Vec<u8>> =
        requests.iter().map(|request| [hello.clone(), frame(request)].concat()).collect();
    conversations.push([hello, all].concat());
    conversations
}

/// Serves a store at `socket` in a separate thread. The channel returns what an honest client reads.
fn serve(socket: PathBuf) -> (UnboundedSender<SyncSender<Vec<u8>>>, JoinHandle<()>) {
    let (ask, mut asked) = unbounded_channel::<SyncSender<Vec<u8>>>();
    let (begun, ready) = sync_channel(1);
    let run = async move {
        let operator = Login { name: OPERATOR.to_owned(), password: "secret".to_owned() };
        let log = socket.with_file_name("space");
        let server = Server::start(&socket, &log, &operator.principal()).await.expect("starts");
        let honest = embedded::connect(&socket, &[operator]).await.expect("connects");
        let create = Op::Create { path: "/mine".to_owned(), data: b"as it was".to_vec(), access: Access::new() };
        honest.apply(vec![create]).await.expect("makes");
        begun.send(()).expect("somebody waits");
        while let Some(reply) = asked.recv().await {
            let node = honest.get("/mine").await.expect("it serves others").expect("it is there");
            reply.send(node.data).expect("somebody waits");
        }
        server.stop().await.expect("stops");
    };
    let thread = std::thread::spawn(|| {
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it starts").block_on(run);
    });
    ready.recv().expect("it starts");
    (ask, thread)
}

#[test]
fn whatever_comes_in_at_the_socket_others_are_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("space.sock");
    let (ask, thread) = serve(socket.clone());
    let count = Cell::new(0_u32);
    let converse = |bytes: &[u8]| -> Read {
        let mut stream = UnixStream::connect(&socket).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("sets");
        // The server may already have closed the connection.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        count.set(count.get() + 1);
        if count.get().is_multiple_of(100) {
            let (reply, replied) = sync_channel(1);
            ask.send(reply).expect("it serves");
            assert_eq!(replied.recv_timeout(Duration::from_secs(10)).expect("it answers"), b"as it was");
        }
        // A frame of one byte, `Welcome`, accepts the greeting.
        if answer.starts_with(&[1, 0, 0, 0, 0]) { Read::Accepted } else { Read::Refused }
    };
    let words = ["/a", "web", "operator", "\0\0\0"];
    Target { name: "frames", corpus: conversations(4), words: &words, thinned: 10 }.try_all(converse);
    drop(ask);
    thread.join().expect("it ends as it should");
}
