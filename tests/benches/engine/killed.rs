//! A killed leader, and its successor.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use wattle_runtime::deploy::News;
use wattle_runtime::space::OperatorKey;
use wattle_runtime::store::Store;

use super::{Place, again, deployment, wanted};

/// The path of the leader's node.
const LEADER: &str = "/wattle/shop/infrastructure/leader";

/// Kills a leader when nine of ten resources exist, and returns how long the next one takes to continue.
pub(crate) fn after_a_kill(size: u32, place: &Place) -> String {
    let mut begun = again(size, place, "begin").stdout(Stdio::piped()).spawn().expect("starts");
    let mut line = String::new();
    BufReader::new(begun.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("it says that it is far enough");
    begun.kill().expect("it runs");
    begun.wait().expect("it ends");
    let out = again(size, place, "go-on").output().expect("runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).trim().to_owned()
}

/// Deploys until nine of ten resources exist, reports it, and waits to be killed.
pub(crate) async fn begin(size: u32, store: Arc<dyn Store>, key: OperatorKey) {
    let (news, mut heard) = mpsc::unbounded_channel();
    let deployment = deployment(store, key);
    let wanted = wanted(format!("{size} -"));
    let bring = deployment.bring(&wanted, &news, std::future::pending());
    tokio::pin!(bring);
    loop {
        tokio::select! {
            _ = &mut bring => panic!("it is done before it is killed"),
            one = heard.recv() => if let Some(News::Count(count)) = one
                && count.there >= size as usize / 10 * 9
            {
                break;
            },
        }
    }
    println!("far enough");
    std::thread::sleep(Duration::from_hours(1));
}

/// Continues, and returns how long it took to read the present state, and how much of that was after the lead became
/// free.
pub(crate) async fn go_on(size: u32, store: Arc<dyn Store>, key: OperatorKey) {
    let began = Instant::now();
    let (news, mut heard) = mpsc::unbounded_channel();
    let deployment = deployment(Arc::clone(&store), key);
    let keep = deployment.keep(&news, std::future::pending());
    tokio::pin!(keep);
    let session_ends = ended(&store);
    tokio::pin!(session_ends);
    let mut free = None;
    loop {
        tokio::select! {
            biased;
            at = &mut session_ends, if free.is_none() => free = Some(at),
            ended = &mut keep => panic!("it goes on: {ended:?}"),
            one = heard.recv() => if let Some(News::Count(count)) = one {
                assert!(count.there >= size as usize / 10 * 9, "{count:?}");
                break;
            },
        }
    }
    let since = |at: Instant| at.elapsed().as_millis();
    println!("{} ms | {} ms", since(began), since(free.unwrap_or(began)));
}

/// Waits for the end of the killed process's session, from the store's view.
async fn ended(store: &Arc<dyn Store>) -> Instant {
    let mut seen = store.get(LEADER).await.expect("reads").map(|node| node.version);
    while let Some(version) = seen {
        seen = store.changed(LEADER, Some(version)).await.expect("reads").map(|node| node.version);
        // A different session is the next leader's.
        if seen.is_some() {
            break;
        }
    }
    Instant::now()
}
