//! What `#[blueprint]` looks at and leaves as it is: known values, whatever their types, without a warning.
#![deny(warnings, clippy::pedantic)]

use wattle::author::{Blueprint as _, NoConfig, Parameters as _};
use wattle::prelude::*;

/// What the blueprint knows.
struct Known {
    mode: &'static str,
    name: String,
    size: i32,
    ratio: f64,
    letter: &'static char,
    is_small: bool,
    flag: Option<bool>,
}

/// A network.
#[must_use = "it is added"]
struct Network;

impl Module for Network {
    type Outputs = ();

    fn build(self, t: &mut Topology) {
        t.add("net", RawResource::new("OS::Neutron::Net"));
    }
}

fn note(text: &str) -> usize {
    text.len()
}

fn nothing() {}

/// Chosen when the stack is deployed.
#[derive(Parameters)]
struct Settings {
    /// Whether it encrypts.
    #[parameter(default = true)]
    tls: Parameter<bool>,
}

#[blueprint]
fn site(t: &mut Topology, p: Settings) {
    let known =
        Known { mode: "tcp", name: "a".into(), size: 3, ratio: 0.5, letter: &'x', is_small: true, flag: Some(false) };
    let mode = match known.mode {
        "tcp" => 1,
        _ => 2,
    };
    let name = match known.name.as_str() {
        "a" | "b" => 1,
        text if known.is_small => text.len(),
        _ => 3,
    };
    let size = match known.size {
        1 => -1,
        n if n == mode => 0,
        _ => -known.size,
    };
    let letter = match known.letter {
        'x' => -known.ratio,
        _ => 1.0 - known.ratio,
    };
    let flag = match known.flag {
        Some(true) => !known.is_small,
        Some(false) | None => !known.is_small && known.name.is_empty(),
    };
    assert_eq!((name, size, flag), (1, -3, false));
    assert!(letter < 0.0);
    t.require("encrypted", !p.tls.is(false));
    note("whatever it says");
    nothing();
    t.add("network", Network);
    drop(known);
}

#[test]
fn what_is_known_is_left_as_it_is() {
    let mut t = Topology::new("site");
    let settings = Settings::declare(&mut t);
    site.build(&mut t, settings, NoConfig {});
}
