//! The member of a group of which a parameter is not set.

use wattle::prelude::*;

#[derive(Parameters)]
pub struct Settings {
    /// Glance image of the server.
    image: Parameter<String>,
}

#[blueprint]
pub fn member(t: &mut Topology, p: Settings) {
    t.add("server", RawResource::new("OS::Nova::Server").property("image", p.image));
}

#[blueprint]
pub fn members(t: &mut Topology) {
    let of_member = t.template("member.yaml", member);
    let whole = t.member(of_member.stack().image("debian"));
    t.add("whole", RawResource::new("OS::Heat::ResourceGroup").property("resource_def", whole));
    let none = t.member(of_member.stack());
    t.add("none", RawResource::new("OS::Heat::ResourceGroup").property("resource_def", none));
}

fn main() {}
