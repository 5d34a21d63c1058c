//! Requirements where they are checked: by Heat's own engine, by `seed apply`, by agents.

mod agents;
mod apply;
mod heat;

use wattle::prelude::*;

/// The values that these tests have requirements on.
#[derive(Parameters)]
pub(crate) struct Given {
    /// Megabytes.
    #[parameter(default = 4096)]
    memory: Parameter<u32>,
    /// Nodes of the cluster.
    #[parameter(default = 3)]
    nodes: Parameter<u32>,
    /// Nodes that vote.
    #[parameter(default = 3)]
    voters: Parameter<u32>,
    /// A name.
    #[parameter(default = "shop")]
    name: Parameter<String>,
    /// Zones.
    #[parameter(default = ["north"])]
    zones: Parameter<Vec<String>>,
    /// A password.
    #[parameter]
    password: Parameter<Secret<String>>,
}

/// The model of a stack with only these parameters and the requirements on them.
pub(crate) fn of(require: impl FnOnce(&mut Topology, &Given)) -> wattle::model::Model {
    let mut t = Topology::new("required");
    let given = <Given as wattle::author::Parameters>::declare(&mut t);
    require(&mut t, &given);
    t.finish(Exports::new())
}

pub(crate) fn sound(model: &wattle::model::Model) {
    let found = wattle::check::check(model, &wattle::check::Limits::default());
    assert!(!wattle::check::has_errors(&found), "{found:#?}");
}
