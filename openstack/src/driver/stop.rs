//! Why a job stops, and the resulting outcome.

use std::time::Duration;

use wattle_converge::Outcome;

use crate::Fault;
use crate::fault::is_quota;

/// The delay before retrying what the present state does not allow.
pub(super) const SOON: Duration = Duration::from_secs(3);

/// The delay before another request to a busy service.
const BUSY: Duration = Duration::from_secs(10);

/// Why a job stops.
#[derive(Debug)]
pub(super) enum Stop {
    /// A request to a service failed.
    Fault(Fault),
    /// The outcome of the job is known.
    Outcome(Outcome),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Stop {
    /// Stops with a refusal, for this reason.
    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self::Outcome(Outcome::Refused(why.into().into()))
    }

    /// Stops so that the job is retried.
    pub(super) fn later() -> Self {
        Self::Outcome(Outcome::Later(SOON))
    }

    /// Whether the effect of the request is unknown.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Fault(Fault::Unknown { .. }) | Self::Outcome(Outcome::Unknown))
    }

    /// The outcome of the job.
    pub(super) fn outcome(self) -> Outcome {
        match self {
            Self::Outcome(outcome) => outcome,
            Self::Fault(fault) => outcome(fault),
        }
    }
}

/// The outcome of a job after a failed request.
fn outcome(fault: Fault) -> Outcome {
    match &fault {
        Fault::Unknown { .. } => Outcome::Unknown,
        Fault::Busy { .. } | Fault::Unreachable { .. } => Outcome::Later(BUSY),
        Fault::TooLate { .. } => Outcome::Later(SOON),
        Fault::Refused { status, message, .. } => match status {
            500.. => Outcome::Later(BUSY),
            _ if is_quota(message) || is_lasting(message) => said(&fault),
            409 => Outcome::Later(SOON),
            400 if is_state(message) => Outcome::Later(SOON),
            _ => said(&fault),
        },
        Fault::Untrusted { .. }
        | Fault::Senseless { .. }
        | Fault::LoggedOut { .. }
        | Fault::Ended { .. }
        | Fault::NoIdentity { .. }
        | Fault::NoRegion { .. }
        | Fault::NoService { .. }
        | Fault::Version { .. } => said(&fault),
    }
}

/// A refusal with the service's message and advice on how to fix it.
fn said(fault: &Fault) -> Outcome {
    Outcome::Refused(fault.in_full().into())
}

/// Converts a failed creation: a service that reports an internal failure may have created the resource.
pub(super) fn of_creation(fault: Fault) -> Stop {
    match &fault {
        Fault::Refused { status: 500 | 502 | 504, .. } | Fault::Senseless { .. } => Stop::Outcome(Outcome::Unknown),
        _ => Stop::Fault(fault),
    }
}

/// Converts a failed read: it changed nothing, so it may be repeated.
pub(super) fn of_reading(fault: Fault) -> Stop {
    match &fault {
        Fault::Unknown { .. } => Stop::Outcome(Outcome::Later(BUSY)),
        _ => Stop::Fault(fault),
    }
}

/// Whether a refusal is permanent. Services use status 409 both for a conflict with another resource, which may pass,
/// and for properties that contradict each other, which does not.
fn is_lasting(message: &str) -> bool {
    [
        "conflicts with allocation pool",
        "Port Security must be enabled",
        "Port has security group",
        // The refusal of a server without networks in a project that has several.
        "Multiple possible networks found",
    ]
    .iter()
    .any(|known| message.contains(known))
}

/// Whether the state of a volume is the cause. Cinder, and Nova in Cinder's words, use status 400 for that.
fn is_state(message: &str) -> bool {
    message.contains("status must be")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, message: &str) -> Fault {
        Fault::Refused {
            service: "compute".into(),
            what: "to create `/servers`".into(),
            status,
            message: message.into(),
        }
    }

    #[test]
    fn what_passes_is_asked_again_and_what_does_not_is_said() {
        let is_later = |status, message| matches!(outcome(refused(status, message)), Outcome::Later(_));
        assert!(is_later(409, "Port is in use") && is_later(500, "?") && is_later(503, "?"));
        assert!(is_later(400, "Invalid volume: Volume status must be available, but is detaching"));
        assert!(!is_later(409, "Quota exceeded for resources: ['port']."));
        assert!(!is_later(409, "Port has security group associated. Cannot disable port security."));
        assert!(!is_later(409, "Multiple possible networks found, use a Network ID to be more specific."));
        assert!(!is_later(409, "Gateway ip 10.2.0.254 conflicts with allocation pool 10.2.0.2-10.2.0.254."));
        assert!(!is_later(403, "Quota exceeded for instances") && !is_later(400, "Bad name") && !is_later(404, "None"));
        let Outcome::Refused(words) = outcome(refused(413, "VolumeSizeExceedsAvailableQuota")) else { panic!() };
        assert!(words.contains("VolumeSizeExceedsAvailableQuota"), "{words}");
    }

    #[test]
    fn who_fails_inside_may_have_made_it() {
        for status in [500, 502, 504] {
            assert_eq!(of_creation(refused(status, "?")).outcome(), Outcome::Unknown);
        }
        assert!(matches!(of_creation(refused(503, "?")).outcome(), Outcome::Later(_)));
    }
}
