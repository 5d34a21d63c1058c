//! The server: its open documents, and its responses to requests.

use std::collections::{BTreeMap, BTreeSet};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Notification as _, PublishDiagnostics,
};
use lsp_types::request::{
    Completion, DocumentSymbolRequest, GotoDefinition, HoverRequest, Initialize, PrepareRenameRequest, References,
    Rename, Request as _, ResolveCompletionItem, Shutdown,
};
use lsp_types::{InitializeParams, PublishDiagnosticsParams, Uri};
use serde::de::DeserializeOwned;
use serde_json::Value;
use wattle_heat::files::Files;

use crate::answers;
use crate::capabilities::initialized;
use crate::diagnose::diagnostics;
use crate::document::{Analysis, Document};
use crate::files::{Near, Open, path};

/// Why a request has no result: a code of the protocol, and a message.
pub(crate) type Refused = (ErrorCode, String);

/// A language server, as a function of the received messages.
#[derive(Debug)]
pub struct Server<'f> {
    stored: &'f dyn Files,
    /// The environments of all templates.
    environments: Vec<String>,
    state: State,
    snippets: bool,
    documents: BTreeMap<Uri, Document>,
    open: Open,
    /// Documents whose diagnostics have to be sent.
    dirty: BTreeSet<Uri>,
}

/// The state of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Begun,
    Running,
    ShutDown,
    /// The client has disconnected. The value is whether it announced that before.
    Gone(bool),
}

impl<'f> Server<'f> {
    /// Creates a server that reads files that are not open in the editor from `stored`. All templates get these
    /// environments, which are absolute paths.
    pub fn new(stored: &'f dyn Files, environments: Vec<String>) -> Self {
        Self {
            stored,
            environments,
            state: State::Begun,
            snippets: false,
            documents: BTreeMap::new(),
            open: Open::new(),
            dirty: BTreeSet::new(),
        }
    }

    /// Whether the client has ended the connection; if so, whether it did in an orderly way.
    pub fn ended(&self) -> Option<bool> {
        match self.state {
            State::Gone(in_order) => Some(in_order),
            _ => None,
        }
    }

    /// Handles a message, and returns the response to it, if there is one.
    pub fn take(&mut self, message: Message) -> Option<Response> {
        match message {
            Message::Request(request) => Some(self.respond(request)),
            Message::Notification(notification) => {
                self.notice(notification);
                None
            }
            Message::Response(_) => None,
        }
    }

