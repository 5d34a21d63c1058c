use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    #[input]
    new: bool,
    #[output]
    jdbc_base: String,
}

/// A web server.
#[component(recipe = "recipes/app.sh")]
pub struct Web {
    #[output(dynamic)]
    component: String,
}

#[blueprint]
pub fn connections(t: &mut Topology) -> Exports {
    let server = t.add("server", RawResource::new("OS::Nova::Server"));
    t.on(server).run("db2", Db2::new().new(true));
    let web = t.on(server).run("web", Web::new());
    Exports::new().entry("component", web.component)
}

fn main() {}
