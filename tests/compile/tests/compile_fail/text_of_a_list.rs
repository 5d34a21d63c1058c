use wattle::prelude::*;

fn main() {
    let _ = text!("{}", vec!["a", "b"]);
}
