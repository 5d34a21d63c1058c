//! Common parts of unit tests: a server with one document, and requests to it.

use std::collections::BTreeMap;

use lsp_server::{Message, Notification, Request};
use lsp_types::Position;
use serde_json::{Value, json};
use wattle_heat::files::Files;

use crate::Server;
use crate::text::Text;

/// The address of the document.
pub(crate) const URI: &str = "file:///site/template.yaml";

/// A server with a document, in which `¦` marks the cursor.
pub(crate) struct Asked<'f> {
    pub(crate) server: Server<'f>,
    pub(crate) text: Text,
    at: Position,
}

/// No files, for documents without references.
pub(crate) fn no_files() -> BTreeMap<String, Vec<u8>> {
    BTreeMap::new()
}

/// Creates a server in which the document is open.
pub(crate) fn open<'f>(marked: &str, stored: &'f dyn Files) -> Asked<'f> {
    let offset = marked.find('¦').unwrap_or(0);
    let text = Text::new(marked.replacen('¦', "", 1));
    let at = text.position(offset);
    let mut server = Server::new(stored, Vec::new());
    request(&mut server, "initialize", json!({"capabilities": {}})).expect("it begins");
    let item = json!({"uri": URI, "languageId": "yaml", "version": 1, "text": text.whole});
    notify(&mut server, "textDocument/didOpen", json!({"textDocument": item}));
    Asked { server, text, at }
}

impl Asked<'_> {
    /// The result of a request about the cursor, with these further parameters.
    pub(crate) fn ask(&mut self, method: &str, further: Value) -> Result<Value, (i32, String)> {
        let mut params = json!({"textDocument": {"uri": URI}, "position": self.at});
        for (key, value) in further.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        request(&mut self.server, method, params)
    }

    /// The text of a range of the document.
    pub(crate) fn at(&self, range: &Value) -> &str {
        let place = |end: &str| serde_json::from_value::<Position>(range[end].clone()).expect("a position");
        &self.text.whole[self.text.offset(place("start"))..self.text.offset(place("end"))]
    }

    /// The document after the edits of a rename.
    pub(crate) fn edited(&self, result: &Value) -> String {
        let mut edits: Vec<_> = result["changes"][URI].as_array().expect("edits").clone();
        let place = |edit: &Value, end: &str| {
            let position = serde_json::from_value::<Position>(edit["range"][end].clone()).expect("a position");
            self.text.offset(position)
        };
        edits.sort_by_key(|edit| std::cmp::Reverse(place(edit, "start")));
        let mut text = self.text.whole.clone();
        for edit in &edits {
            text.replace_range(place(edit, "start")..place(edit, "end"), edit["newText"].as_str().expect("text"));
        }
        text
    }
}

pub(crate) fn request(server: &mut Server<'_>, method: &str, params: Value) -> Result<Value, (i32, String)> {
    let response = server.take(Message::Request(Request::new(7.into(), method.into(), params)));
    let result = response.expect("every request has a response").response_result;
    result.map_err(|error| (error.code, error.message))
}

pub(crate) fn notify(server: &mut Server<'_>, method: &str, params: Value) {
    assert!(server.take(Message::Notification(Notification::new(method.into(), params))).is_none());
}

/// The diagnostics that a server sends now, by document.
pub(crate) fn published(server: &mut Server<'_>) -> BTreeMap<String, Vec<Value>> {
    let sent = server.publish().into_iter().map(|message| {
        let Message::Notification(notification) = message else { panic!("only notifications are published") };
        assert_eq!(notification.method, "textDocument/publishDiagnostics");
        let uri = notification.params["uri"].as_str().expect("an address").to_owned();
        (uri, notification.params["diagnostics"].as_array().expect("a list").clone())
    });
    sent.collect()
}
