//! OpenLDAP: a directory of people.

use wattle::prelude::*;

/// OpenLDAP, with the tree of a domain.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::nova::Server;
/// use wattle_catalog::parts::openldap::OpenLdap;
///
/// fn directory(t: &mut Topology, server: Server, address: Attribute<IpAddr>, password: Parameter<Secret<String>>) {
///     let directory = OpenLdap::new().address(address).domain("example.com").admin_password(password);
///     let directory = t.on(server).run("directory", directory);
///     let people = text!("ou=people,{}", directory.base_dn);
///     # let _ = people;
/// }
/// ```
///
/// It knows the schemas `core`, `cosine`, `nis` and `inetorgperson`. A user who is logged in can read everything but
/// passwords, and change their own password; the administrator can change everything. It stores passwords only as
/// hashes. Connections are not encrypted: use it on a private network.
#[component(recipe = "recipes/openldap.sh", files = ["recipes/lib.sh"], teardown = "recipes/remove.sh", deadline = "15m")]
pub struct OpenLdap {
    /// Address on which it listens.
    #[input]
    address: IpAddr,
    /// TCP port on which it listens.
    #[input(default = 389, listen)]
    port: u16,
    /// DNS domain that is the root of the tree: `example.com` is `dc=example,dc=com`. It cannot be changed later.
    #[input]
    domain: String,
    /// Password of the administrator.
    #[input]
    admin_password: Secret<String>,
    /// Entries to add, as LDIF (RFC 2849), each after the one above it. Existing entries stay as they are.
    #[input]
    entries: Option<String>,
    /// Maximum size of its database, in megabytes.
    #[input(default = 1024)]
    max_size: u32,

    /// `ldap://HOST:PORT`, once it answers.
    #[output]
    url: Url,
    /// Root of the tree: `dc=example,dc=com`.
    #[output]
    base_dn: String,
    /// The administrator: `cn=admin,dc=example,dc=com`.
    #[output]
    bind_dn: String,
}
