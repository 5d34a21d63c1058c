use wattle::prelude::*;
use wattle_catalog::neutron;

/// The application.
#[component(recipe = "recipes/app.sh")]
pub struct App {
    /// URL of its database.
    #[input]
    database: String,
    /// Its own URL.
    #[output]
    url: Url,
}

#[blueprint]
pub fn connections(t: &mut Topology) {
    let net = t.add("backbone", neutron::Net::new());
    t.on(net).run("app", App::new().database("wikis"));
}

fn main() {}
