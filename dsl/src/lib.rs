//! A typed DSL for application topologies on OpenStack: servers, networks, and the software on them with what each piece
//! reads and writes.
//!
//! ```
//! use wattle::prelude::*;
//!
//! /// Greets whoever is named.
//! #[component(recipe = "src/check/examples/greet.sh")]
//! pub struct Greeter {
//!     /// Whom to greet.
//!     #[input]
//!     name: String,
//!     /// The greeting.
//!     #[output]
//!     greeting: String,
//! }
//!
//! /// One server that greets.
//! #[blueprint]
//! pub fn hello(t: &mut Topology) -> Exports {
//!     let server = t.add("server", RawResource::new("OS::Nova::Server").property("flavor", "m1.small"));
//!     let greeter = t.on(server).run("greeter", Greeter::new().name("world"));
//!     Exports::new().entry("greeting", greeter.greeting)
//! }
//!
//! let model = wattle::author::Blueprint::model(&hello, Default::default());
//! assert_eq!(wattle::check::check(&model, &Default::default()), []);
//! let lowered = wattle::lower::lower(&model, &Default::default());
//! assert!(lowered.seed.entries.contains_key("server/greeter/greeting"));
//! ```
//!
//! A blueprint's program is `fn main() -> ExitCode { wattle::main(hello) }`. Each step is a module: an author calls
//! [`author`], which builds a [`model`]; [`check`] finds mistakes in it, which [`view`] renders; [`lower`] turns it into a
//! Heat template and a seed, which [`emit`] writes. As a file, a model is an [`extended`] template.

mod analysis;
pub mod author;
pub mod check;
pub mod cli;
pub mod diagram;
pub mod extended;
pub mod graph;
pub mod lower;
pub mod manners;
pub mod plan;
pub mod prelude;
pub mod requirement;
pub mod testing;
pub mod view;

pub use wattle_heat::emit;
pub use wattle_model as model;
pub use wattle_model::{names, shown, values};
pub use wattle_policy as policy;

// Items that compiler messages name: re-exported here, so that messages use the shortest path.
#[doc(hidden)]
pub use author::FieldNotKnownYet;
pub use author::hot;
pub use author::{
    Attribute, Component, Export, Exports, ForwardReference, Module, Output, Parameter, RawResource, Secret, Text,
    Topology,
};
pub use cli::{main, main_with};
pub use wattle_macros::{Parameters, PortType, blueprint, component, text};
pub use wattle_words::types::*;
