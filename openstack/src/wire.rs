//! One request and its answer.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::Value;
use thiserror::Error;

use crate::Secret;

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Reads the resource.
    Get,
    /// Creates something below the resource, or has something done to it.
    Post,
    /// Replaces the resource.
    Put,
    /// Changes parts of the resource.
    Patch,
    /// Removes the resource.
    Delete,
}

impl Method {
    /// The method as HTTP writes it.
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
    /// The method.
    pub method: Method,
    /// The whole URL, with its query.
    pub url: String,
    /// Headers in order, with names in lower case. The wire itself adds those that give the length of the body.
    pub headers: Vec<(String, String)>,
    /// The token, which goes into the header `x-auth-token`.
    pub token: Option<Secret>,
    /// The body, as JSON.
    pub body: Option<Value>,
}

impl Request {
    /// A request without headers and body.
    pub fn new(method: Method, url: impl Into<String>) -> Self {
        Self { method, url: url.into(), headers: Vec::new(), token: None, body: None }
    }
}

/// A service's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// Whether the request was carried out.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The first header of this name, which must be in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Lost {
    /// The request was not sent, so nothing was done.
    #[error("{0}")]
    Unsent(String),
    /// The request was sent, or may have been. It is unknown whether it was carried out.
    #[error("{0}")]
    Unanswered(String),
    /// The server cannot be trusted. Nothing was sent, and trying again is useless.
    #[error("{1}")]
    Untrusted(Flaw, String),
}

/// What is wrong with a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// No trusted authority has issued it.
    Issuer,
    /// It is for other hosts.
    Host,
    /// It has expired, or is not valid yet.
    Time,
    /// Anything else.
    Other,
}

/// Transports requests to services, and knows the time.
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

    /// The current wall-clock time.
    fn now(&self) -> SystemTime;
}
