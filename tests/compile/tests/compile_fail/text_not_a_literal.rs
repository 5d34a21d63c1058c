use wattle::prelude::*;

fn main() {
    let host = "db";
    let _ = text!(host);
    let _ = host;
}
