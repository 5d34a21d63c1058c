//! The administrator's view of a cloud's hosts.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use wattle_cloud::{Near, Setting, World};
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::hosts::{Hosts, Stands, flavors, hosts, stands};
use wattle_openstack::session::Call;
use wattle_openstack::version::Version;
use wattle_openstack::{Cloud, Fault, Lost, Method, Request, Response, Session, Transport};

/// Placement's response for many providers at once.
#[derive(Clone, Copy, PartialEq)]
enum List {
    /// All providers.
    Whole,
    /// All but this many providers, which are full.
    Without(usize),
    /// None: Placement is too old.
    Old,
}

/// A cloud that records its requests.
struct Listed {
    cloud: Near,
    list: List,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl Transport for Listed {
    async fn send(&self, request: &Request) -> Result<Response, Lost> {
        let path = request.url.split_once("//").map_or(&*request.url, |(_, rest)| rest);
        self.asked.lock().expect("not poisoned").push(path.to_owned());
        let mut response = self.cloud.send(request).await?;
        if path.ends_with("/placement/") && self.list == List::Old {
            let text = String::from_utf8(response.body).expect("text");
            assert!(text.contains("\"1.39\""), "{text}");
            response.body = text.replace("\"1.39\"", "\"1.28\"").into_bytes();
        } else if let (List::Without(full), true) = (self.list, path.contains("/allocation_candidates")) {
            let mut body: Value = serde_json::from_slice(&response.body).expect("JSON");
            let summaries = body["provider_summaries"].as_object_mut().expect("summaries");
            let ids: Vec<String> = summaries.keys().take(full).cloned().collect();
            ids.iter().for_each(|id| drop(summaries.remove(id)));
            response.body = body.to_string().into_bytes();
        }
        Ok(response)
    }

    async fn pause(&self, time: Duration) {
        self.cloud.pause(time).await;
    }

    fn now(&self) -> SystemTime {
        self.cloud.now()
    }
}

/// The hosts, and the requests to Placement.
fn listed(list: List) -> (Hosts, Vec<String>) {
    let now = SystemTime::UNIX_EPOCH + Duration::from_hours(498_756);
    let setting = Setting { is_admin: true, ..Setting::default() };
    let cloud = Near::new(World::new(setting, now), now);
    let cloud = Arc::new(Listed { cloud, list, asked: Mutex::default() });
    let session = logged_in(Arc::clone(&cloud) as Arc<dyn Transport>);
    server(&session, "nova:compute-3");
    cloud.asked.lock().expect("not poisoned").clear();
    let hosts = hosts(&session).now_or_never().expect("at once").expect("hosts");
    let asked = cloud.asked.lock().expect("not poisoned").clone();
    (hosts, asked.into_iter().filter(|path| path.contains("/placement")).collect())
}

fn session(is_admin: bool) -> Session {
    let now = SystemTime::UNIX_EPOCH + Duration::from_hours(498_756);
    // A page has fewer items than there are hosts.
    let setting = Setting { is_admin, page: 3, ..Setting::default() };
    logged_in(Arc::new(Near::new(World::new(setting, now), now)))
}

fn logged_in(cloud: Arc<dyn Transport>) -> Session {
    let text = "clouds: {test: {auth: {auth_url: 'http://cloud.test/identity', username: demo, password: demo, project_name: demo}}}";
    let sources = CloudConfig { clouds: Some(("clouds.yaml".into(), text.into())), ..CloudConfig::default() };
    Session::new(Cloud::choose(&sources, None).expect("a cloud"), cloud, Duration::from_mins(5))
}

/// Creates a server in a zone, and returns its id.
fn server(session: &Session, zone: &str) -> String {
    let images =
        session.call(Call::new("image", Method::Get, "/images")).now_or_never().expect("at once").expect("images");
    let body = json!({ "server": {
        "name": "web", "flavorRef": "4", "imageRef": images["images"][0]["id"], "networks": "none", "availability_zone": zone,
    } });
    let call = Call::new("compute", Method::Post, "/servers").body(body).version(Version::new(2, 52));
    let made = session.call(call).now_or_never().expect("at once").expect("a server");
    made["server"]["id"].as_str().expect("an id").to_owned()
}

#[test]
fn an_administrator_reads_hosts_and_where_servers_run() {
    let session = session(true);
    let id = server(&session, "nova:compute-3");
    let found = hosts(&session).now_or_never().expect("at once").expect("hosts");
    let names: Vec<(&str, &str, Option<&str>)> =
        found.all.iter().map(|one| (&*one.name, &*one.zone, one.metadata.get("rack").map(String::as_str))).collect();
    let nova = |name, rack| (name, "nova", Some(rack));
    assert_eq!(
        names,
        [nova("compute-1", "r1"), nova("compute-2", "r1"), nova("compute-3", "r2"), ("compute-4", "az2", Some("r3"))]
    );
    assert_eq!(found.closed, [("compute-5".to_owned(), "it is disabled: new disks".to_owned())]);
    let third = &found.all[2];
    assert_eq!((third.has["VCPU"].total, third.has["VCPU"].ratio), (16, 4.0));
    assert_eq!(third.has["MEMORY_MB"].total, 65_536 - 512, "what the host keeps for itself is for no server");
    assert_eq!(
        third.used,
        [("DISK_GB", 80), ("MEMORY_MB", 8_192), ("VCPU", 4)].map(|(class, used)| (class.to_owned(), used)).into()
    );
    assert!(third.traits.contains("CUSTOM_DB2"));
    let stands = stands(&session).now_or_never().expect("at once").expect("servers");
    assert_eq!(stands[&id], Stands { host: Some("compute-3".into()), zone: Some("nova".into()) });
    let flavors = flavors(&session).now_or_never().expect("at once").expect("flavors");
    assert_eq!((flavors.len(), &*flavors[0].name, flavors[0].asks.resources["VCPU"]), (4, "m1.large", 4));
}

/// One request for each host that accepts servers, and a few others: the versions, the providers, the usages.
#[test]
fn placement_is_asked_little_and_says_the_same_however_it_is_asked() {
    let (hosts, asked) = listed(List::Whole);
    let of = |what: &str, asked: &[String]| asked.iter().filter(|path| path.ends_with(what)).count();
    assert_eq!((hosts.all.len(), asked.len(), of("/inventories", &asked)), (4, 4 + 3, 4), "{asked:#?}");
    assert_eq!(hosts.all[2].used["VCPU"], 4);
    // A full host is not listed.
    let (others, asked) = listed(List::Without(2));
    let single = [of("/inventories", &asked), of("/usages", &asked), of("/traits", &asked)];
    assert_eq!((others == hosts, single), (true, [4, 2, 2]), "{asked:#?}");
    // Before version 1.29, there was no such list.
    let (others, asked) = listed(List::Old);
    let single = [of("/inventories", &asked), of("/usages", &asked), of("/traits", &asked)];
    assert_eq!((others == hosts, single), (true, [4, 4, 4]), "{asked:#?}");
    assert!(!asked.iter().any(|path| path.contains("allocation_candidates")), "{asked:#?}");
}

#[test]
fn anybody_else_knows_zones_only() {
    let session = session(false);
    let refused = hosts(&session).now_or_never().expect("at once").expect_err("it is no administrator");
    assert!(matches!(refused, Fault::Refused { status: 403, .. }), "{refused}");
    let id = server(&session, "az2");
    let stands = stands(&session).now_or_never().expect("at once").expect("servers");
    assert_eq!(stands[&id], Stands { host: None, zone: Some("az2".into()) });
}
