//! Why a call is invalid.

use crate::template::Function;
use crate::yaml::Span;

/// Why a call is invalid, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The place.
    pub span: Span,
    /// The cause.
    pub cause: Defect,
    /// The stage at which Heat detects it.
    pub stage: Stage,
}

/// The stage at which Heat detects an invalid call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// When it parses the template, wherever the call is.
    Parsed,
    /// When it validates the part of the template that contains the call.
    Validated,
    /// When it needs the value.
    Resolved,
}

/// Why a call is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    /// The arguments are invalid.
    Arguments {
        /// The function.
        function: Function,
        /// What is wrong, as a clause.
        why: String,
    },
    /// The version no longer has the function.
    Removed {
        /// The function's name.
        function: &'static str,
    },
    /// The function cannot be used in conditions, or not in this version.
    Misplaced {
        /// The function's name.
        function: &'static str,
    },
    /// There is no parameter of this name.
    UnknownParameter {
        /// The name.
        name: String,
    },
    /// There is no condition of this name.
    UnknownCondition {
        /// The name, or a placeholder for it.
        name: String,
    },
    /// A condition depends on itself.
    CircularCondition {
        /// Its name.
        name: String,
    },
    /// A value that should be a condition is not a boolean.
    NoTruth {
        /// Its type.
        found: String,
    },
    /// A file is not available.
    MissingFile {
        /// Its path.
        path: String,
    },
}

impl Fault {
    pub(super) fn arguments(span: Span, function: Function, why: impl Into<String>) -> Self {
        Self::new(span, Defect::Arguments { function, why: why.into() })
    }

    pub(super) fn new(span: Span, cause: Defect) -> Self {
        let stage = match cause {
            Defect::Removed { .. } => Stage::Validated,
            Defect::Misplaced { .. } => Stage::Parsed,
            _ => Stage::Resolved,
        };
        Self { span, cause, stage }
    }

    pub(super) fn at(self, stage: Stage) -> Self {
        Self { stage, ..self }
    }
}
