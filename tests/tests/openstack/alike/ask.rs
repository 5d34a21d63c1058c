//! A client of a cloud that uses values from earlier answers in later requests.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use wattle_openstack::clouds::{CloudConfig, Login};
use wattle_openstack::{Cloud, Request, Session, Transport};
use wattle_runtime::openstack::Http;

use super::script::{IDENTITY, Step};

/// The answer of a cloud.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    /// Whether the cloud reached the awaited state, if the step waits.
    pub(crate) came: bool,
}

/// The timeout of an operation.
const LONGEST: Duration = Duration::from_mins(5);

/// A client that is logged in.
pub(crate) struct Asker {
    session: Session,
    /// The URL of the identity service.
    identity: String,
    wire: Arc<dyn Transport>,
    /// Values from earlier answers, by name.
    known: BTreeMap<&'static str, String>,
    runtime: tokio::runtime::Runtime,
}

impl Asker {
    pub(crate) fn new(sources: &CloudConfig) -> Self {
        let cloud = Cloud::choose(sources, None).expect("a cloud");
        let identity = format!("{}/v3", cloud.auth_url);
        let Login::Password { password, .. } = &cloud.login else { panic!("one logs in by a password") };
        let password = password.reveal().to_owned();
        let wire: Arc<dyn Transport> = Arc::new(Http::new(&cloud).expect("a wire"));
        let session = Session::new(cloud, Arc::clone(&wire), Duration::from_secs(30));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a time after 1970");
        let unique = format!("alike-{:x}", now.as_micros());
        let known = BTreeMap::from([("unique", unique), ("password", password)]);
        Self { session, identity, wire, known, runtime }
    }

    /// The answers to these steps. A step that waits is repeated until its answer matches.
    pub(crate) fn follow(mut self, steps: impl Iterator<Item = &'static Step>) -> Vec<Answer> {
        let mut answers = Vec::new();
        for step in steps {
            let began = Instant::now();
            let answer = loop {
                let mut answer = self.ask(step);
                answer.came = step.until.is_none_or(|(pointer, value)| match answer.body.pointer(pointer) {
                    Some(Value::String(text)) => text == value,
                    _ => value.parse() == Ok(answer.status),
                });
                if answer.came || began.elapsed() > LONGEST {
                    break answer;
                }
                std::thread::sleep(Duration::from_millis(500));
            };
            for (name, pointer) in step.keeps {
                let value = answer.body.pointer(pointer).and_then(Value::as_str);
                let value = value.unwrap_or_else(|| panic!("{}: no {pointer} in {}", step.name, answer.body));
                self.known.insert(name, value.to_owned());
            }
            answers.push(answer);
        }
        answers
    }

    /// The text with known values in place of `<NAME>`.
    fn filled(&self, text: &str) -> String {
        self.known.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("<{name}>"), value))
    }

    fn ask(&self, step: &Step) -> Answer {
        self.runtime.block_on(async {
            let base = match step.service {
                IDENTITY => self.identity.clone(),
                service => self.session.url(service).await.expect("the cloud has the service"),
            };
            let mut request = Request::new(step.method, format!("{base}{}", self.filled(step.path)));
            request.token = Some(self.session.token().await.expect("a token").token.clone());
            if let Some(version) = step.version {
                // Cinder still uses its former service name.
                let service = if step.service == "block-storage" { "volume" } else { step.service };
                request.headers.push(("openstack-api-version".into(), format!("{service} {version}")));
            }
            request.body = (!step.body.is_empty()).then(|| {
                let text = self.filled(step.body);
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
            });
            let response = self.wire.send(&request).await.unwrap_or_else(|lost| panic!("{}: {lost}", step.name));
            let body = serde_json::from_slice(&response.body).unwrap_or_default();
            Answer { status: response.status, body, came: true }
        })
    }
}
