//! Code that `#[blueprint]` examines and leaves unchanged: known values of any type, without a warning.
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
    is_reference: &'static bool,
    flag: Option<bool>,
    level: Level,
}

/// Not `Copy`, so it can be moved only once.
enum Level {
    High = 3,
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

/// A guard that borrows a text until it is dropped, and is not a module.
struct Named<'n>(&'n str);

impl<'n> Named<'n> {
    fn new(name: &'n str) -> Self {
        Self(name)
    }
}

impl Drop for Named<'_> {
    fn drop(&mut self) {
        assert_eq!(self.0, "a");
    }
}

fn note(text: &str) -> usize {
    text.len()
}

fn nothing() {}

fn first(numbers: &mut [u8; 2]) -> &mut u8 {
    &mut numbers[0]
}

/// Chosen when the stack is deployed.
#[derive(Parameters)]
struct Settings {
    /// Whether it encrypts.
    #[parameter(default = true)]
    tls: Parameter<bool>,
}

#[blueprint]
#[expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    clippy::needless_return,
    clippy::used_underscore_binding,
    reason = "these are the forms under test"
)]
fn site(t: &mut Topology, p: Settings) {
    let known = Known {
        mode: "tcp",
        name: "a".into(),
        size: 3,
        ratio: 0.5,
        letter: &'x',
        is_small: true,
        is_reference: &true,
        flag: Some(false),
        level: Level::High,
    };
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
    assert_eq!(known.name, "a");
    assert_eq!(known.name.as_str(), &known.name, "{} twice", known.name);
    debug_assert_ne!(None, known.flag);
    assert!(known.is_small, "{} is not small", known.size);
    if let Some(first) = known.name.chars().next() {
        assert_eq!(first, 'a');
    }
    if let Some(flag) = known.flag {
        assert!(!flag);
    }
    assert!(known.is_reference);
    assert_ne!(known.level as u8, 3 + known.size.max(3) as u8);
    let _name_and_number = (known.size as u16, known.ratio as f32);
    let _kept = Named::new("a");
    let mut numbers = [1, 2];
    let _first = first(&mut numbers);
    numbers[0] = 3;
    let _network = Network;
    t.add("other", _network);
    t.require("encrypted", !p.tls.is(false));
    note("whatever it says");
    nothing();
    t.add("network", Network);
    drop(known.name);
    let _last = first(&mut numbers);
    return;
}

#[test]
fn what_is_known_is_left_as_it_is() {
    let mut t = Topology::new("site");
    let settings = Settings::declare(&mut t);
    site.build(&mut t, settings, NoConfig {});
}
