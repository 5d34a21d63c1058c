//! A simulated cloud, and a worker that carries out jobs in it.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use serde_json::Value as Json;
use wattle_cloud::{Doing, Near, Rule, Setting, World};
use wattle_converge::{Id, Job, Outcome, Time, What};
use wattle_model::{Name, Value};
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::driver::{Mark, OpenStack, Seen, kinds};
use wattle_openstack::session::Call;
use wattle_openstack::{Cloud, Fault, Lost, Method, Request, Response, Session, Transport};

use super::jobs::{Desk, Jobs, value};

/// How long after its start a job may begin requests, and how long after that one may still arrive.
pub(crate) const LEASE: Duration = Duration::from_mins(1);
pub(crate) const GRACE: Duration = Duration::from_secs(90);

/// The cloud, and the requests to it.
struct Heard {
    near: Arc<Near>,
    asked: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Transport for Heard {
    async fn send(&self, request: &Request) -> Result<Response, Lost> {
        let path = request.url.strip_prefix("http://cloud.test").unwrap_or(&request.url);
        // The action on a server or a volume is in the body.
        let action = request.body.as_ref().filter(|_| path.ends_with("/action"));
        let action = action.and_then(|body| body.as_object()?.keys().next().map(|key| format!(" {key}")));
        let asked = format!("{} {path}{}", request.method.as_str(), action.unwrap_or_default());
        self.asked.lock().expect("asked").push(asked);
        self.near.send(request).await
    }

    async fn pause(&self, time: Duration) {
        self.near.pause(time).await;
    }

    fn now(&self) -> SystemTime {
        self.near.now()
    }
}

pub(crate) struct Stage {
    pub(crate) near: Arc<Near>,
    pub(crate) session: Arc<Session>,
    asked: Arc<Mutex<Vec<String>>>,
    pub(crate) hands: OpenStack,
    next: Cell<u64>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::of(Setting::default())
    }

    pub(crate) fn of(setting: Setting) -> Self {
        let now = SystemTime::UNIX_EPOCH + Duration::from_hours(498_756);
        let near = Arc::new(Near::new(World::new(setting, now), now));
        let text = "clouds: {test: {auth: {auth_url: 'http://cloud.test/identity', username: demo, password: demo, project_name: demo}}}";
        let sources = CloudConfig { clouds: Some(("clouds.yaml".into(), text.into())), ..CloudConfig::default() };
        let asked = Arc::default();
        let transport = Arc::new(Heard { near: Arc::clone(&near), asked: Arc::clone(&asked) }) as Arc<dyn Transport>;
        let session = Session::new(Cloud::choose(&sources, None).expect("a cloud"), transport, Duration::from_mins(5));
        let session = Arc::new(session);
        let hands = OpenStack::new(Arc::clone(&session), Mark::new("shop"));
        Self { near, session, asked, hands, next: Cell::new(1) }
    }

    pub(crate) fn befall(&self, method: Method, path: &str, times: u32, doing: Doing) {
        self.near.world().befall(Rule { method: Some(method), path: path.into(), after: 0, times, doing });
    }

    /// The requests to the cloud since the last call.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("asked"))
    }

    /// Carries out one job with this lease.
    pub(crate) fn once_until(&self, lease: Duration, row: Id, kind: &str, phys: Option<&str>, what: What) -> Outcome {
        self.carried_out(&Job { phys: phys.map(Name::from), ..self.job(lease, row, kind, what) })
    }

    /// Creates a thing for a new row.
    pub(crate) fn new_one(&self, row: Id, kind: &str, properties: &Json) -> Outcome {
        let what = What::Create { properties: value(properties) };
        self.carried_out(&Job { is_new: true, ..self.job(LEASE, row, kind, what) })
    }

    fn job(&self, lease: Duration, row: Id, kind: &str, what: What) -> Job {
        let now = self.near.now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
        let not_after = Time::from_millis(u64::try_from(now.as_millis()).expect("this century")) + lease;
        let (id, name) = (Id { term: 2, number: 0 }, "web".into());
        Job {
            id,
            row,
            name,
            kind: kind.into(),
            phys: None,
            noted: BTreeMap::new(),
            left: BTreeSet::new(),
            what,
            is_new: false,
            not_after,
        }
    }

    fn carried_out(&self, job: &Job) -> Outcome {
        self.hands.carry_out(job).now_or_never().expect("nothing to wait for")
    }

    pub(crate) fn create(&self, row: Id, kind: &str, properties: &Json) -> Outcome {
        self.once(row, kind, None, What::Create { properties: value(properties) })
    }

    pub(crate) fn listed(&self, kinds: &[&str], desk: &Desk) -> Result<Vec<Seen>, Fault> {
        let kinds: BTreeSet<Name> = kinds.iter().map(|kind| Name::from(*kind)).collect();
        self.hands.list(&kinds, desk).now_or_never().expect("nothing to wait for")
    }

    /// Everything that has the deployment's mark.
    pub(crate) fn everything(&self) -> Vec<Seen> {
        let all: Vec<&str> = kinds().map(|kind| kind.name).collect();
        // A fault may still be pending, in which case the list shows nothing.
        (0..20).find_map(|_| self.listed(&all, &Desk::default()).ok()).expect("lists")
    }

    pub(crate) fn ask(&self, call: Call) -> Result<Json, Fault> {
        self.session.call(call).now_or_never().expect("nothing to wait for")
    }
}

impl Jobs for Stage {
    fn row(&self) -> Id {
        self.next.set(self.next.get() + 1);
        Id { term: 1, number: self.next.get() }
    }

    fn pass(&self, time: Duration) {
        self.near.pass(time);
    }

    fn once_left(
        &self,
        row: Id,
        kind: &str,
        phys: Option<&str>,
        what: What,
        noted: &BTreeMap<Name, Value>,
        left: &BTreeSet<Name>,
    ) -> Outcome {
        let job = self.job(LEASE, row, kind, what);
        self.carried_out(&Job { phys: phys.map(Name::from), noted: noted.clone(), left: left.clone(), ..job })
    }

    fn answer(&self, call: Call) -> Json {
        self.ask(call).expect("an answer")
    }

    fn list(&self, kind: &str, desk: &Desk) -> Vec<Seen> {
        self.listed(&[kind], desk).expect("a list")
    }

    fn has(&self, _: &str, _: &str) -> bool {
        true
    }
}

/// The message of a refusal.
pub(crate) fn refused(outcome: Outcome) -> String {
    match outcome {
        Outcome::Refused(why) => why.to_string(),
        outcome => panic!("it is not refused: {outcome:?}"),
    }
}
