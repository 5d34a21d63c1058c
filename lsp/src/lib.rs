//! A language server for Heat templates: plain ones, and extended ones, which describe components.
//!
//! What belongs here: what an editor shows about a template (diagnostics, hover, completion, names, an outline), as
//! functions of its text; the [`Server`], which is a function of the received messages; and [`serve_stdio`], the only
//! I/O. What does not: rules of templates, which are those of `wattle-heat` and `wattle-hot`.
//!
//! ```
//! use lsp_server::{Message, Request};
//! use serde_json::json;
//! use wattle_heat::files::NoFiles;
//! use wattle_lsp::Server;
//!
//! let mut server = Server::new(&NoFiles, Vec::new());
//! let begin = Request::new(1.into(), "initialize".into(), json!({"capabilities": {}}));
//! let response = server.take(Message::Request(begin)).expect("every request has a response");
//! assert!(response.response_result.is_ok());
//! ```

mod answers;
mod capabilities;
mod complete;
mod context;
mod cursor;
mod diagnose;
mod document;
mod files;
mod hover;
mod names;
mod rename;
mod repair;
mod serve;
mod server;
mod shape;
mod software;
mod symbols;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;

pub use serve::{serve, serve_stdio};
pub use server::Server;
