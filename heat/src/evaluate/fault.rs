//! Why a function cannot be called so.

use crate::template::Function;
use crate::yaml::Span;

/// Why a function cannot be called so, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub span: Span,
    /// Why.
    pub cause: Cause,
    /// When Heat finds it.
    pub stage: Stage,
}

/// When Heat finds what is wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// While it parses the template, wherever the call stands.
    Parsed,
    /// While it validates what the call stands in.
    Validated,
    /// When it needs the value.
    Resolved,
}

/// Why a function cannot be called so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its arguments are not what it takes.
    Arguments {
        /// The function.
        function: Function,
        /// What is wrong, as a clause.
        why: String,
    },
    /// The version has the function no more.
    Removed {
        /// The function's name.
        function: &'static str,
    },
    /// The function is none of conditions, or none of them in this version.
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
        /// The name, or what stands for it.
        name: String,
    },
    /// The condition depends on itself.
    CircularCondition {
        /// Its name.
        name: String,
    },
    /// What should be a condition is no truth value.
    NoTruth {
        /// What it is.
        found: String,
    },
    /// A file that cannot be had.
    MissingFile {
        /// Its path.
        path: String,
    },
}

impl Fault {
    pub(super) fn arguments(span: Span, function: Function, why: impl Into<String>) -> Self {
        Self::new(span, Cause::Arguments { function, why: why.into() })
    }

    pub(super) fn new(span: Span, cause: Cause) -> Self {
        let stage = match cause {
            Cause::Removed { .. } => Stage::Validated,
            Cause::Misplaced { .. } => Stage::Parsed,
            _ => Stage::Resolved,
        };
        Self { span, cause, stage }
    }

    pub(super) fn at(self, stage: Stage) -> Self {
        Self { stage, ..self }
    }
}
