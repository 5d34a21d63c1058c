//! The software of the shop: one component for each recipe.

use wattle::prelude::*;

/// PostgreSQL, with one role and one database that it owns.
#[component(recipe = "recipes/postgres.sh", files = ["recipes/lib.sh"])]
pub struct Postgres {
    /// Address on which it listens.
    #[input]
    address: IpAddr,
    /// TCP port on which it listens.
    #[input(default = 5432)]
    port: u16,
    /// The database.
    #[input(default = "shop")]
    database: String,
    /// The role that owns the database.
    #[input(default = "shop")]
    user: String,
    /// Password of the role.
    #[input]
    password: Secret<String>,

    /// `postgresql://USER@HOST:PORT/DATABASE`; the password is not in it.
    #[output]
    url: Url,
    /// Version of the server: `15.8`.
    #[output]
    version: String,
}

/// The table of the shop's goods, with some goods in it.
#[component(recipe = "recipes/catalogue.sh", files = ["recipes/lib.sh"])]
pub struct Catalogue {
    /// The database, as PostgreSQL's clients take it.
    #[input]
    database_url: Url,
    /// Password of the role in the URL.
    #[input]
    database_password: Secret<String>,

    /// How many goods there are.
    #[output]
    products: u32,
}

/// One application server: answers each request with the goods in the database.
#[component(recipe = "recipes/app.sh", files = ["recipes/lib.sh", "recipes/app.py"])]
pub struct App {
    /// Address on which it listens.
    #[input]
    address: IpAddr,
    /// TCP port on which it listens.
    #[input(default = 8080)]
    port: u16,
    /// The database, as PostgreSQL's clients take it.
    #[input]
    database_url: Url,
    /// Password of the role in the URL.
    #[input]
    database_password: Secret<String>,

    /// `http://HOST:PORT/`, and it answers.
    #[output]
    url: Url,
}

/// nginx, which shares the requests among the application servers.
#[component(recipe = "recipes/nginx.sh", files = ["recipes/lib.sh"])]
pub struct Nginx {
    /// Address on which it listens.
    #[input]
    address: IpAddr,
    /// TCP port on which it listens.
    #[input(default = 80)]
    port: u16,
    /// The application servers, as `http://HOST:PORT/`.
    #[input]
    backends: Vec<Url>,

    /// `http://HOST:PORT/`, inside of the network.
    #[output]
    url: Url,
}
