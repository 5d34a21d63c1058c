//! Diagrams of the examples, of large topologies and of awkward ones.

mod look;
mod page;
mod svg;

use wattle::author::Blueprint;
use wattle::diagram::{self, Diagram};
use wattle::model::Model;
use wattle_tests::workload::{Size, workload};

/// The diagram of W(N), the workload of N tiers.
fn tiers(tiers: u32) -> Diagram {
    diagram::of(&workload.model(Size::of(tiers)))
}

/// The diagrams of the examples.
fn examples() -> [(&'static str, Model); 3] {
    [
        ("hello", hello::hello.model(Default::default())),
        ("three_tier", three_tier::three_tier.model(Default::default())),
        ("connections", connections::connections.model(Default::default())),
    ]
}
