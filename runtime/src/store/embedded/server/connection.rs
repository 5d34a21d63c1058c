//! One connection: logs the client in, handles its requests, and cleans up after it.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;

use crate::store::embedded::outbox::Outbox;
use crate::store::embedded::wire::{self, Greeting, Hello, Inbox, PROTOCOL};

use super::requests::{Connection, Shared, lock};

/// A client with more unsent data than this is not read from until it accepts some.
const MAX_UNSENT: usize = 16 << 20;

/// How long a client may take to log in.
const HELLO: Duration = Duration::from_secs(30);

pub(super) async fn serve(shared: Arc<Shared>, stream: UnixStream) {
    let cut = shared.cut.notified();
    let (mut reader, writer) = stream.into_split();
    let outbox = Arc::new(Outbox::new(writer));
    let mut inbox = Inbox::default();
    let served = async {
        let connection = greet(&shared, &outbox, &mut inbox, &mut reader).await?;
        let connection = Guard { shared: &shared, connection };
        listen(&connection, &mut inbox, &mut reader).await
    };
    let ended = tokio::select! {
        () = cut => Ok(()),
        ended = served => ended,
        ended = outbox.pump() => ended,
    };
    if let Err(error) = ended
        && error.kind() == io::ErrorKind::InvalidData
    {
        tracing::warn!(%error, "what connected to the data space is not one of its clients");
    }
}

/// Logs the client in.
async fn greet(
    shared: &Shared,
    outbox: &Arc<Outbox>,
    inbox: &mut Inbox,
    reader: &mut OwnedReadHalf,
) -> io::Result<Arc<Connection>> {
    let hello = async {
        loop {
            if let Some(frame) = inbox.next()? {
                let protocol = wire::protocol_of(frame)?;
                return Ok::<_, io::Error>(match wire::parse::<Hello>(frame) {
                    Ok(hello) if protocol == PROTOCOL => Ok(hello),
                    Err(error) if protocol == PROTOCOL => return Err(error),
                    _ => Err(format!("it speaks version {PROTOCOL} of the protocol, this program version {protocol}")),
                });
            }
            inbox.fill(reader).await?;
        }
    };
    let hello = tokio::time::timeout(HELLO, hello).await??;
    let greeting = hello.and_then(|hello| Ok((shared.admit(&hello.logins)?, hello.client)));
    match greeting {
        Ok((who, client)) => {
            outbox.send(&wire::frame(&Greeting::Welcome));
            let (watches, holds) = Default::default();
            let who = Mutex::new(who);
            Ok(Arc::new(Connection { outbox: Arc::clone(outbox), who, client, watches, holds }))
        }
        Err(reason) => {
            outbox.send(&wire::frame(&Greeting::Refused(reason)));
            // Allow the client time to read the response, but no more.
            let _ = tokio::time::timeout(HELLO, inbox.fill(reader)).await;
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }
}

async fn listen(connection: &Guard<'_>, inbox: &mut Inbox, reader: &mut OwnedReadHalf) -> io::Result<()> {
    loop {
        while let Some(frame) = inbox.next()? {
            let (id, request) = wire::parse(frame)?;
            connection.shared.handle(&connection.connection, id, request);
        }
        connection.shared.flush();
        connection.connection.outbox.drained(MAX_UNSENT).await;
        inbox.fill(reader).await?;
    }
}

/// Cleans up after a connection.
struct Guard<'a> {
    shared: &'a Arc<Shared>,
    connection: Arc<Connection>,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        {
            let mut state = self.shared.state();
            for (path, watch) in std::mem::take(&mut *lock(&self.connection.watches)).into_values() {
                state.tree.unwatch(&path, watch);
            }
            for held in std::mem::take(&mut *lock(&self.connection.holds)).into_values() {
                held.release(&mut state);
            }
        }
        self.shared.flush();
    }
}
