use wattle::prelude::*;

#[derive(Parameters)]
pub enum Settings {
    Small,
}

fn main() {}
