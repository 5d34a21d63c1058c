//! Authenticated requests to a cloud's services.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::lock::Mutex;
use serde_json::Value;

use crate::fault::{said, what};
use crate::identity::{self, Token};
use crate::names::Names;
use crate::page;
use crate::transport::Lost;
use crate::version::{self, Range, Version};
use crate::waits::{Wait, Waits};
use crate::{Cloud, Fault, Method, Request, Response, Transport};

/// How long before its expiry a token is replaced, to allow for clock skew.
const EARLY: Duration = Duration::from_mins(1);

/// The longest pause between two attempts, unless the service specifies one.
const LONGEST: Duration = Duration::from_secs(30);

/// The maximum number of pages of a list. A service that always announces another page is faulty.
const PAGES: usize = 10_000;

/// A request to a service.
#[derive(Clone, Debug)]
pub struct Call {
    /// The type of the service, by its present name: `block-storage`.
    pub service: &'static str,
    /// The method.
    pub method: Method,
    /// The path after the service's version, with its query: `/servers?limit=5`.
    pub path: String,
    /// The body.
    pub body: Option<Value>,
    /// The microversion of the API that the request uses, if it matters.
    pub version: Option<Version>,
    /// The time after which no attempt is started, retries included.
    pub until: Option<SystemTime>,
    /// Whether the request must not be repeated if no response arrives, even if its method is repeatable: a late copy
    /// could undo a later change to a resource of the same name.
    pub once: bool,
}

impl Call {
    /// A call without a body.
    pub fn new(service: &'static str, method: Method, path: impl Into<String>) -> Self {
        Self { service, method, path: path.into(), body: None, version: None, until: None, once: false }
    }

    /// Adds a JSON body to the request.
    pub fn body(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    /// Requires a microversion of the API. The session checks that the service supports it.
    pub fn version(self, version: Version) -> Self {
        Self { version: Some(version), ..self }
    }

    /// Sets the time after which no attempt is started.
    pub fn until(self, until: SystemTime) -> Self {
        Self { until: Some(until), ..self }
    }

    /// Marks the call as not to be repeated if no response arrives.
    pub fn once(self) -> Self {
        Self { once: true, ..self }
    }
}

/// An authenticated connection to a cloud. It remains valid: expired tokens are replaced.
///
/// Requests to busy services are retried for as long as the session's patience lasts. A request that may have been
/// carried out is repeated only if that is harmless ([`Method::is_repeatable`]). For all others, the caller has to find
/// out whether they took effect.
pub struct Session {
    cloud: Cloud,
    transport: Arc<dyn Transport>,
    patience: Duration,
    token: Mutex<Option<Arc<Token>>>,
    ranges: Mutex<BTreeMap<&'static str, Option<Range>>>,
    pub(crate) names: Names,
    waits: Waits,
}

impl Session {
    /// Creates a session at `cloud` that retries requests to busy services for at most `patience`.
    pub fn new(cloud: Cloud, transport: Arc<dyn Transport>, patience: Duration) -> Self {
        let (token, ranges) = (Mutex::default(), Mutex::default());
        Self { cloud, transport, patience, token, ranges, names: Names::default(), waits: Waits::default() }
    }

    /// The cloud that the session belongs to.
    pub fn cloud(&self) -> &Cloud {
        &self.cloud
    }

    /// The current time by the session's clock.
    pub fn now(&self) -> SystemTime {
        self.transport.now()
    }

    /// Pauses by the session's clock.
    pub(crate) async fn pause(&self, time: Duration) {
        self.transport.pause(time).await;
    }

    /// The request that has gone without a definite response the longest, because none arrives or the service is busy.
    pub fn waits(&self) -> Option<Wait> {
        self.waits.longest(self.transport.now())
    }

    /// Returns a valid token, obtaining a new one if necessary.
    ///
    /// # Errors
    ///
    /// The cloud rejects the login, or its identity service cannot be reached.
    pub async fn token(&self) -> Result<Arc<Token>, Fault> {
        // Held during a login, so that concurrent requests wait and share the token.
        let mut held = self.token.lock().await;
        if let Some(token) = &*held
            && self.transport.now() + EARLY < token.expires
        {
            return Ok(Arc::clone(token));
        }
        let request = identity::login(&self.cloud);
        let response = self.patiently("identity", &request, true, None).await?;
        let token = Arc::new(identity::token(&self.cloud, &request, &response)?);
        *held = Some(Arc::clone(&token));
        Ok(token)
    }

