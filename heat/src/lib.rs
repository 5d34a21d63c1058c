//! Heat's treatment of templates: it reads them, evaluates their functions, validates them, and orders their resources.
//!
//! Heat reads YAML 1.1, determines the available functions by the template's version, and judges values by the schemas of
//! its resource types and by the rules of each type's class. All of that lives here and nowhere else, below everything that
//! writes templates, checks them, or predicts an update.
//!
//! What lives here: Heat's own rules, and nothing about components, agents and data spaces. What must not: I/O. Files come
//! through [`files::Files`]. For any input text, reading ends within bounded time and memory.

#![cfg_attr(
    not(feature = "check"),
    expect(dead_code, unused_imports, reason = "only checks report faults of a template")
)]

#[cfg(feature = "check")]
pub mod check;
pub mod classes;
pub mod desired;
pub mod emit;
pub mod environment;
pub mod evaluate;
mod faults;
pub mod files;
pub mod graph;
pub mod limits;
mod load;
pub mod parameters;
pub mod properties;
mod resource;
pub mod rules;
pub mod schema;
mod stack;
pub mod template;
pub mod truth;
pub mod update;
pub mod value;
pub mod yaml;

#[cfg(feature = "check")]
pub use check::check;
pub use desired::{Desired, Facts};
pub use graph::Graph;
pub use load::{Library, Loaded, Mention, Nested};
