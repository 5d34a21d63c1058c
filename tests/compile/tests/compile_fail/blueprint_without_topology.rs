use wattle::prelude::*;

#[blueprint]
pub fn connections() -> Exports {
    Exports::new()
}

fn main() {}
