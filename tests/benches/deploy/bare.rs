//! A minimal client that creates the same resources with eight threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use wattle_openstack::session::Call;
use wattle_openstack::{Cloud, Method, Request, Session};
use wattle_runtime::openstack::{Http, sources};

/// The number of threads.
pub(crate) const THREADS: usize = 8;

/// The interval at which it polls the state of what it requested.
const PAUSE: Duration = Duration::from_millis(500);

/// The services of which `deploy` reads lists.
const SERVICES: [&str; 4] = ["compute", "network", "image", "block-storage"];

/// Clients, one for each thread. They log in once.
pub(crate) struct Askers(Vec<Asker>);

impl Askers {
    /// Creates all clients, which log in and read the catalogue.
    pub(crate) fn new() -> Self {
        let askers = Self((0..THREADS).map(|_| Asker::new()).collect());
        for asker in &askers.0 {
            for (service, path) in [("compute", "/flavors"), ("network", "/networks")] {
                asker.ask(Call::new(service, Method::Get, path));
            }
        }
        askers
    }

    /// The results of `work` for each number below `count`, computed by several threads.
    fn each<T: Send>(&mut self, count: usize, work: impl Fn(&Asker, usize) -> T + Sync) -> Vec<T> {
        let next = AtomicUsize::new(0);
        let thread = |asker: &mut Asker| {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return done;
                }
                done.push((number, work(asker, number)));
            }
        };
        let thread = &thread;
        let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
            let threads: Vec<_> = self.0.iter_mut().map(|asker| scope.spawn(move || thread(asker))).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("it ends")).collect()
        });
        done.sort_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, done)| done).collect()
    }
}

/// The resources that they created.
pub(crate) struct Bare<'a> {
    askers: &'a mut Askers,
    net: String,
    group: String,
    ports: Vec<String>,
    servers: Vec<String>,
}

impl<'a> Bare<'a> {
    /// Creates W(N).
    pub(crate) fn made(tiers: usize, askers: &'a mut Askers) -> Self {
        let asker = &askers.0[0];
        let net = asker.make("network", "/networks", json!({ "network": { "name": "bare" } }));
        let subnet = json!({ "subnet": { "network_id": net, "cidr": "10.0.0.0/16", "ip_version": 4 } });
        let subnet = asker.make("network", "/subnets", subnet);
        let group = asker.make("network", "/security-groups", json!({ "security_group": { "name": "bare" } }));
        let image = asker.named("image", "/images?name=debian-12", "images");
        let flavor = asker.named("compute", "/flavors", "flavors");
        let made = askers.each(tiers, |asker, tier| {
            let port = json!({ "port": { "network_id": net, "fixed_ips": [{ "subnet_id": subnet }], "security_groups": [group] } });
            let port = asker.make("network", "/ports", port);
            let server = json!({ "server": {
                "name": format!("bare-{tier}"), "imageRef": image, "flavorRef": flavor, "networks": [{ "port": port }],
                "metadata": { "tier": "one" }, "user_data": "IyEvYmluL3No",
            } });
            (port, asker.make("compute", "/servers", server))
        });
        askers.0[0]
            .until_servers(|servers| servers.iter().filter(|server| server["status"] == "ACTIVE").count() == tiers);
        let (ports, servers) = made.into_iter().unzip();
        Self { askers, net, group, ports, servers }
    }

    /// Sends the same reading requests as another client.
    pub(crate) fn read(&mut self, requests: &[Request]) {
        self.askers.each(requests.len(), |asker, number| asker.again(&requests[number]));
    }

    /// Changes one property of each server to this value.
    pub(crate) fn change(&mut self, to: &str) {
        let servers = &self.servers;
        self.askers.each(servers.len(), |asker, tier| {
            let path = format!("/servers/{}/metadata", servers[tier]);
            asker.ask(Call::new("compute", Method::Put, path).body(json!({ "metadata": { "tier": to } })));
        });
    }

    /// Deletes everything.
    pub(crate) fn delete(self) {
        let gone = |asker: &Asker, service, path: String| drop(asker.ask(Call::new(service, Method::Delete, path)));
        let Self { askers, net, group, ports, servers } = self;
        askers.each(servers.len(), |asker, tier| gone(asker, "compute", format!("/servers/{}", servers[tier])));
        askers.0[0].until_servers(<[Value]>::is_empty);
        askers.each(ports.len(), |asker, tier| gone(asker, "network", format!("/ports/{}", ports[tier])));
        gone(&askers.0[0], "network", format!("/networks/{net}"));
        gone(&askers.0[0], "network", format!("/security-groups/{group}"));
    }
}

/// A client that has logged in.
pub(crate) struct Asker {
    runtime: tokio::runtime::Runtime,
    session: Session,
}

impl Asker {
    fn new() -> Self {
        let cloud = Cloud::choose(&sources().expect("files"), None).expect("a cloud");
        let wire = Arc::new(Http::new(&cloud).expect("a wire"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { runtime, session: Session::new(cloud, wire, Duration::from_mins(1)) }
    }

    fn ask(&self, call: Call) -> Value {
        self.runtime.block_on(self.session.call(call)).expect("an answer")
    }

    /// Sends a request of another client.
    fn again(&self, request: &Request) {
        let found = SERVICES.iter().find_map(|service| {
            let url = self.runtime.block_on(self.session.url(service)).ok()?;
            Some((*service, request.url.strip_prefix(&*url)?.to_owned()))
        });
        let (service, path) = found.unwrap_or_else(|| panic!("{} belongs to no service", request.url));
        let mut call = Call::new(service, request.method, path);
        let header = request.headers.iter().find(|(name, _)| name == "openstack-api-version");
        call.version = header
            .map(|(_, version)| version.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a version"));
        self.ask(call);
    }

    /// Creates something and returns its ID.
    fn make(&self, service: &'static str, path: &str, body: Value) -> String {
        let answer = self.ask(Call::new(service, Method::Post, path).body(body));
        let made = answer.as_object().and_then(|answer| answer.values().next()).expect("what was made");
        made["id"].as_str().expect("an id").to_owned()
    }

    /// The ID of the first item in a list, or of the one that the template names.
    fn named(&self, service: &'static str, path: &str, key: &'static str) -> String {
        let listed =
            self.runtime.block_on(self.session.list(Call::new(service, Method::Get, path), key)).expect("a list");
        let found = listed.iter().find(|item| item["name"] == "m1.small").or(listed.first()).expect("one");
        found["id"].as_str().expect("an id").to_owned()
    }

    fn until_servers(&self, is_so: impl Fn(&[Value]) -> bool) {
        loop {
            let call = Call::new("compute", Method::Get, "/servers/detail?name=bare-");
            if is_so(&self.runtime.block_on(self.session.list(call, "servers")).expect("a list")) {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }
}
