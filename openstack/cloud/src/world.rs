//! The cloud as a whole: its requests, its faults and its settings.

use std::net::Ipv4Addr;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use wattle_openstack::{Lost, Method, Request, Response};

use crate::cinder::Cinder;
use crate::fault::{Doing, Rule, befalls};
use crate::glance::Glance;
use crate::id::Ids;
use crate::keystone::Keystone;
use crate::neutron::Neutron;
use crate::nova::{Booted, Nova};
use crate::reply::{Answer, Refusal, Service, json};
use crate::route::Route;

/// How a cloud is set up.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The cloud's number. Clouds of different numbers issue different ids.
    pub number: u64,
    /// Scheme, host and port of all services.
    pub url: String,
    /// The only user, of the domain `default`.
    pub user: String,
    /// The user's password.
    pub password: String,
    /// Whether the user is an administrator, who sees hosts and may name them.
    pub is_admin: bool,
    /// The project's name.
    pub project: String,
    /// How long a token is valid.
    pub token: Duration,
    /// How long it takes to create or delete a server or a volume.
    pub takes: Duration,
    /// The most items of one page.
    pub page: usize,
    /// The most servers, ports and volumes, of each; `None` for no limit.
    pub quota: Option<usize>,
    /// How long it takes to attach a volume to an existing server, or to detach it.
    pub attaches: Duration,
    /// Whether a deleted server is kept for a while and can be restored. Meanwhile it is in no list, but still has its ports.
    pub restores: bool,
    /// The first and the last IPv4 address for ports and floating IPs that do not specify theirs, whatever their subnets are.
    /// This serves machines that must be reachable although no subnet exists. `None` for addresses of the subnets.
    pub addresses: Option<(Ipv4Addr, Ipv4Addr)>,
    /// The URL of a Heat served elsewhere, up to the project's id: `http://127.0.0.1:8004/v1`. It goes into the catalogue.
    pub orchestration: Option<String>,
    /// Types of services that the catalogue lacks: `block-storage`.
    pub lacks: Vec<String>,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            number: 0,
            url: "http://cloud.test".into(),
            user: "demo".into(),
            password: "demo".into(),
            is_admin: false,
            project: "demo".into(),
            token: Duration::from_hours(1),
            takes: Duration::from_secs(2),
            page: 1_000,
            quota: None,
            attaches: Duration::ZERO,
            restores: false,
            addresses: None,
            orchestration: None,
            lacks: Vec::new(),
        }
    }
}

/// The state that all services share.
#[derive(Debug)]
pub(crate) struct Common {
    pub(crate) setting: Setting,
    pub(crate) now: SystemTime,
    pub(crate) ids: Ids,
    /// The project's id.
    pub(crate) project: String,
    /// Whether the next created resource goes to the state `ERROR`.
    pub(crate) breaks: bool,
    /// Whether the next action on a server is accepted and then fails.
    pub(crate) fails: bool,
}

impl Common {
    /// The time in the format of the services.
    pub(crate) fn stamp(&self) -> String {
        humantime::format_rfc3339_seconds(self.now).to_string()
    }

    /// The limit of each resource, as services report it: -1 for no limit.
    pub(crate) fn most(&self) -> i64 {
        self.setting.quota.map_or(-1, |most| i64::try_from(most).unwrap_or(i64::MAX))
    }

    /// Refuses a request if one more item would exceed the quota.
    pub(crate) fn quota(&self, what: &str, there: usize) -> Result<(), (usize, String)> {
        match self.setting.quota {
            Some(most) if there >= most => Err((
                most,
                format!("Quota exceeded for {what}: Requested 1, but already used {there} of {most} {what}"),
            )),
            _ => Ok(()),
        }
    }
}

/// A request to one service.
pub(crate) struct Asked<'r> {
    pub(crate) method: Method,
    pub(crate) route: &'r Route,
    pub(crate) url: &'r str,
    pub(crate) body: &'r Value,
    /// The requested microversion; 2.1 or 3.0 by default.
    pub(crate) version: (u16, u16),
}

/// An event scheduled for later.
#[derive(Debug)]
enum Coming {
    /// A request arrives.
    Arrives(Request),
    /// A resource vanishes: its collection and its id.
    Vanishes(String, String),
}

