//! What says that a module is dropped: `#[blueprint]` passes the value of each statement through it that builds something.
//!
//! The compiler looks for a method of a type before it looks for one of a trait, and passes over those of which a bound does not
//! hold: so modules have a method whose result must be
//! used, and all else keeps what it is.

use super::module::Module;

/// The value of a statement.
pub struct Dropped<T>(pub T);

impl<M: Module> Dropped<M> {
    /// The module is dropped.
    pub fn dropped(self) -> DroppedModule {
        DroppedModule
    }
}

/// A module that is in no topology.
#[must_use = "a module is added to a topology: `t.add(name, module)`"]
pub struct DroppedModule;

/// What has a name that nothing uses.
pub struct Named<'v, T>(pub &'v T);

impl<M: Module> Named<'_, M> {
    /// The module is dropped. Of what is in a box the compiler does not suggest `let _ =`, which stands there already.
    pub fn dropped(self) -> Box<DroppedModule> {
        Box::new(DroppedModule)
    }
}

impl<T> OfNoModule for Named<'_, T> {
    type Value = ();

    fn dropped(self) {}
}

/// Whatever is no module.
pub trait OfNoModule {
    /// What the value is.
    type Value;
    /// The value, which the compiler judges by its own type.
    fn dropped(self) -> Self::Value;
}

impl<T> OfNoModule for Dropped<T> {
    type Value = T;

    fn dropped(self) -> T {
        self.0
    }
}
