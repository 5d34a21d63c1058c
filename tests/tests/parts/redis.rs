//! Redis.

use wattle::author::Blueprint as _;
use wattle::prelude::*;
use wattle_catalog::parts::redis::Redis;

use crate::stage::{Judges, authority, can_run, client, down, heat_takes, network, server, up, value};

/// Chosen when the stack is deployed.
#[derive(Parameters)]
pub(crate) struct Settings {
    /// Password of the clients.
    #[parameter]
    password: Parameter<Secret<String>>,
}

/// Two caches, on the same port of different servers.
#[blueprint]
pub(crate) fn caches(t: &mut Topology, p: Settings) -> Exports {
    let network = network(t);
    let mut exports = Exports::new();
    for name in ["a", "b"] {
        let (host, address) = server(t, name, network);
        let cache = Redis::new().address(address).password(p.password).max_memory(64_u32);
        exports = exports.entry(name, t.on(host).run("cache", cache).url);
    }
    exports
}

pub(crate) fn heat(judges: &mut Judges) {
    heat_takes(judges, &caches.model(Default::default()));
}

#[test]
fn it_keeps_what_it_is_told() {
    if !can_run("parts: Redis", &["/usr/bin/redis-server", "/usr/bin/redis-cli"]) {
        return;
    }
    let password = "p\"a\\s's word $HOME";
    let stage = up(&caches.model(Default::default()), password);
    let urls = [value(&stage, "a/cache/url"), value(&stage, "b/cache/url")];
    let ask = |url: &str, words: &[&str]| {
        let authority = authority(url);
        let (host, port) = authority.rsplit_once(':').expect("a port");
        client("redis-cli", &[("REDISCLI_AUTH", password)], &[&["-h", host, "-p", port], words].concat())
    };
    assert_eq!(ask(&urls[0], &["set", "word", "wattle"]), "OK");
    assert_eq!(ask(&urls[0], &["get", "word"]), "wattle");
    assert_eq!(ask(&urls[1], &["get", "word"]), "", "the other one is another one");
    assert_eq!(ask(&urls[0], &["config", "get", "maxmemory"]), "maxmemory\n67108864");
    let [host, port] = [0, 1].map(|part| authority(&urls[0]).split(':').nth(part).expect("a part").to_owned());
    assert!(client("redis-cli", &[], &["-h", &host, "-p", &port, "ping"]).contains("NOAUTH"));
    down(&stage, &[&urls[0], &urls[1]]);
    assert_eq!(stage.files_with(password), Vec::<String>::new());

    // The next start finds the saved data.
    let again = stage.run(&["up", "--detach", "--until-done", "--parameter", &format!("password={password}")]);
    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(ask(&urls[0], &["get", "word"]), "wattle");
    down(&stage, &[&urls[0], &urls[1]]);
}