/// A cloud.
#[derive(Debug)]
pub struct World {
    common: Common,
    rules: Vec<Rule>,
    coming: Vec<(SystemTime, Coming)>,
    keystone: Keystone,
    nova: Nova,
    neutron: Neutron,
    cinder: Cinder,
    glance: Glance,
}

impl World {
    /// Creates a cloud that starts at `now`, with flavors `m1.tiny` to `m1.large`, an image `debian-12`, a network
    /// `private` with a subnet, an external network `public`, five hosts in three racks and two zones, one of them
    /// disabled, and the quotas of the setting.
    pub fn new(setting: Setting, now: SystemTime) -> Self {
        let mut ids = Ids::of(setting.number);
        let project = ids.hex();
        let mut common = Common { setting, now, ids, project, breaks: false, fails: false };
        Self {
            rules: Vec::new(),
            coming: Vec::new(),
            keystone: Keystone::default(),
            nova: Nova::new(common.setting.number),
            neutron: Neutron::new(&mut common),
            cinder: Cinder::default(),
            glance: Glance::new(&mut common),
            common,
        }
    }

    /// Adds a fault rule, in effect from now on.
    pub fn befall(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    /// Removes all fault rules: from now on, requests are answered normally.
    pub fn calm(&mut self) {
        self.rules.clear();
    }

    /// Answers a request at `now`, which must not be earlier than in an earlier call.
    ///
    /// # Errors
    ///
    /// The request or its response is lost, by a rule given to [`befall`](Self::befall).
    pub fn answer(&mut self, request: &Request, now: SystemTime) -> Result<Response, Lost> {
        self.pass(now);
        match befalls(&mut self.rules, request) {
            None => Ok(self.carry_out(request)),
            Some(Doing::Lost) => Err(Lost::Unanswered("the connection was closed before there was an answer".into())),
            Some(Doing::Unanswered) => {
                self.carry_out(request);
                Err(Lost::Unanswered("the connection was closed before there was an answer".into()))
            }
            Some(Doing::Late(by)) => {
                self.coming.push((now + by, Coming::Arrives(request.clone())));
                Err(Lost::Unanswered("there was no answer in time".into()))
            }
            Some(Doing::Refused(status, after)) => {
                let service = Route::of(&request.url).map_or(Service::Keystone, |route| route.service);
                let mut response = Refusal::new(status, "The service is busy").response(service);
                response.headers.extend(after.map(|seconds| ("retry-after".to_owned(), seconds.to_string())));
                Ok(response)
            }
            Some(Doing::Broken) => {
                self.common.breaks = true;
                let response = self.carry_out(request);
                self.common.breaks = false;
                Ok(response)
            }
            Some(Doing::Failed) => {
                self.common.fails = true;
                let response = self.carry_out(request);
                self.common.fails = false;
                Ok(response)
            }
            Some(Doing::OverQuota) => {
                let service = Route::of(&request.url).map_or(Service::Keystone, |route| route.service);
                Ok(Refusal::over_quota(service).response(service))
            }
            Some(Doing::Vanishes(after)) => {
                let response = self.carry_out(request);
                self.coming.extend(made(request, &response).map(|made| (now + after, made)));
                Ok(response)
            }
        }
    }

    /// Advances the time: late requests arrive, and resources finish being created.
    pub fn pass(&mut self, now: SystemTime) {
        self.coming.sort_by_key(|(at, _)| *at);
        while self.coming.first().is_some_and(|(at, _)| *at <= now) {
            let (at, coming) = self.coming.remove(0);
            self.settle(at);
            match coming {
                Coming::Arrives(request) => drop(self.carry_out(&request)),
                Coming::Vanishes(collection, id) => self.vanish(&collection, &id),
            }
        }
        self.settle(now);
    }

    fn settle(&mut self, now: SystemTime) {
        self.common.now = self.common.now.max(now);
        self.nova.pass(&self.common, &mut self.neutron, &mut self.cinder);
        self.cinder.pass(&self.common);
    }

    /// The existing servers, with the data passed to their guests.
    pub fn servers(&self) -> Vec<Booted> {
        self.nova.booted(&self.neutron)
    }

    /// Whether a server with this id exists, even if it is shut off.
    pub fn has_server(&self, id: &str) -> bool {
        self.nova.has(id)
    }

    /// Removes a resource as if it had never existed, by the collection's name and the id.
    pub fn vanish(&mut self, collection: &str, id: &str) {
        self.nova.vanish(collection, id, &mut self.neutron, &mut self.cinder);
        self.neutron.vanish(collection, id);
        self.cinder.vanish(collection, id);
        self.glance.vanish(collection, id);
    }

    fn carry_out(&mut self, request: &Request) -> Response {
        let Some(route) = Route::of(&request.url) else {
            return Refusal::missing("The resource could not be found.").response(Service::Keystone);
        };
        let service = route.service;
        let answer = self.answered(request, &route);
        answer.unwrap_or_else(|refusal| refusal.response(service))
    }

    fn answered(&mut self, request: &Request, route: &Route) -> Answer {
        let body = request.body.as_ref().unwrap_or(&Value::Null);
        let asked = Asked { method: request.method, route, url: &request.url, body, version: version(request) };
        if route.service == Service::Keystone {
            return self.keystone.answer(&mut self.common, &asked, request.token.as_ref());
        }
        if let Some(versions) = versions(route, &self.common.setting.url) {
            return Ok(versions);
        }
        if !self.keystone.lets_in(&self.common, request.token.as_ref()) {
            return Err(Refusal::new(401, "The request you have made requires authentication."));
        }
        match route.service {
            Service::Nova => {
                self.nova.answer(&mut self.common, &mut self.neutron, &mut self.cinder, &self.glance, &asked)
            }
            Service::Neutron => self.neutron.answer(&mut self.common, &asked),
            Service::Cinder => self.cinder.answer(&mut self.common, &self.glance, &asked),
            Service::Placement => crate::placement::answer(&self.common, &self.nova, &asked),
            Service::Glance | Service::Keystone => self.glance.answer(&self.common, &asked),
        }
    }
}

/// The resource that a request created, if it is to vanish later.
fn made(request: &Request, response: &Response) -> Option<Coming> {
    let collection = Route::of(&request.url)?.path.pop()?;
    let body: Value = serde_json::from_slice(&response.body).ok()?;
    let made = body.as_object()?.values().next()?;
    // Key pairs only have names.
    let id = made["id"].as_str().or_else(|| made["name"].as_str())?;
    Some(Coming::Vanishes(collection, id.to_owned()))
}

fn version(request: &Request) -> (u16, u16) {
    let said = request.headers.iter().find(|(name, _)| name == "openstack-api-version");
    let parsed = said.and_then(|(_, value)| {
        let (major, minor) = value.split_once(' ')?.1.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    });
    parsed.unwrap_or((0, 0))
}

/// The version document of a service, at the root of its version.
fn versions(route: &Route, url: &str) -> Option<Response> {
    let of = |id: &str, most: &str, least: &str, path: &str| json!({ "id": id, "status": "CURRENT", "version": most, "min_version": least, "links": [{ "rel": "self", "href": format!("{url}{path}/") }] });
    let plain = |id: &str, path: &str| json!({ "id": id, "status": "CURRENT", "links": [{ "rel": "self", "href": format!("{url}{path}/") }] });
    let body = match (route.service, route.parts().as_slice()) {
        (Service::Nova, []) => json!({ "version": of("v2.1", "2.103", "2.1", "/compute/v2.1") }),
        (Service::Cinder, []) => json!({ "versions": [of("v3.0", "3.71", "3.0", "/volume/v3")] }),
        (Service::Neutron, []) => json!({ "versions": [plain("v2.0", "/networking/v2.0")] }),
        (Service::Glance, []) => json!({ "versions": [plain("v2.17", "/image/v2")] }),
        (Service::Placement, []) => {
            json!({ "versions": [{ "id": "v1.0", "status": "CURRENT", "min_version": "1.0", "max_version": "1.39", "links": [{ "rel": "self", "href": "" }] }] })
        }
        _ => return None,
    };
    Some(json(200, &body))
}
