//! Heat templates as Heat reads them, with the place of everything.
//!
//! What lives here: the text of a template as a tree (`yaml`), its sections and functions (`template`), the files
//! (`files`) and environments (`environment`) that belong to it, the values of its parameters (`parameters`) and
//! functions (`evaluate`), what Heat makes before what (`graph`; `stack`, `properties` and `types`
//! are what it is told from), and what Heat would refuse (`check`). What must not: reading files, and making a blueprint's
//! model of what is written in Rust; the crate knows `wattle`'s model and diagnostics, and `wattle` knows nothing of it.
//!
//! ```
//! use wattle_hot::evaluate::{Mode, Scope, Value};
//! use wattle_hot::{Loaded, check};
//!
//! let text = "
//! heat_template_version: 2021-04-16
//! parameters:
//!   zone: {type: string, default: nova}
//! resources: {}
//! outputs:
//!   name: {value: {list_join: ['-', [db, {get_param: zone}]]}}
//! ";
//! let loaded = Loaded::of(text, "template.yaml");
//! assert_eq!(check(&loaded), []);
//! let scope = Scope::new(&loaded, Mode::Known);
//! let value = loaded.template.outputs["name"].value.as_ref().unwrap();
//! assert_eq!(scope.value(value), Ok(Value::Text("db-nova".into())));
//! ```

pub mod check;
pub mod environment;
pub mod evaluate;
pub mod files;
pub mod graph;
pub mod import;
mod load;
pub mod model;
pub mod parameters;
mod properties;
mod stack;
pub mod template;
mod types;
pub mod yaml;

pub use check::{check, explain};
pub use graph::Graph;
pub use load::{Library, Loaded, Mention, Nested};
pub use types::schema;
