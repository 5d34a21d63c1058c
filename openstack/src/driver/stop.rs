//! Why a job goes no further, and which outcome that is.

use std::time::Duration;

use wattle_converge::Outcome;

use crate::Fault;
use crate::fault::is_quota;

/// After how long something is asked again that cannot be done in the state that things are in.
pub(super) const SOON: Duration = Duration::from_secs(3);

/// After how long a service is asked again that is busy.
const BUSY: Duration = Duration::from_secs(10);

/// Why a job goes no further.
#[derive(Debug)]
pub(super) enum Stop {
    /// A service did not do what was asked.
    Fault(Fault),
    /// It is known what came of the job.
    Outcome(Outcome),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Stop {
    /// It will not be done, for this reason.
    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self::Outcome(Outcome::Refused(why.into().into()))
    }

    /// It is to be asked again.
    pub(super) fn later() -> Self {
        Self::Outcome(Outcome::Later(SOON))
    }

    /// What came of the job.
    pub(super) fn outcome(self) -> Outcome {
        match self {
            Self::Outcome(outcome) => outcome,
            Self::Fault(fault) => outcome(fault),
        }
    }
}

/// What came of a request, as far as the outcome of its job is concerned.
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
        | Fault::NoService { .. }
        | Fault::Version { .. } => said(&fault),
    }
}

/// A refusal in the words of the service, with how to fix it.
fn said(fault: &Fault) -> Outcome {
    Outcome::Refused(fault.in_full().into())
}

/// What came of a request that makes something: whoever answers that it failed inside may have made it.
pub(super) fn of_creation(fault: Fault) -> Stop {
    match &fault {
        Fault::Refused { status: 500 | 502 | 504, .. } | Fault::Senseless { .. } => Stop::Outcome(Outcome::Unknown),
        _ => Stop::Fault(fault),
    }
}

/// What came of reading: nothing was done, so it may be done again.
pub(super) fn of_reading(fault: Fault) -> Stop {
    match &fault {
        Fault::Unknown { .. } => Stop::Outcome(Outcome::Later(BUSY)),
        _ => Stop::Fault(fault),
    }
}

/// Neutron refuses by 409 what another resource stands in the way of, which may go, and properties that contradict each other, which
/// do not pass.
fn is_lasting(message: &str) -> bool {
    ["conflicts with allocation pool", "Port Security must be enabled", "Port has security group"]
        .iter()
        .any(|known| message.contains(known))
}

/// Cinder, and Nova in Cinder's words, refuse by 400 what cannot be done in the state that a volume is in.
fn is_state(message: &str) -> bool {
    message.contains("status must be")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, message: &str) -> Fault {
        Fault::Refused { service: "compute".into(), what: "to make `/servers`".into(), status, message: message.into() }
    }

    #[test]
    fn what_passes_is_asked_again_and_what_does_not_is_said() {
        let is_later = |status, message| matches!(outcome(refused(status, message)), Outcome::Later(_));
        assert!(is_later(409, "Port is in use") && is_later(500, "?") && is_later(503, "?"));
        assert!(is_later(400, "Invalid volume: Volume status must be available, but is detaching"));
        assert!(!is_later(409, "Quota exceeded for resources: ['port']."));
        assert!(!is_later(409, "Port has security group associated. Cannot disable port security."));
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
