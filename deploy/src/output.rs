//! The outputs of a deployed template.

use wattle_model::{Name, Value};

/// An output of a template.
#[derive(Clone, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: Name,
    /// Its description: what it is for.
    pub description: Option<Name>,
    /// Whether it contains a hidden parameter or a random string, and so must not be shown to everybody.
    pub is_secret: bool,
    /// Its value, or why it has none (yet).
    pub value: Result<Value, String>,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Output");
        shown.field("name", &self.name).field("description", &self.description);
        if self.is_secret { shown.finish_non_exhaustive() } else { shown.field("value", &self.value).finish() }
    }
}
