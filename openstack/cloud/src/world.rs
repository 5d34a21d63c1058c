//! The cloud as a whole: what comes in, what goes wrong with it, and whose it is.

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
    /// Which of all clouds it is: each gives other ids.
    pub number: u64,
    /// Scheme, host and port at which all services are.
    pub url: String,
    /// The only user, of the domain `default`.
    pub user: String,
    /// The user's password.
    pub password: String,
    /// The project's name.
    pub project: String,
    /// How long a token counts.
    pub token: Duration,
    /// How long a server or a volume takes until it is there, or gone.
    pub takes: Duration,
    /// Most items of one page.
    pub page: usize,
    /// Most servers, ports and volumes that there may be of each; `None` for no limit.
    pub quota: Option<usize>,
    /// How long it takes until a server that is there has a volume, or has it no more.
    pub attaches: Duration,
    /// Whether a server that is deleted is kept for a while, and restored if somebody wants it back. It is in no list meanwhile, and has
    /// its ports still.
    pub restores: bool,
    /// The first and the last of the IPv4 addresses that ports and floating IPs get which do not say theirs, whatever their subnets
    /// are: of machines that are to be reached where no subnet is. `None` for addresses of the subnets.
    pub addresses: Option<(Ipv4Addr, Ipv4Addr)>,
    /// Where a Heat is that somebody else serves, up to the project's id: `http://127.0.0.1:8004/v1`. It stands in the catalogue.
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

/// What is the same for all services.
#[derive(Debug)]
pub(crate) struct Common {
    pub(crate) setting: Setting,
    pub(crate) now: SystemTime,
    pub(crate) ids: Ids,
    /// The project's id.
    pub(crate) project: String,
    /// What is made next goes to the state `ERROR`.
    pub(crate) breaks: bool,
}

impl Common {
    /// The time as services write it.
    pub(crate) fn stamp(&self) -> String {
        humantime::format_rfc3339_seconds(self.now).to_string()
    }

    /// How many of each there may be, as services say it: -1 where nothing is said.
    pub(crate) fn most(&self) -> i64 {
        self.setting.quota.map_or(-1, |most| i64::try_from(most).unwrap_or(i64::MAX))
    }

    /// Refuses one more than the quota allows.
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
    /// The smaller version that is asked for, 2.1 or 3.0 without one.
    pub(crate) version: (u16, u16),
}

/// What happens later.
#[derive(Debug)]
enum Coming {
    /// A request arrives.
    Arrives(Request),
    /// Something is gone: its collection and its id.
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
    /// A cloud that begins at `now`, with flavors `m1.tiny` to `m1.large`, an image `debian-12`, a network `private` with a subnet, an
    /// external network `public`, and quotas as the setting says.
    pub fn new(setting: Setting, now: SystemTime) -> Self {
        let mut ids = Ids::of(setting.number);
        let project = ids.hex();
        let mut common = Common { setting, now, ids, project, breaks: false };
        Self {
            rules: Vec::new(),
            coming: Vec::new(),
            keystone: Keystone::default(),
            nova: Nova::new(),
            neutron: Neutron::new(&mut common),
            cinder: Cinder::default(),
            glance: Glance::new(&mut common),
            common,
        }
    }

    /// Has something go wrong from now on.
    pub fn befall(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    /// What is asked, and what is answered at `now`, which never is before an earlier one.
    ///
    /// # Errors
    ///
    /// What [`befall`](Self::befall) has said.
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

    /// Time passes: what is late arrives, what is being made is there.
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

    /// Servers that are there, with what their guests are given.
    pub fn servers(&self) -> Vec<Booted> {
        self.nova.booted(&self.neutron)
    }

    /// Whether there is a server of this id, also one that is off.
    pub fn has_server(&self, id: &str) -> bool {
        self.nova.has(id)
    }

    /// Removes something as if it had never been: the collection's name and the id.
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
            Service::Glance | Service::Keystone => self.glance.answer(&self.common, &asked),
        }
    }
}

/// What a request has made, as what vanishes.
fn made(request: &Request, response: &Response) -> Option<Coming> {
    let collection = Route::of(&request.url)?.path.pop()?;
    let body: Value = serde_json::from_slice(&response.body).ok()?;
    let made = body.as_object()?.values().next()?;
    // Key pairs have names only.
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

/// What a service says of itself where its version begins.
fn versions(route: &Route, url: &str) -> Option<Response> {
    let of = |id: &str, most: &str, least: &str, path: &str| json!({ "id": id, "status": "CURRENT", "version": most, "min_version": least, "links": [{ "rel": "self", "href": format!("{url}{path}/") }] });
    let plain = |id: &str, path: &str| json!({ "id": id, "status": "CURRENT", "links": [{ "rel": "self", "href": format!("{url}{path}/") }] });
    let body = match (route.service, route.parts().as_slice()) {
        (Service::Nova, []) => json!({ "version": of("v2.1", "2.103", "2.1", "/compute/v2.1") }),
        (Service::Cinder, []) => json!({ "versions": [of("v3.0", "3.71", "3.0", "/volume/v3")] }),
        (Service::Neutron, []) => json!({ "versions": [plain("v2.0", "/networking/v2.0")] }),
        (Service::Glance, []) => json!({ "versions": [plain("v2.17", "/image/v2")] }),
        _ => return None,
    };
    Some(json(200, &body))
}
