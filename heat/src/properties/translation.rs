//! Properties that Heat reads under another name.

/// Heat's name for it: what is given as `from` is what `to` is (one of a class's `translation_rules`). Those that ask a
/// service are left out, as validation does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Translation {
    /// The property that counts, as a path through maps, and through lists without their indices.
    pub(crate) to: &'static [&'static str],
    /// Where its value may stand instead: beside it if it is in a list, otherwise from the outermost on.
    pub(crate) from: &'static [&'static str],
}

/// What is given as `from` is what `to` is.
pub(crate) const fn translation(to: &'static [&'static str], from: &'static [&'static str]) -> Translation {
    Translation { to, from }
}
