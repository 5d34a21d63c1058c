//! Reports a module that is dropped. `#[blueprint]` passes the value of each statement that builds something through
//! this module.
//!
//! The compiler looks for inherent methods before it looks for methods of traits, and skips those whose bounds do not hold.
//! So modules get an inherent method whose result must be used, and any other value is left unchanged.

use super::module::Module;

/// A module, or what holds modules.
pub trait Modules {}

impl<M: Module> Modules for M {}

impl<M: Modules> Modules for Vec<M> {}

impl<M: Modules> Modules for Option<M> {}

impl<M: Modules, const N: usize> Modules for [M; N] {}

/// The value of a statement.
pub struct Dropped<T>(pub T);

impl<M: Modules> Dropped<M> {
    /// Reports a dropped module.
    pub fn dropped(self) -> DroppedModule {
        DroppedModule
    }
}

/// A module that is in no topology.
#[must_use = "a module does nothing until it is added to a topology: `t.add(name, module)`"]
pub struct DroppedModule;

/// The value of a variable that nothing uses.
pub struct Named<'v, T>(pub &'v T);

impl<M: Modules> Named<'_, M> {
    /// Reports a dropped module. The result is boxed, because the compiler would otherwise suggest `let _ =`, which is
    /// already there.
    pub fn dropped(self) -> Box<DroppedModule> {
        Box::new(DroppedModule)
    }
}

impl<T> OfNoModule for Named<'_, T> {
    type Value = ();

    fn dropped(self) {}
}

/// Any value that is not a module.
pub trait OfNoModule {
    /// The type that the value keeps.
    type Value;
    /// Returns the value, which the compiler judges by its own type.
    fn dropped(self) -> Self::Value;
}

impl<T> OfNoModule for Dropped<T> {
    type Value = T;

    fn dropped(self) -> T {
        self.0
    }
}
