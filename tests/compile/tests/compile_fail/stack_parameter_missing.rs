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
    let of_member = t.template("member.yaml", member);
    t.add("whole", of_member.stack().image("debian"));
    t.add("none", of_member.stack().count(2));
    t.add("first", of_member.stack().image(3));
    t.add("second", of_member.stack().imgae("debian"));
}

fn main() {}
