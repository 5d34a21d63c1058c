//! The cloud as seen by a client that deploys infrastructure.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use wattle_cloud::{Doing, Near, Rule, Setting, World};
use wattle_openstack::clouds::CloudConfig;
use wattle_openstack::session::Call;
use wattle_openstack::version::Version;
use wattle_openstack::{Cloud, Fault, Method, Session, Transport};

struct Somebody {
    cloud: Arc<Near>,
    session: Session,
}

fn somebody(setting: Setting) -> Somebody {
    let now = SystemTime::UNIX_EPOCH + Duration::from_hours(498_756);
    let cloud = Arc::new(Near::new(World::new(setting, now), now));
    let text = "clouds: {test: {auth: {auth_url: 'http://cloud.test/identity', username: demo, password: demo, project_name: demo}}}";
    let sources = CloudConfig { clouds: Some(("clouds.yaml".into(), text.into())), ..CloudConfig::default() };
    let transport = Arc::clone(&cloud) as Arc<dyn Transport>;
    let session = Session::new(Cloud::choose(&sources, None).expect("a cloud"), transport, Duration::from_mins(5));
    Somebody { cloud, session }
}

impl Somebody {
    fn ask(&self, call: Call) -> Result<Value, Fault> {
        self.session.call(call).now_or_never().expect("nothing to wait for")
    }

    fn get(&self, service: &'static str, path: &str) -> Value {
        self.ask(Call::new(service, Method::Get, path)).expect("an answer")
    }

    /// Creates a resource in a collection of Neutron.
    fn make(&self, collection: &str, one: &str, body: Value) -> Result<Value, Fault> {
        let call = Call::new("network", Method::Post, format!("/{collection}")).body(json!({ one: body }));
        self.ask(call).map(|made| made[one].clone())
    }

    fn remove(&self, service: &'static str, path: &str, id: &Value) -> Result<Value, Fault> {
        self.ask(Call::new(service, Method::Delete, format!("/{path}/{}", text(id))))
    }

    fn server(&self, body: &Value) -> Result<Value, Fault> {
        let call =
            Call::new("compute", Method::Post, "/servers").body(json!({ "server": body })).version(Version::new(2, 52));
        self.ask(call).map(|made| made["server"]["id"].clone())
    }

    fn state(&self, id: &Value) -> Option<String> {
        let found = self.ask(Call::new("compute", Method::Get, format!("/servers/{}", text(id))));
        found.ok().map(|found| text(&found["server"]["status"]).to_owned())
    }

