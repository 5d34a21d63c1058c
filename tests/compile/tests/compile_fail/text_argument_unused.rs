use wattle::prelude::*;

fn main() {
    let host = "db";
    let _ = text!("http://db/", host);
    let _ = host;
}
