//! Certificates for servers: each server creates a key that never leaves it, and an authority signs its certificate.

use wattle::prelude::*;

/// A private key that never leaves its server, and the request to have it signed.
///
/// It stays the same for as long as its file is there.
#[component(recipe = "recipes/certificate-key.sh", files = ["recipes/lib.sh"], deadline = "10m")]
pub struct Key {
    /// The file of the key on its server, in PEM, which only root may read.
    #[output]
    path: String,
    /// The request, in PEM (PKCS #10). It is not secret.
    #[output]
    request: String,
}

/// An authority, which signs the requests of servers. Each certificate is for the server's address, whatever the
/// request asks for.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::nova::Server;
/// use wattle_catalog::parts::certificates::{Authority, Key};
///
/// fn certificates(t: &mut Topology, servers: [Server; 2], addresses: [Attribute<IpAddr>; 2]) -> Authority {
///     let requests = servers.map(|server| t.on(server).run("key", Key::new()).request).to_vec();
///     t.on(servers[0]).run("authority", Authority::new().requests(requests).addresses(&addresses.to_vec()))
/// }
/// ```
///
/// Anyone who is root on its server can issue certificates that others trust. Each server reports its own address, so a
/// compromised server gets a certificate for any address that no other server has: use the authority for these servers
/// alone. Without `certificate` and `key`, it creates an authority of its own, whose key never leaves its server.
#[component(recipe = "recipes/certificate-authority.sh", files = ["recipes/lib.sh"], deadline = "10m")]
pub struct Authority {
    /// The requests of [`Key`].
    #[input]
    requests: Vec<String>,
    /// The address that each of them is for, in the same order.
    #[input]
    addresses: Vec<IpAddr>,
    /// The authority's certificate with its chain, in PEM: `ca.pem` of `wattle ca new`, or one of your own.
    #[input]
    certificate: Option<String>,
    /// The key of `certificate`, in PEM: `ca.key` of `wattle ca new`.
    #[input]
    key: Option<Secret<String>>,
    /// How many days a certificate is valid, at most as long as the authority. Changing this issues all of them again.
    #[input(default = 3650)]
    days: u32,

    /// Its own certificate, in PEM, which others must trust.
    #[output]
    authority: String,
    /// The certificate for each request, with its chain, in PEM.
    #[output]
    certificates: Vec<String>,
}
