//! What a check of a template is.

use super::Sink;

/// The function of a check.
pub type Run = fn(&mut Sink<'_>);

/// One check of a template.
pub type Check = wattle_model::Check<Run>;

/// Declares a check. Of the code blocks in its documentation the first is a template in which it reports something, and
/// the second one in which no check does.
macro_rules! check {
    ($(#[doc = $doc:literal])+ $name:ident: $code:literal, $severity:ident, $summary:literal, $run:path) => {
        wattle_model::check! {
            $(#[doc = $doc])+
            pub(crate) $name: $code, $severity, $summary, $run, $crate::check::registry::Run
        }
    };
}
pub(super) use check;
