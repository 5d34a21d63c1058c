use wattle::prelude::*;

/// The application.
#[component(recipe = "recipes/app.sh")]
pub struct App {
    #[output]
    address: IpAddr,
    #[output(dynamic)]
    version: String,
    #[output]
    certificate: String,
}

fn main() {}
