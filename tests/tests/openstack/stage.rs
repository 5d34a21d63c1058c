//! A real cloud, and a client that carries out jobs in it.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Value as Json, json};
use wattle_converge::{Id, Job, Outcome, Time, What};
use wattle_model::{Name, Value};
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::driver::{Mark, OpenStack, Seen, kinds};
use wattle_openstack::session::Call;
use wattle_openstack::{Cloud, Method, Session};
use wattle_runtime::openstack::{Http, sources};
use wattle_tests::openstack::admin::Administrator;
use wattle_tests::skip::skipped;

use super::jobs::{Desk, Jobs, UNKNOWN};

/// How long after the start of a job its requests may be sent.
const LEASE: Duration = Duration::from_mins(2);

/// The cloud that the environment names.
pub(crate) struct Stage {
    runtime: tokio::runtime::Runtime,
    session: Arc<Session>,
    hands: OpenStack,
    next: Cell<u64>,
    /// The ID of a QoS policy that an administrator has created beforehand.
    policy: Option<String>,
}

impl Stage {
    /// A client with a mark that nothing else in the cloud has.
    pub(crate) fn new(mark: &str) -> Self {
        for (kind, property, why) in NOT_HERE {
            skipped(&format!("`{property}` of {kind} on a real OpenStack"), why);
        }
        Self::of(&sources().expect("files"), mark)
    }

    /// A client as the administrator, for jobs that nobody else may do.
    pub(crate) fn of_administrator(mark: &str) -> Self {
        let stage = Self::of(&Administrator::sources(), mark);
        let body = json!({ "policy": { "name": mark } });
        let made = stage.answer(Call::new("network", Method::Post, POLICIES).body(body));
        Self { policy: Some(made["policy"]["id"].as_str().expect("an id").to_owned()), ..stage }
    }

    fn of(sources: &CloudConfig, mark: &str) -> Self {
        let cloud = Cloud::choose(sources, None).expect("a cloud");
        let wire = Arc::new(Http::new(&cloud).expect("a wire"));
        let session = Arc::new(Session::new(cloud, wire, LEASE));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let hands = OpenStack::new(Arc::clone(&session), Mark::new(mark));
        Self { runtime, session, hands, next: Cell::new(1), policy: None }
    }

    /// Deletes the administrator's policy, which must no longer be in use.
    pub(crate) fn delete_policy(&self) {
        let policy = self.policy.as_deref().expect("it was made");
        self.answer(Call::new("network", Method::Delete, format!("{POLICIES}/{policy}")));
    }

    /// Everything with the mark.
    pub(crate) fn everything(&self) -> Vec<Seen> {
        let all: BTreeSet<Name> = kinds().map(|kind| kind.name.into()).collect();
        self.runtime.block_on(self.hands.list(&all, &Desk::default())).expect("lists")
    }

    /// Deletes everything with the mark, and repeats that as dependencies disappear.
    pub(crate) fn clear(&self) {
        for _ in 0..100 {
            let there = self.everything();
            if there.is_empty() {
                return;
            }
            for seen in there {
                self.once(seen.row, &seen.kind, Some(&seen.phys), What::Delete);
            }
            self.pass(Duration::from_secs(1));
        }
        panic!("this is still there: {:?}", self.everything());
    }
}

impl Jobs for Stage {
    fn row(&self) -> Id {
        self.next.set(self.next.get() + 1);
        Id { term: 1, number: self.next.get() }
    }

    fn pass(&self, time: Duration) {
        std::thread::sleep(time.min(Duration::from_secs(1)));
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
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
        let not_after = Time::from_millis(u64::try_from(now.as_millis()).expect("this century")) + LEASE;
        let job = Job {
            id: Id { term: 2, number: 0 },
            row,
            name: "web".into(),
            kind: kind.into(),
            phys: phys.map(Name::from),
            noted: noted.clone(),
            left: left.clone(),
            what,
            is_new: false,
            not_after,
        };
        self.runtime.block_on(self.hands.carry_out(&job))
    }

    fn answer(&self, call: Call) -> Json {
        self.runtime.block_on(self.session.call(call)).expect("an answer")
    }

    fn list(&self, kind: &str, desk: &Desk) -> Vec<Seen> {
        self.runtime.block_on(self.hands.list(&[kind.into()].into(), desk)).expect("a list")
    }

    fn has(&self, kind: &str, property: &str) -> bool {
        let is_admins = ADMINS.contains(&(kind, property));
        let is_here = !NOT_HERE.iter().any(|(other, without, _)| (*other, *without) == (kind, property));
        is_here && (self.policy.is_some() || !is_admins)
    }

    fn tries(&self, kind: &str) -> bool {
        self.policy.is_none() || ADMINS.iter().any(|(known, _)| *known == kind)
    }

    fn policy(&self) -> String {
        self.policy.clone().unwrap_or_else(|| UNKNOWN.to_owned())
    }
}

/// The path of Neutron's QoS policies.
const POLICIES: &str = "/qos/policies";

/// Properties that only an administrator may set. Only an administrator may create policies.
const ADMINS: [(&str, &str); 4] = [
    ("OS::Neutron::Net", "shared"),
    ("OS::Neutron::Router", "external_gateway_info.enable_snat"),
    ("OS::Neutron::Net", "qos_policy"),
    ("OS::Neutron::Port", "qos_policy"),
];

/// Features that the cloud of the tests lacks, and the reasons.
const NOT_HERE: [(&str, &str, &str); 2] = [
    ("OS::Cinder::Volume", "image", "volumes in the lab hold no data, so no image can be copied to them"),
    (
        "OS::Neutron::Net",
        "availability_zone_hints",
        "zones of networks are those of Neutron's agents, and the lab has none",
    ),
];
