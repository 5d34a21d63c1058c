use wattle::prelude::*;

fn main() {
    let host = "db";
    let _ = text!("http://{:?}/", host);
    let _ = host;
}
