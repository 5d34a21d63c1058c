//! The registration of a check of models.

use super::sink::Sink;
use crate::analysis::lowering::Lowering;

/// The function of a check.
#[derive(Debug)]
pub struct Run {
    /// The lowering that the check applies to; `None` if it applies to all.
    pub lowering: Option<Lowering>,
    pub(super) look: fn(&mut Sink<'_, '_>),
}

/// One check of a model.
pub type Check = wattle_model::Check<Run>;

/// Declares a check, optionally `only` for one lowering.
macro_rules! check {
    ($(#[doc = $doc:literal])+ $name:ident: $code:literal, $severity:ident, $summary:literal, $run:path) => {
        $crate::check::registry::check! {
            $(#[doc = $doc])+ $name: $code, $severity, $summary, $run, None
        }
    };
    ($(#[doc = $doc:literal])+ $name:ident: $code:literal, $severity:ident, $summary:literal, $run:path, only $lowering:ident) => {
        $crate::check::registry::check! {
            $(#[doc = $doc])+ $name: $code, $severity, $summary, $run, Some($crate::analysis::lowering::Lowering::$lowering)
        }
    };
    ($(#[doc = $doc:literal])+ $name:ident: $code:literal, $severity:ident, $summary:literal, $run:path, $lowering:expr) => {
        wattle_model::check! {
            $(#[doc = $doc])+
            pub(in crate::check) $name: $code, $severity, $summary,
            $crate::check::registry::Run { lowering: $lowering, look: $run }, $crate::check::registry::Run
        }
    };
}
pub(super) use check;