    /// The URL of a service, with its version.
    ///
    /// # Errors
    ///
    /// The cloud has no such service, or the login fails.
    pub async fn url(&self, service: &'static str) -> Result<String, Fault> {
        if let Some(url) = self.cloud.endpoints.get(service) {
            return Ok(version::base(service, url));
        }
        let token = self.token().await?;
        let region = self.cloud.region.as_deref();
        if let Some(url) = token.catalogue.url(service, &self.cloud.interface, region) {
            return Ok(version::base(service, url));
        }
        let regions = token.catalogue.regions();
        if let Some(region) =
            region.filter(|region| !regions.is_empty() && !regions.iter().any(|known| known == region))
        {
            return Err(Fault::NoRegion { cloud: self.cloud.name.clone(), region: region.to_owned(), known: regions });
        }
        let place = region.map_or_else(String::new, |region| format!(" in the region `{region}`"));
        Err(Fault::NoService {
            cloud: self.cloud.name.clone(),
            service: service.to_owned(),
            place: format!("{place} with the interface `{}`", self.cloud.interface),
            known: token.catalogue.services(),
        })
    }

    /// Checks that a service responds at its URL, whatever its response. The versions in the response are kept for
    /// [`Session::need`].
    ///
    /// # Errors
    ///
    /// The service does not respond, or does not exist.
    pub async fn reach(&self, service: &'static str) -> Result<(), Fault> {
        let mut request = Request::new(Method::Get, version::root(&self.url(service).await?));
        request.token = Some(self.token().await?.token.clone());
        match self.patiently(service, &request, true, None).await? {
            // A proxy in front of a stopped service responds like this.
            response if response.status >= 500 => Err(Fault::refused(service, &request, &response)),
            response if response.is_success() => {
                self.ranges.lock().await.insert(service, Range::of(&response));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Checks that a service supports `version`. Queries the service only once.
    ///
    /// # Errors
    ///
    /// The service does not support it, or does not exist.
    pub async fn need(&self, service: &'static str, version: Version) -> Result<(), Fault> {
        let mut ranges = self.ranges.lock().await;
        let range = if let Some(range) = ranges.get(service) {
            *range
        } else {
            let url = self.url(service).await?;
            let response = self.authorized(service, Request::new(Method::Get, version::root(&url)), true, None).await?;
            let range = Range::of(&response);
            ranges.insert(service, range);
            range
        };
        // A service that does not publish its microversions rejects unsupported ones itself.
        match range.filter(|range| !range.has(version)) {
            None => Ok(()),
            Some(range) => Err(Fault::Version {
                cloud: self.cloud.name.clone(),
                service: service.to_owned(),
                wanted: version.to_string(),
                least: range.least.to_string(),
                most: range.most.to_string(),
            }),
        }
    }

    /// Sends a request, and returns the body of the response; null if it is empty.
    ///
    /// # Errors
    ///
    /// The request failed, or its outcome is unknown.
    pub async fn call(&self, call: Call) -> Result<Value, Fault> {
        let url = self.url(call.service).await?;
        self.ask(&call, format!("{url}{}", call.path)).await
    }

    /// Returns all items of a list, from all of its pages. `key` is the key that holds them: `servers`.
    ///
    /// # Errors
    ///
    /// The list cannot be read.
    pub async fn list(&self, call: Call, key: &str) -> Result<Vec<Value>, Fault> {
        let mut url = format!("{}{}", self.url(call.service).await?, call.path);
        let mut items = Vec::new();
        for _ in 0..PAGES {
            let mut page = self.ask(&call, url.clone()).await?;
            let Some(Value::Array(listed)) = page.get_mut(key).map(Value::take) else {
                return Err(Fault::senseless(
                    call.service,
                    &Request::new(call.method, url),
                    format!("there is no list `{key}`"),
                ));
            };
            let is_last = listed.is_empty();
            items.extend(listed);
            match page::next(key, &page, &url) {
                Some(next) if !is_last && next != url => url = next,
                _ => return Ok(items),
            }
        }
        Err(Fault::senseless(call.service, &Request::new(call.method, url), "the list does not end"))
    }

    async fn ask(&self, call: &Call, url: String) -> Result<Value, Fault> {
        let mut request = Request::new(call.method, url);
        request.body.clone_from(&call.body);
        if let Some(version) = call.version {
            self.need(call.service, version).await?;
            let name = version::header_name(call.service);
            request.headers.push(("openstack-api-version".into(), format!("{name} {version}")));
        }
        let repeats = call.method.is_repeatable() && !call.once;
        let response = self.authorized(call.service, request.clone(), repeats, call.until).await?;
        if response.body.iter().all(u8::is_ascii_whitespace) {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&response.body)
            .map_err(|error| Fault::senseless(call.service, &request, error.to_string()))
    }

    /// Sends a request with a token, and repeats it with a new one if the first is no longer valid.
    async fn authorized(
        &self,
        service: &str,
        mut request: Request,
        repeats: bool,
        until: Option<SystemTime>,
    ) -> Result<Response, Fault> {
        let token = self.token().await?;
        request.token = Some(token.token.clone());
        let mut response = self.patiently(service, &request, repeats, until).await?;
        if response.status == 401 {
            self.forget(&token).await;
            request.token = Some(self.token().await?.token.clone());
            response = self.patiently(service, &request, repeats, until).await?;
        }
        if response.is_success() {
            return Ok(response);
        }
        Err(Fault::refused(service, &request, &response))
    }

    /// Discards `token`, unless it was replaced already.
    async fn forget(&self, token: &Arc<Token>) {
        let mut held = self.token.lock().await;
        if held.as_ref().is_some_and(|known| Arc::ptr_eq(known, token)) {
            *held = None;
        }
    }

    /// Sends a request until there is a definite response, but never after `until`.
    async fn patiently(
        &self,
        service: &str,
        request: &Request,
        repeats: bool,
        until: Option<SystemTime>,
    ) -> Result<Response, Fault> {
        let began = self.transport.now();
        let mut pause = Duration::from_secs(1);
        let is_over = |at: SystemTime| until.is_some_and(|until| until < at);
        if is_over(began) {
            return Err(Fault::TooLate { service: service.to_owned(), what: what(request) });
        }
        let waiting = self.waits.begin(service, began);
        loop {
            let answer = self.transport.send(request).await;
            let since = self.transport.now().duration_since(began).unwrap_or_default();
            let wait = match &answer {
                Ok(response) if is_busy(response) => left_alone(response).unwrap_or(pause),
                Ok(response) => return Ok(response.clone()),
                Err(Lost::Unsent(_)) => pause,
                Err(Lost::Unanswered(_)) if repeats => pause,
                Err(lost) => return Err(Fault::lost(service, request, lost.clone())),
            };
            if since + wait > self.patience || is_over(self.transport.now() + wait) {
                return match answer {
                    Ok(response) => Err(Fault::Busy {
                        service: service.to_owned(),
                        what: what(request),
                        status: response.status,
                        message: said(&response),
                        since,
                    }),
                    Err(lost) => Err(Fault::lost(service, request, lost)),
                };
            }
            waiting.answered(answer.ok().map(|response| response.status));
            self.transport.pause(wait).await;
            pause = (pause * 2).min(LONGEST);
        }
    }
}

/// Whether the response means that the service is busy and has done nothing.
///
/// 429 and 503 always mean that. Nova's 413 does only with `Retry-After`; otherwise the request is too large.
fn is_busy(response: &Response) -> bool {
    matches!(response.status, 429 | 503) || (response.status == 413 && response.header("retry-after").is_some())
}

/// How long the service asks to be left alone. OpenStack's services give seconds. HTTP also allows a date, which is
/// ignored.
fn left_alone(response: &Response) -> Option<Duration> {
    response.header("retry-after")?.trim().parse().ok().map(Duration::from_secs)
}
