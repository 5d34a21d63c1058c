//! Heat's own lowering: software as configs and deployments, compared with Heat's engine and its agents.

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
