//! What Heat itself computes: its functions, its conditions, and the parts of resource definitions other than properties.
//!
//! A blueprint computes in Rust with values that are known while it runs. Values that are known only at deployment, such as
//! a parameter, must be computed by Heat, with the functions of HOT (HOT specification, "intrinsic functions"). Each of
//! them is a function of this module, under its own name, and [`function`] calls any other. They return a [`Value`], which
//! every property accepts.
//!
//! ```
//! use wattle::prelude::*;
//!
//! #[derive(Parameters)]
//! pub struct Settings {
//!     /// Whether there is an address outside.
//!     #[parameter(default = true)]
//!     public: Parameter<bool>,
//! }
//!
//! #[blueprint]
//! pub fn shop(t: &mut Topology, p: Settings) {
//!     let public = t.condition("public", hot::equals(p.public, true));
//!     let size = hot::if_(public, "large", "small");
//!     let wall = t.add("wall", RawResource::new("Our::Wall").property("size", size));
//!     let address = t.add("address", RawResource::new("Our::Address"));
//!     t.resource(address).condition(public).depends_on(wall);
//!     t.output("address", address.attribute::<String>("address")).description("Where customers go.").condition(public);
//! }
//! # let model = wattle::author::Blueprint::model(&shop, Default::default());
//! # assert_eq!(wattle::check::check(&model, &Default::default()), []);
//! ```

mod argument;
mod condition;
mod definition;
mod function;
mod json;
mod nested;
mod output;
mod template;
mod value;

pub use crate::author::handle::Condition;
pub use argument::{Argument, AsResource};
pub use definition::Definition;
pub use function::{
    and, attributes, contains, digest, equals, filter, function, get_attr, get_param, get_resource, if_, list_concat,
    list_concat_unique, list_join, make_url, map_merge, map_replace, not, or, project_id, repeat, stack_id, stack_name,
    str_replace, str_replace_strict, str_replace_vstrict, str_split, yaql,
};
pub use json::Json;
pub use nested::{Member, Nested, Stacked};
pub use output::StackOutput;
pub use value::{Value, empty_list, empty_map, null, value};
