//! The log of a server or a component: its last lines, and then every further line.
//!
//! Agents mask secrets when they write it.

use std::io::SeekFrom;
use std::path::PathBuf;
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use hyper::body::Bytes;
use serde_json::json;
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use tokio::sync::watch;
use tokio::time::Instant;

use super::answer::{Asked, event};
use super::stream::{Flow, PULSE};

/// How many bytes from the end are searched for the last lines.
const BACK: u64 = 4 << 20;
/// The largest number of last lines.
const LAST: usize = 1000;
/// How many bytes are read at once.
const PIECE: u64 = 256 << 10;
/// How many bytes of a line are kept.
const LINE: usize = 16 << 10;
/// How often to check for more.
const PAUSE: Duration = Duration::from_millis(300);

/// Where a log is.
#[derive(Debug)]
pub(super) enum Place {
    /// A file on this machine, and the component whose lines are wanted.
    File { path: PathBuf, component: Option<String> },
    /// On a server that is not this machine.
    Elsewhere { server: String },
}

/// Where the log of `of` is, which is a server or `SERVER/COMPONENT`. `None` if there is nothing of that name.
pub(super) async fn find(asked: &Asked, of: &str) -> Option<Place> {
    let mut view = asked.looks.last();
    if !view.knows(of) {
        // There may have been no look yet.
        let mut views = asked.looks.look();
        let _ = tokio::time::timeout(Duration::from_secs(5), views.changed()).await;
        view = asked.looks.last();
    }
    // A name that is not known never becomes a path.
    let (server, component) = match of.rsplit_once('/') {
        _ if view.has_server(of) => (of, None),
        Some((server, _)) if view.knows(of) => (server, Some(of.to_owned())),
        _ => return None,
    };
    Some(match &asked.shown.logs {
        Some(logs) => Place::File { path: logs.join(server).join("agent.log"), component },
        None => Place::Elsewhere { server: server.to_owned() },
    })
}

/// The lines as events: `lines` with what is there, again and again, or `elsewhere`.
pub(super) fn lines(place: Place, ended: watch::Receiver<Option<String>>) -> Flow {
    match place {
        Place::Elsewhere { server } => {
            let how = "journalctl --unit wattle-agent";
            let content = event("elsewhere", &json!({ "server": server, "command": how }).to_string());
            Flow::Pieces(stream::once(async move { content }).boxed())
        }
        Place::File { path, component } => {
            let follow = Follow { path, component, at: None, half: Vec::new(), spoke: Instant::now(), ended };
            Flow::Pieces(stream::unfold(follow, next).boxed())
        }
    }
}

struct Follow {
    path: PathBuf,
    component: Option<String>,
    // The position up to which it was read; `None` before the first time.
    at: Option<u64>,
    // A line whose end is still missing.
    half: Vec<u8>,
    spoke: Instant,
    ended: watch::Receiver<Option<String>>,
}

async fn next(mut follow: Follow) -> Option<(Bytes, Follow)> {
    loop {
        let is_first = follow.at.is_none();
        // A file that cannot be read now may be there later.
        let (lines, is_cut) = follow.read().await.unwrap_or_default();
        if is_first || !lines.is_empty() {
            follow.spoke = Instant::now();
            let path = follow.path.display().to_string();
            let content = json!({ "lines": lines, "path": path, "first": is_first, "cut": is_cut });
            return Some((event("lines", &content.to_string()), follow));
        }
        if follow.ended.borrow().is_some() {
            return None;
        }
        if follow.spoke.elapsed() > PULSE {
            follow.spoke = Instant::now();
            return Some((Bytes::from_static(b": \n\n"), follow));
        }
        let mut ended = follow.ended.clone();
        let _ = tokio::time::timeout(PAUSE, ended.wait_for(Option::is_some)).await;
    }
}

impl Follow {
    /// What is new, and whether something before it was left out.
    async fn read(&mut self) -> std::io::Result<(Vec<String>, bool)> {
        let before = self.at;
        // From here on it is not the first time, whatever the outcome.
        self.at.get_or_insert(0);
        let mut file = File::open(&self.path).await?;
        let length = file.metadata().await?.len();
        let from = match before {
            None => length.saturating_sub(BACK),
            // The file was started again.
            Some(at) if at > length => 0,
            Some(at) => at,
        };
        let most = if before.is_none() { BACK } else { PIECE };
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(from)).await?;
        file.take(most).read_to_end(&mut bytes).await?;
        self.at = Some(from + bytes.len() as u64);
        let mut lines = Vec::new();
        // The first line may be the rest of a longer one.
        let mut skip = before.is_none() && from > 0;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE.saturating_sub(self.half.len()).min(piece.len());
            self.half.extend_from_slice(&piece[..room]);
            if piece.ends_with(b"\n") {
                let line = String::from_utf8_lossy(&std::mem::take(&mut self.half)).trim_end().to_owned();
                if !std::mem::take(&mut skip) && self.wants(&line) {
                    lines.push(line);
                }
            }
        }
        let is_cut = before.is_none() && (from > 0 || lines.len() > LAST);
        lines.drain(..lines.len().saturating_sub(LAST));
        Ok((lines, is_cut))
    }

    fn wants(&self, line: &str) -> bool {
        self.component.as_deref().is_none_or(|component| of(line) == Some(component))
    }
}

/// The component that a line of an agent's log is about. It comes before what a recipe prints.
fn of(line: &str) -> Option<&str> {
    let (_, rest) = line.rsplit_once(" component=")?;
    match rest.strip_prefix('"') {
        Some(rest) => rest.split_once('"').map(|(name, _)| name),
        None => rest.split(' ').next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(path: PathBuf, component: Option<&str>) -> Follow {
        let (_, ended) = watch::channel(None);
        let component = component.map(str::to_owned);
        Follow { path, component, at: None, half: Vec::new(), spoke: Instant::now(), ended }
    }

    #[test]
    fn lines_tell_their_component() {
        let line = r#"2026-01-01T00:00:00.000Z  INFO starts component="db/other" component="db/postgres""#;
        assert_eq!(of(line), Some("db/postgres"));
        assert_eq!(of("T  INFO runs component=db/postgres revision=1"), Some("db/postgres"));
        assert_eq!(of("T  INFO agent starts"), None);
    }

    #[tokio::test]
    async fn what_is_new_is_read_once_and_in_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.log");
        let mut follow = follow(path.clone(), Some("a/x"));
        follow.read().await.unwrap_err();
        std::fs::write(&path, "one component=a/x\ntwo component=a/y\nthr").unwrap();
        assert_eq!(follow.read().await.unwrap().0, ["one component=a/x"]);
        std::fs::write(&path, "one component=a/x\ntwo component=a/y\nthree component=a/x\n").unwrap();
        assert_eq!(follow.read().await.unwrap().0, ["three component=a/x"]);
        assert_eq!(follow.read().await.unwrap().0, [""; 0]);
        std::fs::write(&path, "anew component=a/x\n").unwrap();
        assert_eq!(follow.read().await.unwrap().0, ["anew component=a/x"]);
    }

    #[tokio::test]
    async fn of_a_long_log_the_end_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.log");
        let line = format!("{} component=a/x\n", "x".repeat(100));
        let text = line.repeat(usize::try_from(BACK).unwrap() / line.len() + 100);
        std::fs::write(&path, format!("{text}last component=a/x\n")).unwrap();
        let (lines, is_cut) = follow(path, None).read().await.unwrap();
        assert_eq!((lines.len(), is_cut), (LAST, true));
        assert_eq!(lines[LAST - 1], "last component=a/x");
    }
}
