//! The examples in the documentation of the macros.
//!
//! They need `wattle`, which `wattle-macros` must not depend on, not even for its tests: Cargo would then compile `wattle`,
//! and what is below it, a second time.

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
