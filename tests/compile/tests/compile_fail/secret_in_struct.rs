use wattle::prelude::*;
use wattle_catalog::nova;

/// How to log in.
#[derive(PortType)]
pub struct Login {
    user: String,
    password: Secret<String>,
}

/// The application.
#[component(recipe = "recipes/app.sh")]
pub struct App {
    #[output(dynamic)]
    login: Login,
}

#[blueprint]
pub fn connections(t: &mut Topology) -> Exports {
    let server = t.add("db", nova::Server::new().image("debian-12").flavor("m1.large"));
    let app = t.on(server).run("app", App::new());
    Exports::new().entry("login", app.login)
}

fn main() {}
