//! What an administrator reads of a cloud's hosts.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use serde_json::json;
use wattle_cloud::{Near, Setting, World};
use wattle_openstack::clouds::Sources;
use wattle_openstack::hosts::{Stands, flavors, hosts, stands};
use wattle_openstack::session::Call;
use wattle_openstack::version::Version;
use wattle_openstack::{Cloud, Fault, Method, Session, Wire};

fn session(is_admin: bool) -> Session {
    let now = SystemTime::UNIX_EPOCH + Duration::from_hours(498_756);
    // A page has fewer items than there are hosts.
    let setting = Setting { is_admin, page: 3, ..Setting::default() };
    let cloud = Arc::new(Near::new(World::new(setting, now), now));
    let text = "clouds: {test: {auth: {auth_url: 'http://cloud.test/identity', username: demo, password: demo, project_name: demo}}}";
    let sources = Sources { clouds: Some(("clouds.yaml".into(), text.into())), ..Sources::default() };
    let cloud = cloud as Arc<dyn Wire>;
    Session::new(Cloud::choose(&sources, None).expect("a cloud"), cloud, Duration::from_mins(5))
}

/// Creates a server in a zone. Its id.
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
    assert_eq!((flavors.len(), &*flavors[0].name, flavors[0].asks["VCPU"]), (4, "m1.large", 4));
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