    fn image(&self) -> Value {
        self.get("image", "/images?name=debian-12")["images"][0]["id"].clone()
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The message of a refusal.
fn said(outcome: Result<Value, Fault>) -> String {
    outcome.expect_err("a refusal").to_string()
}

#[test]
fn a_site_comes_and_goes_in_the_only_order_that_there_is() {
    let me = somebody(Setting::default());
    let network =
        me.make("networks", "network", json!({ "name": "net", "description": "mark" })).expect("a network")["id"]
            .clone();
    let subnet = me
        .make("subnets", "subnet", json!({ "network_id": network, "ip_version": 4, "cidr": "10.0.0.0/24" }))
        .expect("a subnet");
    assert_eq!((text(&subnet["gateway_ip"]), text(&subnet["allocation_pools"][0]["start"])), ("10.0.0.1", "10.0.0.2"));
    let port = me.make("ports", "port", json!({ "network_id": network, "tags": ["mark"] })).expect("a port");
    assert_eq!(port["fixed_ips"][0]["ip_address"], "10.0.0.2");
    let public = me.get("network", "/networks?router:external=true")["networks"][0]["id"].clone();
    let floating = json!({ "floating_network_id": public, "port_id": port["id"] });
    assert!(said(me.make("floatingips", "floatingip", floating.clone())).contains("is not reachable from subnet"));
    let router = me
        .make("routers", "router", json!({ "external_gateway_info": { "network_id": public } }))
        .expect("a router")["id"]
        .clone();
    let interface = |action: &str| {
        let path = format!("/routers/{}/{action}_router_interface", text(&router));
        me.ask(Call::new("network", Method::Put, path).body(json!({ "subnet_id": subnet["id"] })))
    };
    interface("add").expect("an interface");
    assert!(said(interface("add")).contains("Router already has a port on subnet"));
    let floating = me.make("floatingips", "floatingip", floating).expect("a floating IP");
    assert_eq!((text(&floating["status"]), text(&floating["router_id"])), ("ACTIVE", text(&router)));
    let body = json!({ "name": "web", "flavorRef": "2", "imageRef": me.image(), "networks": [{ "port": port["id"] }], "tags": ["mark"], "user_data": "aGk=" });
    let server = me.server(&body).expect("a server");
    assert_eq!(me.state(&server).as_deref(), Some("BUILD"));
    assert!(me.cloud.world().servers().is_empty(), "nothing has booted yet");
    me.cloud.pass(Duration::from_secs(2));
    assert_eq!(me.state(&server).as_deref(), Some("ACTIVE"));
    let booted = me.cloud.world().servers();
    assert_eq!(
        (booted[0].user_data.as_deref(), booted[0].addresses().collect::<Vec<_>>()),
        (Some("aGk="), vec!["10.0.0.2"])
    );
    let joined = &booted[0].ports[0];
    assert_eq!((&*joined.id, &*joined.mac), (text(&port["id"]), text(&port["mac_address"])));
    assert_eq!(joined.floating, [(text(&floating["floating_ip_address"]).to_owned(), "10.0.0.2".to_owned())]);
    let call = Call::new("compute", Method::Get, "/servers/detail?tags=mark").version(Version::new(2, 26));
    let shown = me.session.list(call, "servers").now_or_never().expect("now").expect("servers");
    assert_eq!(shown.len(), 1);
    let addresses = &shown[0]["addresses"]["net"];
    assert_eq!((text(&addresses[0]["addr"]), text(&addresses[1]["OS-EXT-IPS:type"])), ("10.0.0.2", "floating"));
    // Deleting in any other order is refused.
    assert!(said(me.remove("network", "networks", &network)).contains("one or more ports still in use"));
    assert!(said(me.remove("network", "routers", &router)).contains("still has ports"));
    assert!(said(interface("remove")).contains("required by one or more floating IPs"));
    me.remove("compute", "servers", &server).expect("deleted");
    assert_eq!(me.state(&server).as_deref(), Some("ACTIVE"), "it takes its time");
    me.cloud.pass(Duration::from_secs(2));
    assert_eq!(me.state(&server), None);
    assert_eq!(
        me.get("network", &format!("/ports/{}", text(&port["id"])))["port"]["device_id"],
        "",
        "a port that was given stays"
    );
    me.remove("network", "floatingips", &floating["id"]).expect("deleted");
    interface("remove").expect("disconnected");
    for (collection, id) in
        [("routers", &router), ("ports", &port["id"]), ("subnets", &subnet["id"]), ("networks", &network)]
    {
        me.remove("network", collection, id).unwrap_or_else(|fault| panic!("{collection}: {fault}"));
    }
    assert!(me.remove("network", "networks", &network).expect_err("gone").is_missing());
}

#[test]
fn what_makes_no_sense_is_refused_in_the_words_of_the_service() {
    let me = somebody(Setting::default());
    let private = me.get("network", "/networks?name=private")["networks"][0]["id"].clone();
    let port = |body: Value| me.make("ports", "port", body);
    let cases = [
        (said(port(json!({ "name": "p" }))), "Required attribute 'network_id' not specified"),
        (said(port(json!({ "network_id": private, "colour": 1 }))), "Unrecognized attribute(s) 'colour'"),
        (said(port(json!({ "network_id": "none" }))), "Network none could not be found"),
        (
            said(port(json!({ "network_id": private, "fixed_ips": [{ "ip_address": "10.1.0.5" }] }))),
            "Invalid input for operation",
        ),
        (
            said(port(json!({ "network_id": private, "security_groups": ["none"] }))),
            "Security group none could not be found",
        ),
        (
            said(me.make(
                "subnets",
                "subnet",
                json!({ "network_id": private, "ip_version": 4, "cidr": "10.79.0.128/25" }),
            )),
            "overlaps with another subnet",
        ),
        (
            said(me.make(
                "subnets",
                "subnet",
                json!({ "network_id": private, "ip_version": 6, "cidr": "10.5.0.0/25" }),
            )),
            "does not match",
        ),
        (
            said(me.server(&json!({ "name": "x", "flavorRef": "9", "imageRef": me.image(), "networks": "none" }))),
            "Flavor 9 could not be found",
        ),
        (
            said(me.server(&json!({ "name": "x", "flavorRef": "1", "imageRef": "y", "networks": "none" }))),
            "Can not find requested image y",
        ),
        (
            said(me.server(&json!({ "name": "x", "flavorRef": "1", "networks": "none" }))),
            "Image ref is missing and no bootable volume",
        ),
        (
            said(me.server(&json!({ "name": "x", "flavorRef": "1", "imageRef": me.image() }))),
            "'networks' is a required property",
        ),
        (
            said(me.server(
                &json!({ "name": "x", "flavorRef": "1", "imageRef": me.image(), "networks": "none", "key_name": "k" }),
            )),
            "Invalid key_name provided: k",
        ),
        (
            said(me.ask(Call::new("block-storage", Method::Post, "/volumes").body(json!({ "volume": { "size": 0 } })))),
            "Must be a positive integer",
        ),
    ];
    for (said, expected) in cases {
        assert!(said.contains(expected), "{said}\n{expected}");
    }
    let taken = port(json!({ "network_id": private })).expect("a port")["fixed_ips"][0].clone();
    assert!(said(port(json!({ "network_id": private, "fixed_ips": [taken] }))).contains("already allocated in subnet"));
    let group = me.make("security-groups", "security_group", json!({ "name": "g" })).expect("a group");
    let rule = json!({ "security_group_id": group["id"], "direction": "ingress", "protocol": "tcp", "port_range_min": 80, "port_range_max": 80 });
    me.make("security-group-rules", "security_group_rule", rule.clone()).expect("a rule");
    assert!(
        said(me.make("security-group-rules", "security_group_rule", rule))
            .contains("Security group rule already exists")
    );
}

#[test]
fn several_rules_are_made_at_once_or_none() {
    let me = somebody(Setting::default());
    let group = me.make("security-groups", "security_group", json!({ "name": "g" })).expect("a group");
    let rule = |port: u16| json!({ "security_group_id": group["id"], "direction": "ingress", "protocol": "tcp", "port_range_min": port, "port_range_max": port });
    let make = |ports: &[u16]| {
        let rules: Vec<Value> = ports.iter().map(|port| rule(*port)).collect();
        let call = Call::new("network", Method::Post, "/security-group-rules");
        me.ask(call.body(json!({ "security_group_rules": rules })))
    };
    let count =
        || me.get("network", "/security-group-rules?protocol=tcp")["security_group_rules"].as_array().map(Vec::len);
    let both = make(&[80, 81]).expect("rules");
    assert_eq!((both["security_group_rules"].as_array().map(Vec::len), count()), (Some(2), Some(2)));
    assert!(said(make(&[82, 80])).contains("Security group rule already exists"));
    assert_eq!(count(), Some(2));
}

#[test]
fn machines_that_are_elsewhere_get_addresses_of_their_own() {
    let ends = ["127.9.0.254", "127.9.1.9"].map(|address| address.parse().expect("an address"));
    let me = somebody(Setting { addresses: Some(ends.into()), ..Setting::default() });
    let private = me.get("network", "/networks?name=private")["networks"][0]["id"].clone();
    let public = me.get("network", "/networks?name=public")["networks"][0]["id"].clone();
    let port = |body: Value| me.make("ports", "port", body).expect("a port")["fixed_ips"][0]["ip_address"].clone();
    assert_eq!(port(json!({ "network_id": private })), "127.9.0.254");
    // Addresses that end in 255 and 0 are skipped, and networks do not share addresses.
    assert_eq!(port(json!({ "network_id": private })), "127.9.1.1");
    let floating = me.make("floatingips", "floatingip", json!({ "floating_network_id": public })).expect("one");
    assert_eq!(floating["floating_ip_address"], "127.9.1.2");
    assert_eq!(port(json!({ "network_id": private })), "127.9.1.3");
    // Addresses that a template names are honored.
    assert_eq!(port(json!({ "network_id": private, "fixed_ips": [{ "ip_address": "10.79.0.7" }] })), "10.79.0.7");
}

#[test]
fn servers_are_resized_rebuilt_and_have_volumes() {
    let me = somebody(Setting::default());
    let step = || me.cloud.pass(Duration::from_secs(2));
    let volume = me.ask(
        Call::new("block-storage", Method::Post, "/volumes")
            .body(json!({ "volume": { "size": 1, "metadata": { "mark": "m" } } })),
    );
    let volume = volume.expect("a volume")["volume"]["id"].clone();
    let server = me
        .server(&json!({ "name": "x", "flavorRef": "1", "imageRef": me.image(), "networks": "none" }))
        .expect("a server");
    step();
    let act = |body: Value, version: Version| {
        me.ask(
            Call::new("compute", Method::Post, format!("/servers/{}/action", text(&server)))
                .body(body)
                .version(version),
        )
    };
    let old = Version::new(2, 1);
    act(json!({ "resize": { "flavorRef": "2" } }), old).expect("resizes");
    assert!(said(act(json!({ "confirmResize": null }), old)).contains("Cannot 'confirmResize'"), "not yet");
    step();
    assert_eq!(me.state(&server).as_deref(), Some("VERIFY_RESIZE"));
    act(json!({ "confirmResize": null }), old).expect("confirms");
    assert_eq!(me.state(&server).as_deref(), Some("VERIFY_RESIZE"));
    assert!(said(act(json!({ "confirmResize": null }), old)).contains("Instance has not been resized."), "twice");
    step();
    let before = me.cloud.world().servers()[0].disk;
    assert!(
        said(act(json!({ "rebuild": { "imageRef": me.image(), "user_data": "aGk=" } }), old))
            .contains("'user_data' was unexpected")
    );
    act(json!({ "rebuild": { "imageRef": me.image(), "user_data": "aGk=" } }), Version::new(2, 57)).expect("rebuilds");
    step();
    let booted = me.cloud.world().servers().remove(0);
    assert_eq!((booted.disk, booted.user_data.as_deref()), (before + 1, Some("aGk=")));
    act(json!({ "reboot": { "type": "HARD" } }), old).expect("reboots");
    assert!(me.cloud.world().servers().is_empty() && me.cloud.world().has_server(text(&server)), "it is off");
    step();
    let again = me.cloud.world().servers().remove(0);
    assert_eq!((again.disk, again.boots), (booted.disk, booted.boots + 1));
    let attach = || {
        let path = format!("/servers/{}/os-volume_attachments", text(&server));
        me.ask(Call::new("compute", Method::Post, path).body(json!({ "volumeAttachment": { "volumeId": volume } })))
    };
    attach().expect("attached");
    assert!(said(attach()).contains("status must be available"));
    assert!(said(me.remove("block-storage", "volumes", &volume)).contains("must not be migrating, attached"));
    let listed = me.get("block-storage", "/volumes/detail?metadata=%7B%27mark%27%3A%27m%27%7D")["volumes"].clone();
    assert_eq!((text(&listed[0]["status"]), &listed[0]["attachments"][0]["server_id"]), ("in-use", &server));
    me.remove("compute", "servers", &server).expect("deleted");
    step();
    me.remove("block-storage", "volumes", &volume).expect("a volume that was given stays, and is free");
    step();
    assert_eq!(me.get("block-storage", "/volumes")["volumes"], json!([]));
}

#[test]
fn what_is_to_go_wrong_does() {
    let me = somebody(Setting { quota: Some(3), token: Duration::from_mins(10), ..Setting::default() });
    let befall = |path: &str, doing| me.cloud.world().befall(Rule::next(Method::Post, path, doing));
    let make = || me.make("networks", "network", json!({ "name": "n" }));
    let count = || me.get("network", "/networks?name=n")["networks"].as_array().map(Vec::len);
    befall("/networks", Doing::Lost);
    assert!(matches!(make(), Err(Fault::Unknown { .. })));
    assert_eq!(count(), Some(0), "it never arrived");
    befall("/networks", Doing::Unanswered);
    assert!(matches!(make(), Err(Fault::Unknown { .. })));
    assert_eq!(count(), Some(1), "it was carried out");
    befall("/networks", Doing::Late(Duration::from_secs(30)));
    assert!(matches!(make(), Err(Fault::Unknown { .. })));
    assert_eq!(count(), Some(1), "not yet");
    me.cloud.pass(Duration::from_secs(30));
    assert_eq!(count(), Some(2), "it arrived late");
    befall("/networks", Doing::Refused(429, Some(20)));
    make().expect("asked again after what the service says");
    befall("/servers", Doing::Broken);
    let body = json!({ "name": "x", "flavorRef": "1", "imageRef": me.image(), "networks": "none" });
    let server = me.server(&body).expect("made");
    me.cloud.pass(Duration::from_secs(2));
    assert_eq!(me.state(&server).as_deref(), Some("ERROR"));
    me.server(&body).expect("the second");
    me.server(&body).expect("the third");
    assert!(said(me.server(&body)).contains("Quota exceeded for instances"));
    me.cloud.world().vanish("servers", text(&server));
    assert_eq!(me.state(&server), None);
    me.cloud.pass(Duration::from_mins(30));
    assert_eq!(count(), Some(3), "a token that has ended is replaced");
}

#[test]
fn what_was_made_vanishes_in_its_time_and_quotas_are_refused_as_each_service_does() {
    let me = somebody(Setting::default());
    let befall = |text: &str| me.cloud.world().befall(text.parse().expect("a rule"));
    befall("POST /networks: vanishes after 30s");
    let network = me.make("networks", "network", json!({ "name": "n" })).expect("a network");
    let is_there = || me.ask(Call::new("network", Method::Get, format!("/networks/{}", text(&network["id"])))).is_ok();
    me.cloud.pass(Duration::from_secs(29));
    assert!(is_there());
    me.cloud.pass(Duration::from_secs(1));
    assert!(!is_there());
    befall("POST /networks: quota");
    befall("POST /servers: quota");
    befall("POST /volumes: quota");
    let refused = |service, path: &str| me.ask(Call::new(service, Method::Post, path).body(json!({})));
    for (service, path, status) in
        [("network", "/networks", 409), ("compute", "/servers", 403), ("block-storage", "/volumes", 413)]
    {
        let Err(Fault::Refused { status: said, .. }) = refused(service, path) else { panic!("{path}") };
        assert_eq!(said, status, "{path}");
    }
}

#[test]
fn each_cloud_has_ids_of_its_own() {
    let ids = |number| text(&somebody(Setting { number, ..Setting::default() }).image()).to_owned();
    let all: std::collections::BTreeSet<_> = [0, 1, 2, 1 << 40, u64::MAX].map(ids).into();
    assert_eq!(all.len(), 5);
}

#[test]
fn lists_have_pages() {
    let me = somebody(Setting { page: 2, ..Setting::default() });
    for number in 0..5 {
        me.make("networks", "network", json!({ "name": format!("n{number}"), "description": "many" }))
            .expect("a network");
    }
    let call = Call::new("network", Method::Get, "/networks?description=many");
    let all = me.session.list(call, "networks").now_or_never().expect("now").expect("networks");
    let names: Vec<_> = all.iter().map(|network| text(&network["name"])).collect();
    assert_eq!(names, ["n0", "n1", "n2", "n3", "n4"]);
}

#[test]
fn the_same_requests_get_the_same_answers() {
    let run = || {
        let me = somebody(Setting::default());
        let server = me
            .server(&json!({ "name": "x", "flavorRef": "1", "imageRef": me.image(), "networks": "auto" }))
            .expect("a server");
        me.cloud.pass(Duration::from_secs(2));
        me.get("compute", &format!("/servers/{}", text(&server))).to_string()
    };
    assert_eq!(run(), run());
}

#[test]
fn hosts_are_for_administrators() {
    let nova = |path: &'static str, minor| Call::new("compute", Method::Get, path).version(Version::new(2, minor));
    let placement = |path: String| Call::new("placement", Method::Get, path).version(Version::new(1, 14));
    let asked = [
        "/os-hypervisors/detail",
        "/os-services?binary=nova-compute",
        "/os-aggregates",
        "/os-availability-zone/detail",
    ];
    let user = somebody(Setting::default());
    for path in asked {
        assert!(said(user.ask(nova(path, 53))).contains("Policy doesn't allow os_compute_api:os-"), "{path}");
    }
    assert!(said(user.ask(placement("/resource_providers".into()))).contains("Access was denied"));
    let body = |zone: &str, me: &Somebody| json!({ "name": "web", "flavorRef": "2", "imageRef": me.image(), "networks": "none", "availability_zone": zone });
    assert!(said(user.server(&body("nova:compute-2", &user))).contains("servers:create:forced_host"));
    assert!(said(user.server(&body("az9", &user))).contains("The requested availability zone is not available"));
    let server = user.server(&body("az2", &user)).expect("a server");
    let shown = user.get("compute", &format!("/servers/{}", text(&server)))["server"].clone();
    assert_eq!((text(&shown["OS-EXT-AZ:availability_zone"]), shown.get("OS-EXT-SRV-ATTR:host")), ("az2", None));

    let admin = somebody(Setting { is_admin: true, ..Setting::default() });
    let server = admin.server(&body("nova:compute-2", &admin)).expect("a server");
    let shown = || admin.get("compute", &format!("/servers/{}", text(&server)))["server"].clone();
    assert_eq!(shown()["OS-EXT-SRV-ATTR:host"], "compute-2");
    let hypervisors = admin.ask(nova("/os-hypervisors/detail", 53)).expect("hosts")["hypervisors"].clone();
    let second = &hypervisors[1];
    assert_eq!((text(&second["service"]["host"]), &second["vcpus_used"]), ("compute-2", &json!(1)));
    let newer = admin.ask(nova("/os-hypervisors/detail", 88)).expect("hosts")["hypervisors"][1].clone();
    assert_eq!(newer.get("vcpus"), None, "newer versions leave it to Placement");
    let of = |what: &str| {
        admin.ask(placement(format!("/resource_providers/{}/{what}", text(&second["id"])))).expect("it is there")
    };
    assert_eq!(of("usages")["usages"], json!({ "VCPU": 1, "MEMORY_MB": 2048, "DISK_GB": 20 }));
    assert_eq!(of("inventories")["inventories"]["VCPU"]["allocation_ratio"], 4.0);
    assert_eq!(of("traits")["traits"], json!(["COMPUTE_NODE", "HW_CPU_X86_AVX2"]));

    let path = format!("/servers/{}/action", text(&server));
    let moves = json!({ "os-migrateLive": { "host": "compute-3", "block_migration": "auto" } });
    admin.ask(Call::new("compute", Method::Post, path).body(moves)).expect("it moves");
    assert_eq!(shown()["OS-EXT-SRV-ATTR:host"], "compute-3");
    // A server on a host that does not exist goes to the state `ERROR`.
    let server = admin.server(&body("nova:compute-9", &admin)).expect("it is taken");
    admin.cloud.pass(Duration::from_secs(3));
    assert_eq!(admin.state(&server).as_deref(), Some("ERROR"));
}
