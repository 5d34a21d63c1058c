//! The connection to the editor.

use std::collections::VecDeque;
use std::thread;

use lsp_server::{Connection, Message};
use lsp_types::CancelParams;
use lsp_types::notification::{Cancel, Notification as _};

use crate::server::{Server, cancelled};

/// Serves the editor over the standard input and output. Returns whether it ended the connection in an orderly way.
pub fn serve_stdio(server: &mut Server<'_>) -> bool {
    let (stdio, threads) = Connection::stdio();
    // That connection passes on one message at a time. Messages wait here, so that a cancelled request can be found.
    let (Connection { receiver, .. }, waiting) = Connection::memory();
    thread::spawn(move || stdio.receiver.into_iter().try_for_each(|message| waiting.sender.send(message)));
    let in_order = serve(server, Connection { sender: stdio.sender, receiver });
    // A message that violates the protocol has ended the reader, and with it the connection.
    threads.join().is_ok() && in_order
}

/// Serves the client of `connection` until it disconnects. Returns whether it ended the connection in an orderly way:
/// by `shutdown`, and then `exit`.
pub fn serve(server: &mut Server<'_>, connection: Connection) -> bool {
    let mut queue = VecDeque::new();
    while let Some(message) = next(&connection, &mut queue, server) {
        if let Some(response) = server.take(message)
            && connection.sender.send(response.into()).is_err()
        {
            break;
        }
        if let Some(in_order) = server.ended() {
            return in_order;
        }
    }
    false
}

/// Returns the next message. Sends diagnostics while there is none. Responds to requests that are cancelled while they
/// wait.
fn next(connection: &Connection, queue: &mut VecDeque<Message>, server: &mut Server<'_>) -> Option<Message> {
    let send = |message: Message| connection.sender.send(message).is_ok();
    loop {
        let arrived = match connection.receiver.try_recv() {
            Ok(message) => message,
            Err(_) if !queue.is_empty() => return queue.pop_front(),
            Err(_) => {
                if !server.publish().into_iter().all(send) {
                    return None;
                }
                connection.receiver.recv().ok()?
            }
        };
        match cancelled_by(&arrived).and_then(|id| waiting(queue, &id)) {
            Some(at) => {
                if let Some(Message::Request(request)) = queue.remove(at)
                    && !send(cancelled(request.id).into())
                {
                    return None;
                }
            }
            None => queue.push_back(arrived),
        }
    }
}

/// The identifier of the request that a message cancels.
fn cancelled_by(message: &Message) -> Option<String> {
    let Message::Notification(notification) = message else { return None };
    let params = (notification.method == Cancel::METHOD).then(|| notification.params.clone())?;
    let CancelParams { id } = serde_json::from_value(params).ok()?;
    serde_json::to_string(&id).ok()
}

/// The index of a waiting request.
fn waiting(queue: &VecDeque<Message>, id: &str) -> Option<usize> {
    let is_it = |message: &Message| match message {
        Message::Request(request) => serde_json::to_string(&request.id).is_ok_and(|own| own == id),
        _ => false,
    };
    queue.iter().position(is_it)
}
