//! The registration of a check of templates.

use super::Sink;

/// The function of a check.
pub type Look = fn(&mut Sink<'_>);

/// The scope of a check, and its function.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Everything that Heat receives, once.
    Whole(Look),
    /// The template and each nested template, with the values that it receives.
    Each(Look),
    /// The same, and also the parameters of every template that is sent along: Heat reads them in any case.
    Sent(Look),
    /// The resources of all stacks. `judge` walks them once for all of these checks.
    Resources,
}

/// One check of a template.
pub type Check = wattle_model::Check<Run>;

/// Declares a check. In its documentation, the first code block is a template for which it reports something, and the second
/// is one for which no check does.
macro_rules! check {
    ($(#[doc = $doc:literal])+ $name:ident: $code:literal, $severity:ident, $summary:literal, $of:ident $(($run:path))?) => {
        wattle_model::check! {
            $(#[doc = $doc])+
            pub(crate) $name: $code, $severity, $summary,
            $crate::check::registry::Run::$of $(($run))?, $crate::check::registry::Run
        }
    };
}
pub(super) use check;
