//! Bodies of answers, and the stream of events.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use serde_json::json;
use tokio::sync::watch;

use super::answer::event;
use super::view::View;
use super::watcher::Looks;

/// How often something is sent when there is no news, so that dead connections are noticed.
pub(super) const PULSE: Duration = Duration::from_secs(15);

/// A body, sent at once or piece by piece as the client takes it. Dropping it leaves nothing behind.
pub(super) enum Flow {
    Whole(Option<Bytes>),
    Pieces(BoxStream<'static, Bytes>),
}

impl fmt::Debug for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Flow")
    }
}

impl Flow {
    pub(super) fn whole(text: String) -> Self {
        Self::Whole(Some(text.into()))
    }
}

impl Body for Flow {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match &mut *self {
            Self::Whole(bytes) => Poll::Ready(bytes.take()),
            Self::Pieces(pieces) => pieces.poll_next_unpin(context),
        };
        next.map(|next| next.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Self::Pieces(_) => SizeHint::default(),
        }
    }
}

/// What one browser was sent.
struct Sent {
    looks: Arc<Looks>,
    views: watch::Receiver<Arc<View>>,
    ended: watch::Receiver<Option<String>>,
    last: Option<Arc<View>>,
    is_over: bool,
}

/// The events of one browser: first everything, then what has changed since it was last sent, and finally that it is
/// over.
///
/// A browser that reconnects gets everything again, because there is no other way to say what was removed in the
/// meantime.
pub(super) fn events(looks: Arc<Looks>, ended: watch::Receiver<Option<String>>) -> Flow {
    let views = looks.look();
    let sent = Sent { looks, views, ended, last: None, is_over: false };
    let head = stream::once(async { Bytes::from_static(b"retry: 1000\n\n") });
    Flow::Pieces(head.chain(stream::unfold(sent, next)).boxed())
}

async fn next(mut sent: Sent) -> Option<(Bytes, Sent)> {
    if sent.is_over {
        return None;
    }
    loop {
        let has_more = tokio::select! {
            biased;
            _ = sent.ended.wait_for(Option::is_some) => Some(false),
            looked = tokio::time::timeout(PULSE, sent.views.changed()) => looked.ok().map(|looked| looked.is_ok()),
        };
        match has_more {
            Some(true) => {
                let view = Arc::clone(&sent.views.borrow_and_update());
                if let Some(bytes) = news(&mut sent, view) {
                    return Some((bytes, sent));
                }
            }
            None => return Some((Bytes::from_static(b": \n\n"), sent)),
            Some(false) => {
                sent.is_over = true;
                let why = sent.ended.borrow().clone();
                let last = sent.looks.last();
                let mut bytes = news(&mut sent, last).unwrap_or_default().to_vec();
                bytes.extend_from_slice(&event("end", &json!({ "why": why }).to_string()));
                return Some((bytes.into(), sent));
            }
        }
    }
}

/// Everything, or what differs from what was last sent. `None` if nothing does.
fn news(sent: &mut Sent, view: Arc<View>) -> Option<Bytes> {
    let bytes = match &sent.last {
        None if view.is_empty() => return None,
        None => event("state", &view.whole()),
        Some(last) => event("change", &view.since(last)?),
    };
    sent.last = Some(view);
    Some(bytes)
}
