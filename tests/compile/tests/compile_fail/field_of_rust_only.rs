use wattle::prelude::*;

/// DB2.
#[component(recipe = "recipes/db2.sh")]
pub struct Db2 {
    #[input(default = 50_000)]
    port: usize,
    #[input]
    databases: Vec<&'static str>,
    #[output]
    jdbc_base: String,
}

#[blueprint]
pub fn connections(t: &mut Topology) {
    let server = t.add("server", RawResource::new("OS::Nova::Server"));
    t.on(server).run("db2", Db2::new().port(50_001).databases(["WIKIS"]));
}

fn main() {}
