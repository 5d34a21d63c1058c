//! Access to the ports that software listens on.

use serde_json::{Value, json};
use wattle::author::Blueprint as _;
use wattle::check::{Limits, check};
use wattle::lower::{Options, lower};
use wattle::prelude::*;
use wattle_catalog::neutron::SecurityGroup;
use wattle_catalog::nova;
use wattle_catalog::parts::access::{LetIn, Peers};
use wattle_catalog::parts::haproxy::HaProxy;
use wattle_catalog::parts::network::PrivateNet;
use wattle_catalog::parts::redis::Redis;
use wattle_tests::oracle;

use crate::stage::{Judges, heat_takes, network};

/// Listens in every possible way.
#[component(recipe = "recipes/listen.sh", listen = ["tcp/22", "udp/6000-6010"])]
pub(crate) struct Listener {
    /// For both.
    #[input(default = 53, listen = ["tcp", "udp"])]
    dns: u16,
    /// Not listened on unless it is wired.
    #[input(listen)]
    admin: Option<u16>,
    /// What it reads.
    #[input]
    cache: Option<Url>,

    /// Not known before.
    #[output]
    port: u16,
}

/// Chosen when the stack is deployed.
#[derive(Parameters)]
pub(crate) struct Settings {
    /// Password of the cache.
    #[parameter]
    password: Parameter<Secret<String>>,
    /// Where the cache listens.
    #[parameter(default = 6380)]
    cache_port: Parameter<u16>,
}

/// A server with its own security group.
fn guarded(t: &mut Topology, name: &str, network: PrivateNet) -> (nova::Server, SecurityGroup) {
    let group = t.add(format!("{name}-access"), SecurityGroup::new());
    let server = nova::Server::new().image("debian-12").flavor("m1.small");
    (t.add(name, server.network(network.net).security_group(group)), group)
}

/// A cache for its readers only, one of which reads through a forward reference; a listener and a proxy for others.
#[blueprint]
pub(crate) fn fenced(t: &mut Topology, p: Settings) -> Exports {
    let network = network(t);
    let (cache, cache_group) = guarded(t, "cache", network);
    // Before anything listens or reads.
    t.add("to-cache", LetIn { to: cache, group: cache_group, from: Peers::Readers(network.net) });
    let forward = t.later::<Url>("cache-url");

    let (host, group) = guarded(t, "host", network);
    let listener = t.on(host).run("listener", Listener::new().cache(forward));
    t.add("to-host", LetIn { to: host, group, from: Peers::Group(cache_group) });

    let (front, group) = guarded(t, "front", network);
    t.on(front).run("listener", Listener::new().admin(9000_u16));
    let proxy = HaProxy::new().address(front.address(network.net));
    let redis = Redis::new().address(cache.address(network.net)).password(p.password).port(p.cache_port);
    let redis = t.on(cache).run("redis", redis);
    let proxy = t.on(front).run("proxy", proxy.upstreams(vec![redis.url]));
    t.fulfil(forward, redis.url);
    // For one component, not for its neighbour.
    t.add("to-proxy", LetIn { to: proxy, group, from: Peers::Anyone });
    t.add("to-proxy-by-ipv6", LetIn { to: proxy, group, from: Peers::Cidr("::/0".into()) });
    t.on(cache).run("reads-its-neighbour", Listener::new().cache(redis.url).admin(1_u16));
    Exports::new().entry("port", listener.port).entry("url", proxy.url)
}

/// The rules of a template: name, group, protocol, ports, peers.
fn rules(template: &Value) -> Vec<Value> {
    let rule = |(name, resource): (&String, &Value)| {
        let properties = &resource["properties"];
        let of = |name: &str| properties.get(name).cloned().unwrap_or_default();
        let peers = [of("remote_group"), of("remote_ip_prefix")].into_iter().find(|peer| !peer.is_null());
        (resource["type"] == "OS::Neutron::SecurityGroupRule").then(|| {
            json!([
                name,
                of("security_group")["get_resource"],
                of("protocol"),
                of("port_range_min"),
                of("port_range_max"),
                peers
            ])
        })
    };
    template["resources"].as_object().expect("a map").iter().filter_map(rule).collect()
}

#[test]
fn every_port_that_is_listened_on_is_let_in_and_no_other() {
    let lowered = lower(&fenced.model(Default::default()), &Options::default());
    let template = serde_json::from_str(&wattle::emit::to_json(&lowered.template).expect("emits")).expect("JSON");
    let port = json!({"get_param": "cache_port"});
    let address = |server: &str| {
        let address = json!({"get_attr": [server, "networks", {"get_resource": "inside.net"}, 0]});
        json!({"str_replace": {"template": "<1>/32", "params": {"<1>": address}}})
    };
    let cache = json!({"get_resource": "cache-access"});
    let expected = [
        // The cache's own server also reads it, which no security group can prevent.
        json!(["to-cache.redis-1-host", "cache-access", "tcp", port, port, address("host")]),
        json!(["to-cache.redis-1-front", "cache-access", "tcp", port, port, address("front")]),
        json!(["to-host.listener-1", "host-access", "tcp", 22, 22, cache]),
        json!(["to-host.listener-2", "host-access", "udp", 6000, 6010, cache]),
        json!(["to-host.listener-3", "host-access", "tcp", 53, 53, cache]),
        json!(["to-host.listener-4", "host-access", "udp", 53, 53, cache]),
        json!(["to-proxy.proxy-1", "front-access", "tcp", 80, 80, "0.0.0.0/0"]),
        json!(["to-proxy-by-ipv6.proxy-1", "front-access", "tcp", 80, 80, "::/0"]),
    ];
    assert_eq!(rules(&template), expected, "{:#?}", rules(&template));
    assert_eq!(template["resources"]["to-proxy-by-ipv6.proxy-1"]["properties"]["ethertype"], "IPv6");
}

pub(crate) fn heat(judges: &mut Judges) {
    let model = fenced.model(Default::default());
    heat_takes(judges, &model);
    // The template is cut into nested stacks.
    let mut options = Options::default();
    options.stack_resources = 12;
    let lowered = lower(&model, &options);
    assert!(!lowered.nested.is_empty(), "not cut");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let answer = judges.oracle.validate(&oracle::write(&lowered, folder.path(), false));
    assert_eq!(answer["ok"], true, "{answer:#}");
}

/// A port that another component writes.
#[blueprint]
pub(crate) fn too_late(t: &mut Topology) -> Exports {
    let network = network(t);
    let (host, _) = guarded(t, "host", network);
    let listener = t.on(host).run("listener", Listener::new());
    let (other, group) = guarded(t, "other", network);
    let late = t.on(other).run("late", Listener::new().dns(listener.port));
    t.add("rules", LetIn { to: late, group, from: Peers::Anyone });
    Exports::new().entry("port", late.port)
}

#[test]
fn a_port_that_software_tells_cannot_be_let_in() {
    let model = too_late.model(Default::default());
    let found = check(&model, &Limits::default());
    let [diagnostic] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(
        diagnostic.message,
        "a security group cannot open the port of `other/late`, which is the output `port` of `host/listener`"
    );
    assert_eq!(diagnostic.help, ["wire the input `dns` to a constant, a parameter or an attribute"]);
    // The diagnostic points to the place where the author wired the port.
    assert_eq!(diagnostic.labels[0].at, model.components["other/late"].inputs["dns"].at);
    assert_eq!(diagnostic.code, "W0405");
}
