//! If a command is killed between a request and its answer, the next command continues.

use std::collections::BTreeSet;
use std::fs;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use wattle_openstack::Method;
use wattle_openstack::session::Call;
use wattle_tests::openstack::changed::changed_template;
use wattle_tests::proxy::Proxy;
use wattle_tests::site::{NOTHING, SHOP, Site};

use super::{Behind, site};
use crate::KEY;
use crate::jobs::KEY as SSH;
use crate::kind::{action, without_names};

/// Starts commands until one completes. Kills each as soon as a service has carried out a new kind of request but has
/// not answered yet, which also affects concurrent requests. The next command must then wait for minutes, until no
/// request of the previous one can arrive any more. Returns the kinds of requests at which commands were killed.
fn killed_at_each(site: &Site<Behind>, begin: impl Fn() -> Child) -> BTreeSet<String> {
    let done: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    for _ in 0..100 {
        for proxy in site.cloud.all() {
            let done = Arc::clone(&done);
            proxy.stall_after(move |asked| kind(asked).is_some_and(|kind| done.lock().expect("no panic").insert(kind)));
        }
        let mut child = begin();
        let ended = loop {
            match child.try_wait().expect("it can be asked") {
                Some(ended) => break Some(ended),
                None if site.cloud.all().any(Proxy::is_stalled) => break None,
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        if let Some(ended) = ended {
            assert!(ended.success(), "{ended}: {}", site.said());
            site.cloud.all().for_each(|proxy| proxy.stall_after(|_| false));
            return done.lock().expect("no panic").clone();
        }
        // Concurrent requests to other services must arrive as well.
        std::thread::sleep(Duration::from_millis(300));
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        site.cloud.all().for_each(|proxy| {
            proxy.cut();
            proxy.stall_after(|_| false);
            proxy.fix();
        });
    }
    panic!("it never comes to its end: {done:?}");
}

/// The kind of a changing request: the method, the path without names, and the action on a server. `None` for a read.
fn kind(asked: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(asked);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut words = head.split(' ');
    let method = words.next().filter(|method| ["POST", "PUT", "DELETE"].contains(method))?;
    let path = words.next()?.split('?').next()?;
    // The version precedes a collection, and in Cinder's URLs, so does the project.
    let (base, path) = match path.strip_prefix("/v3/") {
        Some(rest) => ("/v3/*", &rest[rest.find('/')?..]),
        None => path.split_at(path.get(1..)?.find('/')? + 1),
    };
    Some(format!("{method} {base}{} {}", without_names(path), action(path, body)).trim_end().to_owned())
}

/// The shop with a disk, a key and a group of servers.
const LARGER: [usize; SHOP.len()] = {
    let mut counts = SHOP;
    counts[7] = 1;
    counts[8] = 1;
    counts[9] = 1;
    counts
};

/// Adds a disk, a key and a group of servers to the shop's template.
fn say_more(site: &Site<Behind>) {
    let path = site.path().join("template.yaml");
    let text = std::fs::read_to_string(&path).expect("reads");
    let mut template = json!(wattle_heat::yaml::read(&text).expect("it is YAML").constant());
    let reference = |name: &str| json!({ "get_resource": name });
    let resources = &mut template["resources"];
    resources["disk"] = json!({ "type": "OS::Cinder::Volume", "properties": { "size": 1 } });
    resources["attachment"] = json!({
        "type": "OS::Cinder::VolumeAttachment",
        "properties": { "instance_uuid": reference("db"), "volume_id": reference("disk") },
    });
    // Left-over keys of a failed run would conflict.
    let key = format!("shop-{}", std::process::id());
    resources["key"] = json!({ "type": "OS::Nova::KeyPair", "properties": { "name": key, "public_key": SSH } });
    resources["group"] = json!({ "type": "OS::Nova::ServerGroup", "properties": { "policies": ["soft-affinity"] } });
    std::fs::write(&path, template.to_string()).expect("writes");
}

/// Asserts that a command was killed at each of these kinds of requests.
fn has_each(killed: &BTreeSet<String>, expected: &[String]) {
    println!("{} kills: {killed:#?}", killed.len());
    let missing: Vec<&String> = expected.iter().filter(|kind| !killed.contains(*kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn whoever_is_killed_before_an_answer_is_followed_by_one_that_goes_on_on_a_real_openstack() {
    let Some(site) = site("kills between a request and its answer") else { return };
    say_more(&site);
    let deploy = |more: &[&str]| {
        // The operator must name existing keys, to confirm that they are theirs.
        let own = [("operator.key", "--key"), ("credentials.yaml", "--credentials")];
        let own = own.into_iter().filter(|(file, _)| site.path().join(file).exists());
        let own: Vec<&str> = own.flat_map(|(file, option)| [option, file]).collect();
        site.begin(&[&own[..], more].concat())
    };
    let collections = [
        "/v2.0/networks",
        "/v2.0/subnets",
        "/v2.0/routers",
        "/v2.0/security-groups",
        "/v2.0/ports",
        "/v2.0/floatingips",
        "/v2.1/os-keypairs",
        "/v2.1/os-server-groups",
        "/v2.1/servers",
        "/v2.1/servers/*/os-volume_attachments",
        "/v3/*/volumes",
    ];
    has_each(&killed_at_each(&site, || deploy(&[])), &collections.map(|path| format!("POST {path}")));
    assert_eq!(site.counts(), LARGER);
    let said = site.deployed(&KEY);
    assert!(!said.contains('✓'), "{said}");
    let path = site.path().join("template.yaml");
    let changed = changed_template(&std::fs::read_to_string(&path).expect("reads")).expect("it is one");
    std::fs::write(&path, changed).expect("writes");
    let larger = ["-P", "flavor=m1.medium"];
    let done = [
        "PUT /v2.0/networks/*/tags",
        "PUT /v2.0/security-groups/*",
        "POST /v2.1/servers/*/action resize",
        "POST /v2.1/servers/*/action confirmResize",
        "PUT /v3/*/volumes/*",
    ];
    has_each(&killed_at_each(&site, || deploy(&larger)), &done.map(str::to_owned));
    assert_eq!(site.counts(), LARGER);
    let said = site.deployed(&[&KEY[..], &larger].concat());
    assert!(!said.contains('✓'), "{said}");
    let killed = killed_at_each(&site, || site.begin_alone(&["destroy", "--yes", KEY[0], KEY[1]]));
    has_each(&killed, &collections.map(|path| format!("DELETE {path}/*")));
    assert_eq!(site.counts(), NOTHING);
}

/// Resources that the shop lacks: a server with one port and one with two, a floating IP with a separate association,
/// a volume that grows.
fn other(image: &str, ports: &[&str], bound: &str, disk: &Value) -> Value {
    let reference = |name: &str| json!({ "get_resource": name });
    let port =
        json!({ "type": "OS::Neutron::Port", "depends_on": ["subnet"], "properties": { "network": reference("net") } });
    let nics: Vec<Value> = ports.iter().map(|port| json!({ "port": reference(port) })).collect();
    json!({
        "heat_template_version": "2021-04-16",
        "resources": {
            "net": { "type": "OS::Neutron::Net", "properties": {} },
            "subnet": { "type": "OS::Neutron::Subnet", "properties": { "network": reference("net"), "cidr": "10.65.0.0/24" } },
            "router": { "type": "OS::Neutron::Router", "properties": { "external_gateway_info": { "network": "public" } } },
            "uplink": { "type": "OS::Neutron::RouterInterface",
                        "properties": { "router": reference("router"), "subnet": reference("subnet") } },
            "first": port, "second": port, "third": port,
            "address": { "type": "OS::Neutron::FloatingIP", "properties": { "floating_network": "public" } },
            "joined": { "type": "OS::Neutron::FloatingIPAssociation", "depends_on": ["uplink"],
                        "properties": { "floatingip_id": reference("address"), "port_id": reference(bound) } },
            "server": { "type": "OS::Nova::Server", "properties": {
                "image": image, "flavor": "m1.tiny", "networks": nics, "user_data_format": "RAW",
            } },
            "disk": { "type": "OS::Cinder::Volume", "properties": disk },
        },
    })
}

/// The key of that stack's operator.
const OTHERS: &str = "other/operator.key";

/// The numbers of that stack's resources, including the port of the router.
const OTHER: [usize; SHOP.len()] = [1, 1, 4, 1, 0, 1, 1, 1, 0, 0];

#[test]
fn whoever_is_killed_before_the_answer_to_another_change_is_followed_by_one_on_a_real_openstack() {
    let Some(site) = site("kills between the request of another change and its answer") else { return };
    let folder = site.path().join("other");
    fs::create_dir(&folder).expect("makes");
    let write = |template: &Value| fs::write(folder.join("template.yaml"), template.to_string()).expect("writes");
    let small = json!({ "size": 1 });
    write(&other("debian-12", &["first"], "second", &small));
    let ran = site.ask(&["deploy", "other", "--yes"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    let deploy = || site.begin_alone(&["deploy", "other", "--yes", "--key", OTHERS]);
    let is_there = || {
        assert_eq!(site.counts(), OTHER);
        let ran = site.ask(&["deploy", "other", "--yes", "--key", OTHERS]);
        assert!(ran.code == Some(0) && !ran.err.contains('✓'), "{ran}");
    };

    let large = json!({ "size": 2, "volume_type": "fast" });
    write(&other("debian-13", &["first", "third"], "first", &large));
    let done = [
        "POST /v2.1/servers/*/action rebuild",
        "POST /v2.1/servers/*/os-interface",
        "POST /v3/*/volumes/*/action os-extend",
        "POST /v3/*/volumes/*/action os-retype",
        "PUT /v2.0/floatingips/*",
    ];
    has_each(&killed_at_each(&site, deploy), &done.map(str::to_owned));
    is_there();

    write(&other("debian-13", &["first"], "first", &large));
    has_each(&killed_at_each(&site, deploy), &["DELETE /v2.1/servers/*/os-interface/*".to_owned()]);
    is_there();

    stop(&site);
    has_each(&killed_at_each(&site, deploy), &["POST /v2.1/servers/*/action os-start".to_owned()]);
    is_there();
    let ran = site.ask(&["destroy", "--yes", "--key", OTHERS]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(site.counts(), NOTHING);
}

/// Stops the only server, as somebody else would.
fn stop(site: &Site<Behind>) {
    let there = site.there();
    let server = there["servers"][0]["id"].as_str().expect("an id");
    site.at_cloud(async |session| {
        let call = Call::new("compute", Method::Post, format!("/servers/{server}/action"));
        session.call(call.body(json!({ "os-stop": null }))).await.expect("accepted");
        let shown = || Call::new("compute", Method::Get, format!("/servers/{server}"));
        while session.call(shown()).await.expect("a server")["server"]["status"] != "SHUTOFF" {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    });
}

#[test]
fn requests_are_told_apart_by_what_they_change() {
    let id = "0f1e2d3c-0000-4000-8000-0123456789ab";
    let of = |text: String| kind(text.as_bytes());
    assert_eq!(of("GET /v2.0/ports HTTP/1.1\r\n".into()), None);
    assert_eq!(of("POST /v2.0/ports HTTP/1.1\r\n".into()).as_deref(), Some("POST /v2.0/ports"));
    let put = format!("PUT /v2.0/ports/{id}/tags/web?x=y HTTP/1.1\r\n\r\n{{}}");
    assert_eq!(of(put).as_deref(), Some("PUT /v2.0/ports/*/tags/*"));
    let action = format!("POST /v2.1/servers/{id}/action HTTP/1.1\r\na: b\r\n\r\n{{\"resize\": {{}}}}");
    assert_eq!(of(action).as_deref(), Some("POST /v2.1/servers/*/action resize"));
}
