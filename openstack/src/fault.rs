//! Why a request failed.

mod help;

use std::time::Duration;

use thiserror::Error;
use wattle_words::{shown, time};

use crate::transport::{Flaw, Lost, Method, Request, Response};

/// The longest text of a service that a message quotes, in characters.
const QUOTED: usize = 500;

/// The reason for which a request failed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    /// The service refuses the request.
    #[error("{service} refuses {what} (status {status}): {message}")]
    Refused {
        /// The type of the service.
        service: String,
        /// The request: its method and path.
        what: String,
        /// The HTTP status.
        status: u16,
        /// The service's message.
        message: String,
    },
    /// The service could not carry out the request, despite retries.
    #[error("{service} has been busy for {}: asked {what}, it answers {status}: {message}", time::span(Duration::from_secs(since.as_secs())))]
    Busy {
        /// The type of the service.
        service: String,
        /// The request.
        what: String,
        /// The HTTP status of its last response.
        status: u16,
        /// The service's message.
        message: String,
        /// How long the request was retried.
        since: Duration,
    },
    /// The service is unreachable. The request had no effect.
    #[error("{service} cannot be reached at {url}: {why}")]
    Unreachable {
        /// The type of the service.
        service: String,
        /// Its expected URL.
        url: String,
        /// The reason.
        why: String,
    },
    /// The server's certificate is not trusted. The request had no effect.
    #[error("the certificate of `{host}` is not trusted: {why}")]
    Untrusted {
        /// Host and port.
        host: String,
        /// What is wrong with the certificate.
        flaw: Flaw,
        /// The flaw as text.
        why: String,
    },
    /// No time was left for the request, so it was not sent.
    #[error("{service} was not asked {what}, because the deadline has passed")]
    TooLate {
        /// The type of the service.
        service: String,
        /// The request.
        what: String,
    },
    /// It is unknown whether the request took effect: it was sent, and no response arrived.
    #[error("{service} was asked {what} and has not answered, so it may have been done: {why}")]
    Unknown {
        /// The type of the service.
        service: String,
        /// The request.
        what: String,
        /// Why there is no response.
        why: String,
    },
    /// The response does not match the service's API.
    #[error("{service}, asked {what}, sent an answer that does not match its API: {why}")]
    Senseless {
        /// The type of the service.
        service: String,
        /// The request.
        what: String,
        /// What is wrong with the response.
        why: String,
    },
    /// The identity service rejects the login.
    #[error("the cloud `{cloud}` does not let {who} in: {message}")]
    LoggedOut {
        /// The cloud.
        cloud: String,
        /// The user who tried to log in.
        who: String,
        /// The service's message.
        message: String,
    },
    /// The token used to log in is invalid or has expired.
    #[error("the cloud `{cloud}` does not accept the token, which may have expired: {message}")]
    Ended {
        /// The cloud.
        cloud: String,
        /// The service's message.
        message: String,
    },
    /// The configured URL is not that of an identity service.
    #[error("the cloud `{cloud}` has no identity service at {url}: {why}")]
    NoIdentity {
        /// The cloud.
        cloud: String,
        /// The full URL of the request.
        url: String,
        /// The response from that URL.
        why: String,
    },
    /// The cloud's catalogue has no such region.
    #[error("the cloud `{cloud}` has no region `{region}`")]
    NoRegion {
        /// The cloud.
        cloud: String,
        /// The region.
        region: String,
        /// The existing regions.
        known: Vec<String>,
    },
    /// The cloud has no such service.
    #[error("the cloud `{cloud}` has no service of the type `{service}`{place}")]
    NoService {
        /// The cloud.
        cloud: String,
        /// The type of the service.
        service: String,
        /// The region and the interface in which it is missing.
        place: String,
        /// The types of the available services.
        known: Vec<String>,
    },
    /// The service is too old or too new.
    #[error("{service} of the cloud `{cloud}` speaks versions {least} to {most}, and {wanted} is needed")]
    Version {
        /// The cloud.
        cloud: String,
        /// The type of the service.
        service: String,
        /// The required version.
        wanted: String,
        /// The oldest version that it supports.
        least: String,
        /// The newest version that it supports.
        most: String,
    },
}

impl Fault {
    /// Returns the message, followed by the advice on how to fix the fault.
    pub fn in_full(&self) -> String {
        match self.help() {
            Some(help) => format!("{self}: {help}"),
            None => self.to_string(),
        }
    }