    /// The diagnostics of changed documents, once there is nothing else to do.
    pub fn publish(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.dirty).into_iter().map(|uri| self.diagnostics(uri).into()).collect()
    }

    fn diagnostics(&self, uri: Uri) -> Notification {
        let document = self.documents.get(&uri);
        let found = document
            .filter(|document| document.is_template())
            .map(|document| diagnostics(document, self.analysis(document), self.near(document)));
        let version = document.map(|document| document.version);
        let params = PublishDiagnosticsParams { uri, diagnostics: found.unwrap_or_default(), version };
        Notification::new(PublishDiagnostics::METHOD.to_owned(), params)
    }

    fn respond(&mut self, request: Request) -> Response {
        let id = request.id.clone();
        match self.answer(request) {
            Ok(result) => Response::new_ok(id, result),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        }
    }

    fn answer(&mut self, request: Request) -> Result<Value, Refused> {
        let method = request.method.as_str();
        match self.state {
            State::Begun if method == Initialize::METHOD => {
                let params: InitializeParams = read(request.params)?;
                self.state = State::Running;
                self.snippets = snippets(&params).unwrap_or_default();
                return write(initialized());
            }
            State::Begun => return Err((ErrorCode::ServerNotInitialized, "`initialize` comes first".into())),
            State::Running if method == Initialize::METHOD => {
                return Err((ErrorCode::InvalidRequest, "the server is initialized already".into()));
            }
            State::Running => {}
            State::ShutDown | State::Gone(_) => {
                return Err((ErrorCode::InvalidRequest, "the server has been shut down".into()));
            }
        }
        let params = request.params;
        match method {
            Shutdown::METHOD => {
                self.state = State::ShutDown;
                Ok(Value::Null)
            }
            HoverRequest::METHOD => write(answers::hover(self, &read(params)?)?),
            Completion::METHOD => write(answers::completion(self, &read(params)?)?),
            ResolveCompletionItem::METHOD => write(crate::complete::resolve(read(params)?)),
            GotoDefinition::METHOD => write(answers::definition(self, &read(params)?)?),
            References::METHOD => write(answers::references(self, &read(params)?)?),
            PrepareRenameRequest::METHOD => write(answers::prepare_rename(self, &read(params)?)?),
            Rename::METHOD => write(answers::rename(self, &read(params)?)?),
            DocumentSymbolRequest::METHOD => write(answers::symbols(self, &read(params)?)?),
            _ => Err((ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
        }
    }

    /// Handles a notification. By the protocol, a malformed one gets no response.
    fn notice(&mut self, notification: Notification) {
        let params = notification.params;
        match notification.method.as_str() {
            "exit" => self.state = State::Gone(self.state == State::ShutDown),
            _ if self.state != State::Running => {}
            DidOpenTextDocument::METHOD => {
                if let Ok(params) = serde_json::from_value::<lsp_types::DidOpenTextDocumentParams>(params) {
                    let item = params.text_document;
                    let document = Document::new(item.uri.clone(), item.version, item.text);
                    self.documents.insert(item.uri.clone(), document);
                    self.changed(&item.uri);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Ok(params) = serde_json::from_value::<lsp_types::DidChangeTextDocumentParams>(params)
                    && let Some(document) = self.documents.get_mut(&params.text_document.uri)
                {
                    params.content_changes.iter().for_each(|change| document.text.apply(change));
                    document.version = params.text_document.version;
                    self.changed(&params.text_document.uri);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Ok(params) = serde_json::from_value::<lsp_types::DidCloseTextDocumentParams>(params) {
                    let uri = params.text_document.uri;
                    self.documents.remove(&uri);
                    self.changed(&uri);
                }
            }
            // The stored file may have changed.
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => {
                let all: Vec<Uri> = self.documents.keys().cloned().collect();
                all.iter().for_each(|uri| self.forget(uri));
            }
            _ => {}
        }
    }

    /// Records that a document has been opened, changed or closed. Others may refer to it.
    fn changed(&mut self, uri: &Uri) {
        if let Some(path) = path(uri) {
            match self.documents.get(uri) {
                Some(document) => self.open.insert(path.clone(), document.text.whole.as_str().into()),
                None => self.open.remove(&path),
            };
            let refers = |document: &&Document| self.refers(document, &path);
            let others: Vec<Uri> = self.documents.values().filter(refers).map(|other| other.uri.clone()).collect();
            others.iter().for_each(|other| self.forget(other));
        }
        self.forget(uri);
    }

    fn forget(&mut self, uri: &Uri) {
        if let Some(document) = self.documents.get_mut(uri) {
            document.forget();
        }
        self.dirty.insert(uri.clone());
    }

    /// Whether the analysis of a document depends on the file at `path`.
    fn refers(&self, document: &Document, path: &str) -> bool {
        let Some(analysis) = document.known() else { return false };
        let near = self.near(document);
        let library = &analysis.loaded.library;
        let mut files = library.contents.keys().chain(library.recipes.keys());
        files.any(|file| near.whole(file).as_deref() == Some(path)) || self.environments.iter().any(|file| file == path)
    }

    /// An open document.
    pub(crate) fn document(&self, uri: &Uri) -> Result<&Document, Refused> {
        let unknown = || (ErrorCode::InvalidParams, format!("the document `{}` is not open", uri.as_str()));
        self.documents.get(uri).ok_or_else(unknown)
    }

    /// The analysis of a document.
    pub(crate) fn analysis<'d>(&self, document: &'d Document) -> &'d Analysis {
        document.analysis(self.near(document), &self.environments)
    }

    /// The files around a document.
    pub(crate) fn near<'d>(&'d self, document: &'d Document) -> Near<'d> {
        Near { folder: document.folder.as_deref(), open: &self.open, stored: self.stored }
    }

    /// Whether a completion can set the cursor's position in the editor.
    pub(crate) fn snippets(&self) -> bool {
        self.snippets
    }
}

/// The response to a cancelled request.
pub(crate) fn cancelled(id: RequestId) -> Response {
    Response::new_err(id, ErrorCode::RequestCanceled as i32, "the client has cancelled the request".into())
}

fn snippets(params: &InitializeParams) -> Option<bool> {
    let completion = params.capabilities.text_document.as_ref()?.completion.as_ref()?;
    completion.completion_item.as_ref()?.snippet_support
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, Refused> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

fn write(result: impl serde::Serialize) -> Result<Value, Refused> {
    serde_json::to_value(result).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}
