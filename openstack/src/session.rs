//! Requests to a cloud's services, logged in.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::lock::Mutex;
use serde_json::Value;

use crate::fault::{said, what};
use crate::identity::{self, Token};
use crate::page;
use crate::version::{self, Range, Version};
use crate::wire::Lost;
use crate::{Cloud, Fault, Method, Request, Response, Wire};

/// A token is replaced this long before it ends, for the services' clocks.
const EARLY: Duration = Duration::from_mins(1);

/// The longest pause between two tries, if the service does not say how long.
const LONGEST: Duration = Duration::from_secs(30);

/// Most pages of a list: a service that says of each that there is another one is wrong.
const PAGES: usize = 10_000;

/// What is asked of a service.
#[derive(Clone, Debug)]
pub struct Call {
    /// The type of the service, by its name of today: `block-storage`.
    pub service: &'static str,
    /// What is done.
    pub method: Method,
    /// The path behind the service's version, with its query: `/servers?limit=5`.
    pub path: String,
    /// What is sent.
    pub body: Option<Value>,
    /// The smaller version of the API that it is said in, if it matters.
    pub version: Option<Version>,
    /// No request for it is begun after this, however often it is asked again.
    pub until: Option<SystemTime>,
    /// It is not sent again when it was not answered, although that would do no harm now: a request that is late would undo what somebody
    /// does meanwhile to what has the same name.
    pub once: bool,
}

impl Call {
    /// A call without a body.
    pub fn new(service: &'static str, method: Method, path: impl Into<String>) -> Self {
        Self { service, method, path: path.into(), body: None, version: None, until: None, once: false }
    }

    /// With a body.
    pub fn body(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    /// In a version.
    pub fn version(self, version: Version) -> Self {
        Self { version: Some(version), ..self }
    }

    /// Not begun after `until`.
    pub fn until(self, until: SystemTime) -> Self {
        Self { until: Some(until), ..self }
    }

    /// Not sent again when it was not answered.
    pub fn once(self) -> Self {
        Self { once: true, ..self }
    }
}

/// Somebody who is logged in at a cloud, and stays so: a token that has ended is replaced.
///
/// Services that are busy are asked again, for as long as the session is patient. What may have been carried out is asked again only if
/// that does no harm ([`Method::is_repeatable`]); of everything else the caller has to find out what has become.
pub struct Session {
    cloud: Cloud,
    wire: Arc<dyn Wire>,
    patience: Duration,
    token: Mutex<Option<Arc<Token>>>,
    ranges: Mutex<BTreeMap<&'static str, Option<Range>>>,
}

impl Session {
    /// Somebody at `cloud` who asks a busy service again for as long as `patience`.
    pub fn new(cloud: Cloud, wire: Arc<dyn Wire>, patience: Duration) -> Self {
        Self { cloud, wire, patience, token: Mutex::default(), ranges: Mutex::default() }
    }

    /// The cloud.
    pub fn cloud(&self) -> &Cloud {
        &self.cloud
    }

    /// The time of the clock by which it waits.
    pub fn now(&self) -> SystemTime {
        self.wire.now()
    }

    /// The token, a new one if there is none that counts.
    ///
    /// # Errors
    ///
    /// The cloud does not let one in, or its identity service is not reached.
    pub async fn token(&self) -> Result<Arc<Token>, Fault> {
        // Held while somebody logs in: the others wait, and take the same one.
        let mut held = self.token.lock().await;
        if let Some(token) = &*held
            && self.wire.now() + EARLY < token.expires
        {
            return Ok(Arc::clone(token));
        }
        let request = identity::login(&self.cloud);
        let response = self.patiently("identity", &request, true, None).await?;
        let token = Arc::new(identity::token(&self.cloud, &request, &response)?);
        *held = Some(Arc::clone(&token));
        Ok(token)
    }

    /// Where a service is, with its version.
    ///
    /// # Errors
    ///
    /// The cloud has no such service, or one cannot log in.
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
        let place = match region {
            Some(region) if !regions.iter().any(|known| known == region) => {
                let has = wattle_words::names::some(regions.iter().map(String::as_str), 6);
                format!(" in the region `{region}`, which it does not have (it has {has})")
            }
            Some(region) => format!(" in the region `{region}`"),
            None => String::new(),
        };
        Err(Fault::NoService {
            cloud: self.cloud.name.clone(),
            service: service.to_owned(),
            place: format!("{place} with the interface `{}`", self.cloud.interface),
            known: token.catalogue.services(),
        })
    }

