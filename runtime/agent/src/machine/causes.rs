//! Root causes: why something awaited is missing, as worded in failures.

use std::fmt::{self, Write as _};
use std::time::Duration;

use wattle_model::Name;
use wattle_model::values::span;

use crate::failure::Failure;
use crate::time::Time;

use super::needs::{Awaited, Needs};

/// The maximum number of things in a message. A few causes are enough to start with: even a hundred missing values have
/// few causes.
const NAMED: usize = 5;

/// Why something is missing: the end of a chain of waits.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// No agent has ever acted for the server.
    NeverStarted {
        /// The server.
        server: Name,
    },
    /// Its agent is gone.
    Away {
        /// The server.
        server: Name,
    },
    /// Its agent is alive, but has not reached this component in this revision.
    NotReached {
        /// The component, as `SERVER/COMPONENT`.
        component: Name,
    },
    /// It is running.
    Runs {
        /// The component, as `SERVER/COMPONENT`.
        component: Name,
        /// When it began.
        since: Time,
    },
    /// It is done, so what was awaited is about to arrive.
    Done {
        /// The component, as `SERVER/COMPONENT`.
        component: Name,
    },
    /// It failed.
    Failed(Failure),
    /// It waits for another stack's entry, whose state is unknown here.
    Foreign {
        /// The component that waits, as `SERVER/COMPONENT`.
        component: Name,
        /// The entry that it waits for.
        what: Name,
    },
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverStarted { server } => write!(f, "never started: no agent of server `{server}` has come up"),
            Self::Away { server } => write!(f, "the agent of server `{server}` has gone"),
            Self::NotReached { component } => write!(f, "`{component}` has not begun yet"),
            Self::Runs { component, since } => write!(f, "`{component}` runs{}", Since(*since)),
            Self::Done { component } => write!(f, "`{component}` is done only now"),
            Self::Failed(failure) => write!(f, "{failure}"),
            Self::Foreign { component, what } => write!(f, "`{component}` waits for `{what}` of another stack"),
        }
    }
}

/// Displays as ` since 2024-01-31T12:30:00Z`, or as nothing where there is no [wall clock](super::Now::wall).
struct Since(Time);

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == Time::EPOCH { Ok(()) } else { write!(f, " since {:.0}", self.0) }
    }
}

/// What to search for when these are missing: entries `SERVER/COMPONENT/OUTPUT` and components `SERVER/COMPONENT`.
pub(super) fn asked(missing: &Needs) -> Vec<Name> {
    let awaited = missing.keys().take(NAMED).filter(|awaited| !matches!(awaited, Awaited::Foreign(..)));
    awaited.map(Awaited::name).collect()
}

/// Whether the causes lie behind another component that waits in vain as well. Its failure is worth waiting a moment
/// for.
pub(super) fn are_far(causes: &[Cause], missing: &Needs) -> bool {
    let names = asked(missing);
    let is_awaited = |server: &Name| {
        names.iter().any(|name| name.strip_prefix(&**server).is_some_and(|component| component.starts_with('/')))
    };
    let is_near = |cause: &Cause| match cause {
        Cause::NeverStarted { server } | Cause::Away { server } => is_awaited(server),
        Cause::NotReached { .. }
        | Cause::Runs { .. }
        | Cause::Done { .. }
        | Cause::Failed(_)
        | Cause::Foreign { .. } => false,
    };
    !causes.is_empty() && !causes.iter().any(is_near)
}

/// The message for a wait in vain: what was awaited, from which server, since when, and the causes.
pub(super) fn in_vain(missing: &Needs, limit: Duration, since: Time, causes: &Result<Vec<Cause>, String>) -> String {
    let mut message = format!("waited {}{} for ", span(limit), Since(since));
    for (at, (awaited, input)) in missing.iter().take(NAMED).enumerate() {
        message.push_str(if at > 0 { ", " } else { "" });
        let _ = match input {
            Some(input) => write!(message, "`{}` (its input `{input}`)", awaited.name()),
            None => write!(message, "`{}` to end", awaited.name()),
        };
    }
    if missing.len() > NAMED {
        let _ = write!(message, " and {} more", missing.len() - NAMED);
    }
    match causes {
        Ok(causes) => {
            for (at, cause) in causes.iter().take(NAMED).enumerate() {
                let _ = write!(message, "{}{cause}", if at == 0 { ": " } else { "; " });
            }
        }
        Err(error) => drop(write!(message, "; the reason is not known: {error}")),
    }
    message
}
