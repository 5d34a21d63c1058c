//! Requests and their answers.

use std::net::IpAddr;
use std::sync::Arc;

use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use tokio::sync::watch;

use super::guard::{Token, is_own, parameter};
use super::stream::Flow;
use super::watcher::Looks;
use super::{Shown, log, page, refusal, stream};

/// What answers are made from.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) shown: Shown,
    pub(super) token: Token,
    /// The address that the server listens on.
    pub(super) own: IpAddr,
    pub(super) looks: Arc<Looks>,
    /// Why it is over, once it is.
    pub(super) ended: watch::Receiver<Option<String>>,
}

pub(super) async fn answer(asked: &Asked, request: &Request<Incoming>) -> Response<Flow> {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| request.uri().host()).unwrap_or_default();
    if !is_own(host, asked.own) {
        let why = "The live view answers to `localhost` and to addresses, and to no other name.";
        let help = "Open the URL that `wattle` printed.";
        return refused(request, StatusCode::FORBIDDEN, "This name is not answered", &[why, help]);
    }
    if !asked.token.is_in(request.uri()) {
        let why =
            "Open the complete URL that `wattle` printed last. It ends with a token, which is different each time.";
        let help = "If that command has ended, start it again, or run `wattle status --ui`.";
        return refused(request, StatusCode::FORBIDDEN, "This URL is not valid", &[why, help]);
    }
    if request.method() != Method::GET {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "nothing can be changed here\n");
    }
    match request.uri().path() {
        "/" => match page::page(&asked.shown, &asked.token).await {
            Ok(html) => respond(StatusCode::OK, "text/html; charset=utf-8", Flow::whole(html)),
            Err(error) => {
                let lines = [&*error.to_string(), "Once the data space answers again, reload this page."];
                refused(request, StatusCode::SERVICE_UNAVAILABLE, "The data space cannot be read", &lines)
            }
        },
        "/events" => {
            let flow = stream::events(Arc::clone(&asked.looks), asked.ended.clone());
            respond(StatusCode::OK, "text/event-stream", flow)
        }
        "/log" => {
            let of = parameter(request.uri(), "of").unwrap_or_default();
            match log::find(asked, &of).await {
                Some(place) => respond(StatusCode::OK, "text/event-stream", log::lines(place, asked.ended.clone())),
                None => plain(StatusCode::NOT_FOUND, "there is no such server or component\n"),
            }
        }
        _ => plain(StatusCode::NOT_FOUND, "there is nothing with this name\n"),
    }
}

/// The answer when the largest number of viewers has been reached.
pub(super) fn no_room(request: &Request<Incoming>, most: usize) -> Response<Flow> {
    let why = format!("All {most} connections of this live view are in use.");
    let help = "Close a window that shows it, and reload this page.";
    refused(request, StatusCode::SERVICE_UNAVAILABLE, "There is no room for another window", &[&why, help])
}

/// Why there is no answer and what to do: a page for who has asked for the page, otherwise text.
fn refused(request: &Request<Incoming>, status: StatusCode, title: &str, lines: &[&str]) -> Response<Flow> {
    if request.uri().path() == "/" {
        return respond(status, "text/html; charset=utf-8", Flow::whole(refusal::page(title, lines)));
    }
    plain(status, &format!("{title}\n{}\n", lines.join("\n")))
}

fn plain(status: StatusCode, text: &str) -> Response<Flow> {
    respond(status, "text/plain; charset=utf-8", Flow::whole(text.to_owned()))
}

fn respond(status: StatusCode, content_type: &'static str, body: Flow) -> Response<Flow> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        // The page itself lists the scripts that may run, by their digests.
        (
            header::CONTENT_SECURITY_POLICY,
            "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; object-src 'none'",
        ),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.headers_mut().insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    response
}

/// One event of a stream (HTML, "Server-sent events"); `data` has no line breaks, as JSON has none.
pub(super) fn event(name: &str, data: &str) -> Bytes {
    format!("event: {name}\ndata: {data}\n\n").into()
}
