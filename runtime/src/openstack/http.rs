//! Requests to a cloud over HTTP.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use hyper::body::{Body as _, Incoming};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use wattle_openstack::{Cloud, Lost, Request, Response, Transport};

use super::trust;

/// How long a service may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The timeout of a response. A leader that takes over waits longer than that.
const ANSWER: Duration = Duration::from_mins(1);

/// How long an idle connection is kept. Services close idle connections, and a request sent at that moment is lost.
const IDLE: Duration = Duration::from_secs(4);

/// The maximum size of a response, in bytes.
const MOST: usize = 64 * 1024 * 1024;

/// A client for HTTP, and for HTTPS with the authorities in the cloud's settings.
#[derive(Clone, Debug)]
pub struct Http {
    client: Client<HttpsConnector<HttpConnector>, String>,
}

impl Http {
    /// Creates a client for `cloud`.
    ///
    /// # Errors
    /// Its authorities cannot be used; the error is a message.
    pub fn new(cloud: &Cloud) -> Result<Self, String> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT));
        tcp.set_nodelay(true);
        let https = HttpsConnectorBuilder::new().with_tls_config(trust::config(cloud)?).https_or_http().enable_http1();
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(TokioTimer::new())
            .build(https.wrap_connector(tcp));
        Ok(Self { client })
    }

    async fn ask(&self, request: &Request) -> Result<Response, Lost> {
        let unsent = |error: &dyn std::fmt::Display| Lost::Unsent(error.to_string());
        let mut asked = hyper::Request::builder()
            .method(request.method.as_str())
            .uri(&request.url)
            .header("accept", "application/json")
            .header("user-agent", concat!("wattle/", env!("CARGO_PKG_VERSION")));
        for (name, value) in &request.headers {
            asked = asked.header(name, value);
        }
        if let Some(token) = &request.token {
            let mut value = hyper::header::HeaderValue::from_str(token.reveal()).map_err(|error| unsent(&error))?;
            value.set_sensitive(true);
            asked = asked.header("x-auth-token", value);
        }
        let body = request.body.as_ref().map(ToString::to_string);
        if body.is_some() {
            asked = asked.header("content-type", "application/json");
        }
        let asked = asked.body(body.unwrap_or_default()).map_err(|error| unsent(&error))?;
        let answer = self.client.request(asked).await.map_err(|error| lost(&error))?;
        let (head, body) = answer.into_parts();
        let text = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
        Ok(Response { status: head.status.as_u16(), headers, body: whole(body).await? })
    }
}

#[async_trait]
impl Transport for Http {
    async fn send(&self, request: &Request) -> Result<Response, Lost> {
        let answer = tokio::time::timeout(ANSWER, self.ask(request)).await;
        answer
            .unwrap_or_else(|_| Err(Lost::Unanswered(format!("there was no answer for {} seconds", ANSWER.as_secs()))))
    }

    async fn pause(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

async fn whole(mut body: Incoming) -> Result<Vec<u8>, Lost> {
    let mut held = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|error| Lost::Unanswered(innermost(&error)))?;
        held.extend(frame.into_data().unwrap_or_default());
        if held.len() > MOST {
            return Err(Lost::Unanswered(format!("the answer is longer than {} MB", MOST / (1024 * 1024))));
        }
    }
    Ok(held)
}

/// Classifies the reason why there is no response.
fn lost(error: &Error) -> Lost {
    match trust::refusal(chain(error)) {
        Some((flaw, why)) => Lost::Untrusted(flaw, why),
        None if chain(error).any(speaks_no_tls) => Lost::Unsent("what answers there does not speak TLS".into()),
        None if error.is_connect() => Lost::Unsent(innermost(error)),
        None => Lost::Unanswered(innermost(error)),
    }
}

fn speaks_no_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(rustls::Error::InvalidMessage(_)))
}

/// Iterates over an error and its sources. An I/O error hides one of them: the error that it wraps is not its source,
/// but that error's source is.
fn chain<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'e (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(held) => Some(held),
        None => error.source(),
    })
}

/// The innermost source of an error: the errors around it say only that there was one.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let error = chain(error).last().unwrap_or(error);
    match error.downcast_ref::<io::Error>() {
        Some(error) => wattle::manners::reason(error),
        None => error.to_string(),
    }
}
