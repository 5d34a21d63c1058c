//! The examples in the documentation of the macros, and which of many cases are tried.
//!
//! The examples need `wattle`, which `wattle-macros` must not depend on, not even for its tests: Cargo would then compile
//! `wattle`, and what is below it, a second time.

use std::env;

/// Of so many cases that the compiler refuses, one is tried: all of them with `WATTLE_TEST_ALL`, or if the variable `updates` is
/// set, with which somebody updates all goldens.
pub fn one_of(updates: &str) -> usize {
    let is_set = |variable| env::var_os(variable).is_some();
    if is_set("WATTLE_TEST_ALL") || is_set(updates) { 1 } else { 3 }
}

#[cfg(doctest)]
mod macros {
    #[doc = include_str!("../../../dsl-macros/docs/blueprint.md")]
    mod blueprint {}
    #[doc = include_str!("../../../dsl-macros/docs/component.md")]
    mod component {}
    #[doc = include_str!("../../../dsl-macros/docs/parameters.md")]
    mod parameters {}
    #[doc = include_str!("../../../dsl-macros/docs/port_type.md")]
    mod port_type {}
    #[doc = include_str!("../../../dsl-macros/docs/text.md")]
    mod text {}
}
