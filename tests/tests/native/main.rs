//! The native lowering: software as configs and deployments, against Heat's own engine and its own agents.

mod agents;
mod engine;
mod server;

use wattle::author::Blueprint;
use wattle::model::Model;

fn examples() -> [Model; 3] {
    [
        hello::hello.model(Default::default()),
        three_tier::three_tier.model(Default::default()),
        connections::connections.model(Default::default()),
    ]
}
