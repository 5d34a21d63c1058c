//! The order in which a seed is written, and the number of its revision.
//!
//! Writing may be interrupted anywhere. It then starts again from the beginning, unless only the end is missing.
//! Servers are notified of a revision once it is complete, and nothing that the previous revision still needs is
//! removed earlier. An interrupted writer cannot be distinguished from a slow one, so its turn is ended first
//! ([`There::is_being_written`]). Likewise, a command that finds no desired revision announces revision 0 before it
//! trusts what it reads: the earlier contents may have been lost with an earlier data space.

/// A step in writing a seed. After [`Step::Announce`], a writer stops as soon as another one has written the desired
/// revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Announces, beside the desired revision, that a seed is being written. From here on, the seed is known to be
    /// incomplete.
    Announce,
    /// Creates missing nodes: those of servers, entries and statuses, recipes and exports.
    Prepare,
    /// Grants new rights.
    Grant,
    /// Registers with other stacks what is read from them, in addition to what was read before.
    Register,
    /// Writes the plans.
    Plan,
    /// Makes this the desired revision.
    Tell,
    /// Withdraws rights.
    Withdraw,
    /// Reduces the registration with other stacks to what is still read from them.
    Deregister,
    /// Removes what is no longer needed.
    Clean,
    /// Records, beside the desired revision, that everything is written.
    Finish,
}

impl Step {
    /// The first step for a seed of which only the end is missing.
    pub const END: Self = Self::Withdraw;

    /// The next step. `cleans` is whether anything has to be removed, which is known when the servers are notified.
    pub fn next(self, cleans: bool) -> Option<Self> {
        match self {
            Self::Announce => Some(Self::Prepare),
            Self::Prepare => Some(Self::Grant),
            Self::Grant => Some(Self::Register),
            Self::Register => Some(Self::Plan),
            Self::Plan => Some(Self::Tell),
            Self::Tell => cleans.then_some(Self::Withdraw),
            Self::Withdraw => Some(Self::Deregister),
            Self::Deregister => Some(Self::Clean),
            Self::Clean => Some(Self::Finish),
            Self::Finish => None,
        }
    }
}

/// What is recorded of the desired revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct There {
    /// The number of the desired revision. 0 before the first.
    pub revision: u64,
    /// The revision that is being written: a new one that servers are not notified of yet, or the desired revision, of
    /// which only the end is missing.
    pub applying: Option<u64>,
}

impl There {
    /// Whether another writer may be at work. The next writer ends that turn by writing the desired revision before it
    /// reads anything. Otherwise, its readings might become outdated.
    pub fn is_being_written(self) -> bool {
        self.applying.is_some()
    }
}

/// The number of a seed's revision. It is that of the desired revision if the seed `is_same` as the existing one and at
/// most the end is missing.
pub fn number(there: Option<There>, is_same: bool) -> u64 {
    let Some(There { revision, applying }) = there else { return 1 };
    let is_applied = applying.is_none_or(|applying| applying == revision);
    if is_same && is_applied { revision } else { revision.max(applying.unwrap_or(0)) + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_was_announced_is_not_given_again() {
        let there = |revision, applying| Some(There { revision, applying });
        assert_eq!(number(None, true), 1);
        assert_eq!(number(there(3, None), true), 3);
        assert_eq!(number(there(3, Some(3)), true), 3);
        assert_eq!(number(there(3, Some(3)), false), 4);
        assert_eq!(number(there(3, Some(4)), true), 5);
        assert_eq!(number(there(0, Some(0)), false), 1);
        assert_eq!(number(there(0, Some(1)), false), 2);
    }
}
