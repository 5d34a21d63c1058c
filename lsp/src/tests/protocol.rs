use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value, json};

use super::SHOP;
use crate::testing::{URI, no_files, notify, open, request};
use crate::{Server, serve};

const INVALID_REQUEST: i32 = -32600;
const NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const NOT_INITIALIZED: i32 = -32002;
const CANCELLED: i32 = -32800;

#[test]
fn what_comes_too_early_or_too_late_is_refused() {
    let files = no_files();
    let mut server = Server::new(&files, Vec::new());
    let code = |result: Result<Value, (i32, String)>| result.expect_err("it is refused").0;
    assert_eq!(code(request(&mut server, "textDocument/hover", json!({}))), NOT_INITIALIZED);
    request(&mut server, "initialize", json!({"capabilities": {}})).expect("it begins");
    assert_eq!(code(request(&mut server, "initialize", json!({"capabilities": {}}))), INVALID_REQUEST);
    assert_eq!(request(&mut server, "shutdown", Value::Null), Ok(Value::Null));
    assert_eq!(code(request(&mut server, "textDocument/hover", json!({}))), INVALID_REQUEST);
    assert_eq!(server.ended(), None);
    notify(&mut server, "exit", Value::Null);
    assert_eq!(server.ended(), Some(true));
}

#[test]
fn an_exit_without_shutdown_is_not_in_order() {
    let files = no_files();
    let mut server = Server::new(&files, Vec::new());
    notify(&mut server, "exit", Value::Null);
    assert_eq!(server.ended(), Some(false));
}

#[test]
fn what_is_unknown_or_wrong_has_a_proper_error() {
    let files = no_files();
    let mut asked = open(SHOP, &files);
    let elsewhere = json!({"textDocument": {"uri": "file:///other.yaml"}});
    for method in ["completion", "hover", "definition", "references", "prepareRename", "rename", "documentSymbol"] {
        let further = json!({"textDocument": elsewhere["textDocument"], "newName": "x", "context": {"includeDeclaration": true, "triggerKind": 1}});
        let (code, message) = asked.ask(&format!("textDocument/{method}"), further).expect_err("it is not open");
        assert_eq!((code, message.as_str()), (INVALID_PARAMS, "the document `file:///other.yaml` is not open"));
    }
    let (code, _) = request(&mut asked.server, "textDocument/foldingRange", json!({})).expect_err("unknown");
    assert_eq!(code, NOT_FOUND);
    let (code, _) = request(&mut asked.server, "textDocument/hover", json!({"at": 1})).expect_err("wrong");
    assert_eq!(code, INVALID_PARAMS);
    // Notifications get no response, whatever is wrong with them.
    notify(&mut asked.server, "textDocument/didChange", json!({"contentChanges": 3}));
    notify(&mut asked.server, "$/unknown", json!({}));
    let beyond = json!({"position": {"line": 4_000_000_000_u32, "character": 4_000_000_000_u32}});
    asked.ask("textDocument/hover", beyond).expect("a position beyond the end is the end");
}

#[test]
fn a_request_that_waits_can_be_cancelled() {
    let (own, client) = Connection::memory();
    let send = |message: Message| client.sender.send(message).expect("it is there");
    let ask = |id: i32, method: &str, params: Value| send(Request::new(id.into(), method.into(), params).into());
    let tell = |method: &str, params: Value| send(Notification::new(method.into(), params).into());
    ask(1, "initialize", json!({"capabilities": {}}));
    tell("initialized", json!({}));
    let item = json!({"uri": URI, "languageId": "yaml", "version": 1, "text": SHOP});
    tell("textDocument/didOpen", json!({"textDocument": item}));
    let at = json!({"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}});
    ask(2, "textDocument/hover", at.clone());
    ask(3, "textDocument/completion", at);
    tell("$/cancelRequest", json!({"id": 3}));
    tell("$/cancelRequest", json!({"id": 9}));
    ask(4, "shutdown", Value::Null);
    tell("exit", Value::Null);
    let files = no_files();
    assert!(serve(&mut Server::new(&files, Vec::new()), own));
    let mut codes: Vec<(RequestId, Option<i32>)> = Vec::new();
    for message in client.receiver.try_iter() {
        if let Message::Response(response) = message {
            codes.push((response.id, response.response_result.err().map(|error| error.code)));
        }
    }
    codes.sort();
    let expected = [(1, None), (2, None), (3, Some(CANCELLED)), (4, None)];
    assert_eq!(codes, expected.map(|(id, code)| (RequestId::from(id), code)));
}
