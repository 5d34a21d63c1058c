//! A single request and its response.

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
    /// Creates a resource below this one, or performs an action on it.
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

    /// Whether a request that may have arrived can be repeated without repeating its effect.
    pub const fn is_repeatable(self) -> bool {
        matches!(self, Self::Get | Self::Put | Self::Delete)
    }
}

/// An HTTP request.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The full URL, with its query.
    pub url: String,
    /// Headers in order, with names in lower case. The transport adds those that describe the body's length.
    pub headers: Vec<(String, String)>,
    /// The token, which is sent in the header `x-auth-token`.
    pub token: Option<Secret>,
    /// The body, as JSON.
    pub body: Option<Value>,
}

impl Request {
    /// Creates a request without headers and body.
    pub fn new(method: Method, url: impl Into<String>) -> Self {
        Self { method, url: url.into(), headers: Vec::new(), token: None, body: None }
    }
}

/// A service's response.
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
    /// Whether the status indicates success.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The first header with this name, which must be in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Why there is no response.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Lost {
    /// The request was not sent, so it had no effect.
    #[error("{0}")]
    Unsent(String),
    /// The request was sent, or may have been. It is unknown whether it was carried out.
    #[error("{0}")]
    Unanswered(String),
    /// The server cannot be trusted. Nothing was sent, and retrying is useless.
    #[error("{1}")]
    Untrusted(Flaw, String),
}

/// A flaw of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It was not issued by a trusted authority.
    Issuer,
    /// It is for other hosts.
    Host,
    /// It has expired, or is not valid yet.
    Time,
    /// Any other flaw.
    Other,
}

/// A transport for requests, with a clock.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Sends `request` once.
    ///
    /// # Errors
    ///
    /// No response was received.
    async fn send(&self, request: &Request) -> Result<Response, Lost>;

    /// Pauses for this long.
    async fn pause(&self, time: Duration);

    /// The current wall-clock time.
    fn now(&self) -> SystemTime;
}
