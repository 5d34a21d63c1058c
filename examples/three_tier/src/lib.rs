//! A web shop in three tiers: PostgreSQL, application servers, and nginx in front of them.
//!
//! ```text
//! web ── nginx ◀── url ── app1 … appN ── app ◀── url ── db ── postgres, catalogue
//! ```
//!
//! The recipes work on a plain Debian 12, and also if all servers are one machine with several addresses.

mod software;

use serde::Deserialize;
use wattle::prelude::*;
use wattle_catalog::{neutron, nova};

pub use software::{App, Catalogue, Nginx, Postgres};

/// Chosen when the stack is deployed.
#[derive(Parameters)]
pub struct Settings {
    /// Image of every server.
    #[parameter(default = "debian-12", constraint = "glance.image")]
    image: Parameter<String>,
    /// Flavor of every server.
    #[parameter(default = "m1.small", constraint = "nova.flavor")]
    flavor: Parameter<String>,
    /// The network that leads outside.
    #[parameter(default = "public", constraint = "neutron.network")]
    public_network: Parameter<String>,
    /// Password of the shop's role in the database.
    #[parameter]
    db_password: Parameter<Secret<String>>,
}

/// Chosen while building: `--set apps=3`.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Size {
    /// How many application servers there are.
    apps: u32,
}

impl Default for Size {
    fn default() -> Self {
        Self { apps: 2 }
    }
}

/// A web shop: PostgreSQL, application servers that read from it, and nginx in front of them.
#[blueprint]
pub fn three_tier(t: &mut Topology, p: Settings, size: Size) -> Exports {
    t.require("application servers", that(size.apps).at_least(1).because("nginx has nobody to pass requests on to"));

    let inside = "10.0.0.0/24";
    let net = t.add("backbone", neutron::Net::new());
    let subnet = t.add("subnet", neutron::Subnet::new(net).cidr(inside));
    let router = t.add("router", neutron::Router::new().external_network(p.public_network));
    t.add("uplink", neutron::RouterInterface::new(router).subnet(subnet));

    let server = || nova::Server::new().image(p.image).flavor(p.flavor);

    let db_access = neutron::SecurityGroup::new().rule(neutron::Rule::tcp(5432).from(inside));
    let db_access = t.add("db-access", db_access);
    let db = t.add("db", server().network(net).security_group(db_access));
    let postgres = Postgres::new().address(db.address(net)).password(p.db_password);
    let postgres = t.on(db).run("postgres", postgres);
    let catalogue = Catalogue::new().database_url(postgres.url).database_password(p.db_password);
    let catalogue = t.on(db).run("catalogue", catalogue);

    let app_access = neutron::SecurityGroup::new().rule(neutron::Rule::tcp(8080).from(inside));
    let app_access = t.add("app-access", app_access);
    let mut backends = Vec::new();
    for n in 1..=size.apps {
        let host = t.add(format!("app{n}"), server().network(net).security_group(app_access));
        let app = App::new().address(host.address(net)).database_url(postgres.url).database_password(p.db_password);
        let app = t.on(host).run("app", app);
        // The app reads no output of the catalogue, but it needs the catalogue's table.
        t.after(app, catalogue);
        backends.push(app.url);
    }

    let web_access = t.add("web-access", neutron::SecurityGroup::new().rule(neutron::Rule::tcp(80)));
    let port = t.add("web-port", neutron::Port::new(net).subnet(subnet).security_group(web_access));
    let public = t.add("web-address", neutron::FloatingIp::new(p.public_network).port(port));
    let web = t.add("web", server().port(port));
    let nginx = t.on(web).run("nginx", Nginx::new().address(port.address()).backends(backends));

    Exports::new()
        .entry("url", nginx.url)
        .entry("public_address", public.address())
        .entry("products", catalogue.products)
        .entry("postgres_version", postgres.version)
}
