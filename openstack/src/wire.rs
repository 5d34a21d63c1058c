//! One request and its answer.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::Value;
use thiserror::Error;

use crate::Secret;

/// What is done to what a URL names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Reads it.
    Get,
    /// Makes something below it, or has something done to it.
    Post,
    /// Puts something in its place.
    Put,
    /// Changes parts of it.
    Patch,
    /// Removes it.
    Delete,
}

impl Method {
    /// As HTTP writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Whether a request that may have arrived can be sent again without doing anything twice.
    pub const fn is_repeatable(self) -> bool {
        matches!(self, Self::Get | Self::Put | Self::Delete)
    }
}

/// One request.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is done.
    pub method: Method,
    /// The whole URL, with its query.
    pub url: String,
    /// Headers in their order, names in lower case; those that say how long the body is are the wire's own.
    pub headers: Vec<(String, String)>,
    /// The token, which goes into the header `x-auth-token`.
    pub token: Option<Secret>,
    /// What is sent, as JSON.
    pub body: Option<Value>,
}

impl Request {
    /// A request without headers and body.
    pub fn new(method: Method, url: impl Into<String>) -> Self {
        Self { method, url: url.into(), headers: Vec::new(), token: None, body: None }
    }
}

/// What a service has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// HTTP's status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// What was sent.
    pub body: Vec<u8>,
}

impl Response {
    /// The first header of this name, which is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Lost {
    /// The request was not sent: nobody has done anything.
    #[error("{0}")]
    Unsent(String),
    /// The request was sent, or may have been: whether it was carried out is not known.
    #[error("{0}")]
    Unanswered(String),
    /// Whoever is there cannot be trusted: nothing was sent, and it is no use to try again.
    #[error("{1}")]
    Untrusted(Flaw, String),
}

/// What is wrong with a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Nobody who is trusted has issued it.
    Issuer,
    /// It is for other hosts.
    Host,
    /// It has ended, or has not begun.
    Time,
    /// Anything else.
    Other,
}

/// What carries a request to its service, and knows what time it is.
#[async_trait]
pub trait Wire: Send + Sync {
    /// Sends `request` once.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    async fn send(&self, request: &Request) -> Result<Response, Lost>;

    /// Waits.
    async fn pause(&self, time: Duration);

    /// The time of the clock on the wall.
    fn now(&self) -> SystemTime;
}
