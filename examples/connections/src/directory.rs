//! The company's directory: the people who can log in and have profiles.

use wattle::prelude::*;

use crate::platform::Platform;

/// OpenLDAP, with the people of `people.ldif` if that file is among the installers.
#[component(recipe = "recipes/ldap.sh", files = ["recipes/lib.sh"])]
pub struct OpenLdap {
    /// Directory in which the recipe looks for `people.ldif`.
    #[input]
    installers: String,
    /// Address of the server.
    #[input]
    address: IpAddr,
    /// DNS domain that becomes the root of the tree.
    #[input]
    domain: String,
    /// Password of the administrator.
    #[input]
    admin_password: Secret<String>,

    /// `ldap://HOST:PORT`.
    #[output]
    url: Url,
    /// Root of the tree: `dc=example,dc=com`.
    #[output]
    base_dn: String,
    /// The administrator: `cn=admin,dc=example,dc=com`.
    #[output]
    bind_dn: String,
}

/// A server with the directory.
pub struct DirectoryServer {
    /// What all servers have in common.
    pub platform: Platform,
    /// DNS domain of the company.
    pub domain: Parameter<String>,
    /// Password of the administrator.
    pub password: Parameter<Secret<String>>,
}

/// What is needed to search the directory.
#[derive(Clone, Copy)]
pub struct Directory {
    /// `ldap://HOST:PORT`.
    pub url: Output<Url>,
    /// Root of the tree.
    pub base_dn: Output<String>,
    /// DN of the user who searches it.
    pub bind_dn: Output<String>,
    /// Password of that user.
    pub bind_password: Parameter<Secret<String>>,
}

impl Module for DirectoryServer {
    type Outputs = Directory;

    fn build(self, t: &mut Topology) -> Directory {
        let Self { platform, domain, password } = self;
        let server = t.add("server", platform.server("m1.small"));
        let ldap = OpenLdap::new()
            .installers(platform.installers)
            .address(server.address(platform.net))
            .domain(domain)
            .admin_password(password);
        let ldap = t.on(server).run("openldap", ldap);
        Directory { url: ldap.url, base_dn: ldap.base_dn, bind_dn: ldap.bind_dn, bind_password: password }
    }
}
