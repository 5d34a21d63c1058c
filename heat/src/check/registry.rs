//! What a check of a template is.

use super::Sink;

/// What looks.
pub type Look = fn(&mut Sink<'_>);

/// What a check looks at, and its function.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// All that Heat is sent, once.
    Whole(Look),
    /// The template, and each that is nested in it, with the values that it is given.
    Each(Look),
    /// The same, and the parameters of every template that is sent along: Heat reads them whatever they are for.
    Sent(Look),
    /// The resources of all stacks: `judge` goes through them once for all of these checks.
    Resources,
}

/// One check of a template.
pub type Check = wattle_model::Check<Run>;

/// Declares a check. Of the code blocks in its documentation the first is a template in which it reports something, and
/// the second one in which no check does.
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
