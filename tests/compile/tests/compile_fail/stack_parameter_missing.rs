//! A stack of a nested template of which a parameter is not set.

use wattle::prelude::*;

#[derive(Parameters)]
pub struct Settings {
    /// Glance image of the server.
    image: Parameter<String>,
    /// How many there are.
    #[parameter(default = 1)]
    count: Parameter<i64>,
}

#[blueprint]
pub fn member(t: &mut Topology, p: Settings) {
    t.add("server", RawResource::new("OS::Nova::Server").property("image", p.image).property("count", p.count));
}

#[blueprint]
pub fn members(t: &mut Topology) {
    let member = t.template("member.yaml", member);
    t.add("whole", member.stack().image("debian"));
    t.add("none", member.stack().count(2));
    t.add("first", member.stack().image(3));
    t.add("second", member.stack().imgae("debian"));
}

fn main() {}
