//! Redis.

use wattle::prelude::*;

/// Redis, with a password and an append-only file.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::nova::Server;
/// use wattle_catalog::parts::redis::Redis;
///
/// fn cache(t: &mut Topology, server: Server, address: Attribute<IpAddr>, password: Parameter<Secret<String>>) {
///     let cache = t.on(server).run("cache", Redis::new().address(address).password(password).max_memory(512_u32));
///     let url: Output<Url> = cache.url;
///     # let _ = url;
/// }
/// ```
#[component(recipe = "recipes/redis.sh", files = ["recipes/lib.sh"], teardown = "recipes/remove.sh", deadline = "15m")]
pub struct Redis {
    /// Address on which it listens.
    #[input]
    address: IpAddr,
    /// TCP port on which it listens.
    #[input(default = 6379, listen)]
    port: u16,
    /// Password of its clients.
    #[input]
    password: Secret<String>,
    /// Maximum size of its data, in megabytes.
    #[input]
    max_memory: Option<u32>,

    /// `redis://HOST:PORT/`, without the password, once it answers.
    #[output]
    url: Url,
}