    /// Sees that a service answers where it should be: asked for its versions, it may say anything.
    ///
    /// # Errors
    ///
    /// It does not answer, or there is no such service.
    pub async fn reach(&self, service: &'static str) -> Result<(), Fault> {
        let mut request = Request::new(Method::Get, version::root(&self.url(service).await?));
        request.token = Some(self.token().await?.token.clone());
        match self.patiently(service, &request, true, None).await? {
            // What stands before a service that is away answers so.
            response if response.status >= 500 => Err(Fault::refused(service, &request, &response)),
            _ => Ok(()),
        }
    }

    /// Sees that a service speaks `version`, once.
    ///
    /// # Errors
    ///
    /// It does not, or there is no such service.
    pub async fn need(&self, service: &'static str, version: Version) -> Result<(), Fault> {
        let mut ranges = self.ranges.lock().await;
        let range = if let Some(range) = ranges.get(service) {
            *range
        } else {
            let url = self.url(service).await?;
            let response = self.authorized(service, Request::new(Method::Get, version::root(&url)), true, None).await?;
            let range = serde_json::from_slice(&response.body).ok().as_ref().and_then(Range::read);
            ranges.insert(service, range);
            range
        };
        // A service that says nothing of smaller versions answers for itself.
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

    /// Asks, and gives what is answered; nothing, if the answer is empty.
    ///
    /// # Errors
    ///
    /// Why it was not done, or that this is not known.
    pub async fn call(&self, call: Call) -> Result<Value, Fault> {
        let url = self.url(call.service).await?;
        self.ask(&call, format!("{url}{}", call.path)).await
    }

    /// All items of a list, over all of its pages. `key` is what they stand under: `servers`.
    ///
    /// # Errors
    ///
    /// Why they are not had.
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

    /// Sends it with a token, once more with a new one if the first is no longer good.
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
        if (200..300).contains(&response.status) {
            return Ok(response);
        }
        Err(Fault::refused(service, &request, &response))
    }

    /// Nobody uses `token` any more, unless somebody has replaced it already.
    async fn forget(&self, token: &Arc<Token>) {
        let mut held = self.token.lock().await;
        if held.as_ref().is_some_and(|known| Arc::ptr_eq(known, token)) {
            *held = None;
        }
    }

    /// Sends it until there is an answer that says something of it, and never after `until`.
    async fn patiently(
        &self,
        service: &str,
        request: &Request,
        repeats: bool,
        until: Option<SystemTime>,
    ) -> Result<Response, Fault> {
        let began = self.wire.now();
        let mut pause = Duration::from_secs(1);
        let is_over = |at: SystemTime| until.is_some_and(|until| until < at);
        if is_over(began) {
            return Err(Fault::TooLate { service: service.to_owned(), what: what(request) });
        }
        loop {
            let answer = self.wire.send(request).await;
            let since = self.wire.now().duration_since(began).unwrap_or_default();
            let wait = match &answer {
                Ok(response) if is_busy(response) => left_alone(response).unwrap_or(pause),
                Ok(response) => return Ok(response.clone()),
                Err(Lost::Unsent(_)) => pause,
                Err(Lost::Unanswered(_)) if repeats => pause,
                Err(lost) => return Err(Fault::lost(service, request, lost.clone())),
            };
            if since + wait > self.patience || is_over(self.wire.now() + wait) {
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
            self.wire.pause(wait).await;
            pause = (pause * 2).min(LONGEST);
        }
    }
}

/// Whether a service could not do it now, and has done nothing.
///
/// 429 and 503 say so always; Nova's 413 does with `Retry-After` only (otherwise what was sent is too long).
fn is_busy(response: &Response) -> bool {
    matches!(response.status, 429 | 503) || (response.status == 413 && response.header("retry-after").is_some())
}

/// For how long a service asks to be left alone. OpenStack's say seconds; of a date, which HTTP allows as well, nothing is taken.
fn left_alone(response: &Response) -> Option<Duration> {
    response.header("retry-after")?.trim().parse().ok().map(Duration::from_secs)
}
