//! Heat templates as blueprints: as models of the software and infrastructure that they describe, and as crates.
//!
//! What lives here: reading an extended template as a model (`model`), converting a template to a Rust crate (`import`),
//! and the checks of template content that only wattle reads (`check`). What must not: I/O, and Heat's treatment of
//! templates, which is the job of `wattle-heat`.
//! which is the job of `wattle-heat`.
//!
//! ```
//! use wattle_heat::Loaded;
//!
//! let text = "
//! heat_template_version: 2021-04-16
//! resources:
//!   server:
//!     type: OS::Nova::Server
//!     properties: {flavor: m1.small, image: debian-12, networks: [{network: private}]}
//!     metadata:
//!       wattle:
//!         components:
//!           - {name: web, recipe: {script: 'true'}}
//! ";
//! let loaded = Loaded::of(text, "template.yaml");
//! assert_eq!(wattle_hot::check(&loaded), []);
//! let read = wattle_hot::model::read(&loaded);
//! assert!(read.model.components.contains_key("server/web"));
//! ```

pub mod check;
mod codes;
mod group;
pub mod import;
mod load;
pub mod model;

pub use check::check;
pub use load::load;
