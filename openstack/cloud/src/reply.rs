//! Responses, and errors in each service's format.

use serde_json::{Value, json};
use wattle_openstack::Response;

/// A service of the cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Service {
    Keystone,
    Nova,
    Neutron,
    Cinder,
    Glance,
    Placement,
}

/// Why a request is refused: the HTTP status and a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// The request is invalid.
    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }

    /// The resource does not exist.
    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Self::new(404, message)
    }

    /// The request conflicts with the present state.
    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(409, message)
    }

    /// The request exceeds the quota; the status depends on the service.
    pub(crate) fn over_quota(service: Service) -> Self {
        let status = match service {
            Service::Neutron => 409,
            Service::Cinder | Service::Glance => 413,
            Service::Nova | Service::Keystone | Service::Placement => 403,
        };
        Self::new(status, "Quota exceeded")
    }

    pub(crate) fn response(self, service: Service) -> Response {
        let Self { status, message } = self;
        let body = match service {
            Service::Keystone => json!({ "error": { "code": status, "message": message, "title": title(status) } }),
            Service::Nova | Service::Cinder => json!({ fault(status): { "code": status, "message": message } }),
            Service::Neutron => json!({ "NeutronError": { "type": title(status), "message": message, "detail": "" } }),
            Service::Placement => {
                json!({ "errors": [{ "status": status, "title": title(status), "detail": message, "request_id": "req-0" }] })
            }
            Service::Glance => {
                return Response {
                    status,
                    headers: Vec::new(),
                    body: format!("{status} {}\n\n{message}\n", title(status)).into_bytes(),
                };
            }
        };
        self::json(status, &body)
    }
}

/// The name of an error in Nova and Cinder.
fn fault(status: u16) -> &'static str {
    match status {
        400 => "badRequest",
        401 => "unauthorized",
        403 => "forbidden",
        404 => "itemNotFound",
        405 => "badMethod",
        409 => "conflictingRequest",
        413 | 429 => "overLimit",
        503 => "serviceUnavailable",
        _ => "computeFault",
    }
}

fn title(status: u16) -> &'static str {
    match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        413 => "Request Entity Too Large",
        429 => "Too Many Requests",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

pub(crate) type Answer = Result<Response, Refusal>;

/// A JSON response.
pub(crate) fn json(status: u16, body: &Value) -> Response {
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    Response { status, headers, body: body.to_string().into_bytes() }
}

/// A response without a body.
pub(crate) fn empty(status: u16) -> Response {
    Response { status, headers: Vec::new(), body: Vec::new() }
}
