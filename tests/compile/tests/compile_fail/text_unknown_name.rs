use wattle::prelude::*;

fn main() {
    let host = "db";
    let _ = text!("http://{hots}/");
    let _ = host;
}
