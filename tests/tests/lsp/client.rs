//! A client of the Language Server Protocol.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};
use wattle_tests::command::wattle;

/// A server, and its messages.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: i32,
    /// The latest diagnostics of each document.
    pub(crate) diagnostics: BTreeMap<String, Value>,
}

impl Client {
    /// Starts and initializes a server.
    pub(crate) fn begin() -> Self {
        let mut client = Self::start();
        let result = client.ask("initialize", json!({"processId": null, "rootUri": null, "capabilities": {}}));
        assert_eq!(result.unwrap()["serverInfo"]["name"], "wattle");
        client.tell("initialized", json!({}));
        client
    }

    /// Starts a server.
    pub(crate) fn start() -> Self {
        Self::of(Command::new(wattle()).args(["lsp", "--stdio"]))
    }

    /// Starts this command as a server.
    pub(crate) fn of(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, last: 0, diagnostics: BTreeMap::new() }
    }

    /// Sends these bytes as they are.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).and_then(|()| input.flush()).unwrap();
    }

    fn message(&mut self, message: Value) {
        let text = message.to_string();
        self.send(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.message(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request, and returns its ID.
    pub(crate) fn begin_ask(&mut self, method: &str, params: Value) -> i32 {
        self.last += 1;
        self.message(json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}));
        self.last
    }

    /// The result of a request, or its error.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.begin_ask(method, params);
        self.answer(id)
    }

    /// The response to the request with this ID. Diagnostics before it are kept.
    pub(crate) fn answer(&mut self, id: i32) -> Result<Value, Value> {
        loop {
            let message = self.read().expect("a response");
            // A request from the server may have the same ID.
            if message["id"] == id && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
        }
    }

    /// The next message. `None` once the server has ended.
    pub(crate) fn read(&mut self) -> Option<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).unwrap();
        let message: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            self.diagnostics.insert(params["uri"].as_str().unwrap().to_owned(), params["diagnostics"].clone());
        }
        Some(message)
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        self.open_as("yaml", uri, text);
    }

    pub(crate) fn open_as(&mut self, language: &str, uri: &str, text: &str) {
        let item = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": item}));
    }

    /// Waits for the diagnostics of a document, and returns them.
    pub(crate) fn diagnosed(&mut self, uri: &str) -> Value {
        while !self.diagnostics.contains_key(uri) {
            self.read().expect("diagnostics");
        }
        self.diagnostics.remove(uri).unwrap()
    }

    /// Closes the standard input, and returns the server's exit status.
    pub(crate) fn end(mut self) -> ExitStatus {
        self.input.take();
        while self.read().is_some() {}
        self.child.wait().unwrap()
    }
}
