use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    #[output]
    jdbc_base: Option<String>,
}

/// Reads the URL.
#[component(recipe = "recipes/app.sh")]
pub struct App {
    #[input]
    jdbc: String,
    #[output(dynamic)]
    url: String,
}

#[blueprint]
pub fn connections(t: &mut Topology) -> Exports {
    let server = t.add("server", RawResource::new("OS::Nova::Server"));
    let db2 = t.on(server).run("db2", Db2::new());
    t.on(server).run("app", App::new().jdbc(db2.jdbc_base));
    Exports::new().entry("jdbc", db2.jdbc_base)
}

fn main() {}
