//! Confidential values.

/// A `T` that may only flow to places that expect secrets.
///
/// It cannot be printed, and its type keeps it out of inputs, properties and exports that are not secret. Anyone who has
/// the program can read a secret that is written in the blueprint itself. Prefer a `Parameter<Secret<String>>`, which
/// `check` recommends.
///
/// ```
/// use wattle::prelude::*;
///
/// /// Chosen at deployment: in no file of the blueprint, nor in what it emits.
/// #[derive(Parameters)]
/// pub struct Settings {
///     /// Password of the administrator.
///     password: Parameter<Secret<String>>,
/// }
///
/// // In the program itself, for a test or a value that is none of yours to keep:
/// let password = Secret::new("public anyway".to_owned());
/// # let _: Secret<String> = password;
/// ```
#[derive(Clone)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Marks `value` as confidential.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    pub(crate) fn reveal(self) -> T {
        self.0
    }
}