    /// Whether the service reports that the resource does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Refused { status: 404, .. })
    }

    /// Whether the service refuses this operation for this user, or in general.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { status: 400..500, .. })
    }

    /// Whether the cloud rejects the login, so that retrying is useless.
    pub fn is_locked_out(&self) -> bool {
        matches!(self, Self::LoggedOut { .. } | Self::Ended { .. })
    }

    /// Whether the same request may succeed later.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Busy { .. }
                | Self::Unreachable { .. }
                | Self::TooLate { .. }
                | Self::Unknown { .. }
                | Self::Refused { status: 409, .. }
        )
    }

    pub(crate) fn lost(service: &str, request: &Request, lost: Lost) -> Self {
        match lost {
            Lost::Unsent(why) => Self::Unreachable { service: service.into(), url: origin(&request.url).into(), why },
            Lost::Untrusted(flaw, why) => Self::Untrusted { host: host(&request.url).into(), flaw, why },
            // A login changes nothing, so it is safe to repeat.
            Lost::Unanswered(why) if service == "identity" => Self::lost(service, request, Lost::Unsent(why)),
            Lost::Unanswered(why) => Self::Unknown { service: service.into(), what: what(request), why },
        }
    }

    pub(crate) fn refused(service: &str, request: &Request, response: &Response) -> Self {
        let message = said(response);
        Self::Refused { service: service.into(), what: what(request), status: response.status, message }
    }

    pub(crate) fn senseless(service: &str, request: &Request, why: impl Into<String>) -> Self {
        Self::Senseless { service: service.into(), what: what(request), why: why.into() }
    }
}

/// The method and the path of a request, for messages.
pub(crate) fn what(request: &Request) -> String {
    let path = request.url.strip_prefix(origin(&request.url)).unwrap_or(&request.url);
    let path = path.split('?').next().unwrap_or(path);
    let verb = match request.method {
        Method::Get => "to read",
        Method::Post => "to create",
        Method::Put => "to set",
        Method::Patch => "to change",
        Method::Delete => "to delete",
    };
    format!("{verb} `{path}`")
}

/// Scheme, host and port of a URL.
pub(crate) fn origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    url[start..].find(['/', '?']).map_or(url, |end| &url[..start + end])
}

/// Whether a refusal is due to a quota. Neutron uses status 409 for that, Nova 403, Cinder 413.
pub(crate) fn is_quota(message: &str) -> bool {
    let message = message.to_lowercase();
    message.contains("quota") || message.contains("maximum number of")
}

/// Host and port of a URL.
fn host(url: &str) -> &str {
    let origin = origin(url);
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

/// Extracts the message from an error response. Each service has its own format:
///
/// Nova `{"badRequest": {"message"}}`, Neutron `{"NeutronError": {"message", "detail"}}`, Keystone `{"error": {"message"}}`,
/// Cinder like Nova, Glance HTML or text, Octavia `{"faultstring"}`, and proxies anything.
pub(crate) fn said(response: &Response) -> String {
    let text = String::from_utf8_lossy(&response.body);
    let json: Option<serde_json::Value> = serde_json::from_slice(&response.body).ok();
    let found = json.as_ref().and_then(message).map(str::to_owned);
    let text = found.unwrap_or_else(|| without_tags(&text));
    let line = shown::one_line(text.split_whitespace().collect::<Vec<_>>().join(" ").trim());
    match line.char_indices().nth(QUOTED) {
        _ if line.is_empty() => "it does not say why".into(),
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// The first `message`, `faultstring` or text of an error, at most two levels deep.
fn message(json: &serde_json::Value) -> Option<&str> {
    let map = json.as_object()?;
    for key in ["message", "faultstring", "debuginfo", "detail"] {
        if let Some(text) = map.get(key).and_then(|value| value.as_str()).filter(|text| !text.is_empty()) {
            return Some(text);
        }
    }
    map.values().find_map(|value| match value {
        serde_json::Value::Object(_) => message(value),
        serde_json::Value::Array(items) => items.iter().find_map(message),
        serde_json::Value::String(text) if map.len() == 1 => Some(text),
        _ => None,
    })
}

/// Strips the HTML tags from a page.
fn without_tags(page: &str) -> String {
    if !page.contains('<') {
        return page.to_owned();
    }
    let mut text = String::new();
    for (number, piece) in page.split('<').enumerate() {
        match piece.split_once('>') {
            Some((_, after)) if number > 0 => {
                text.push(' ');
                text.push_str(after);
            }
            _ => text.push_str(piece),
        }
    }
    text
}
