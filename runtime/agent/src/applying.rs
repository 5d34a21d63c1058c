//! The order in which a seed is written, and as which revision.
//!
//! It can be broken off anywhere, and is repeated from the beginning, unless nothing but the end is missing. Servers are told
//! of a revision when all of it is there, and nothing is taken away that the revision before still needs. Nobody knows of one that
//! is broken off whether it is only slow, so its turn is ended first ([`There::is_being_written`]). Likewise, whoever finds no goal
//! announces one, of revision 0, before it believes what it reads: what was there may have gone with a lost data space.

/// A step of writing a seed. After [`Step::Announce`], nothing is written any more once somebody else has written the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The goal says that a seed is being written: from here on it is known to be incomplete until it is complete.
    Announce,
    /// What is not there yet is made: nodes of servers, entries and statuses, recipes, exports.
    Prepare,
    /// Rights that someone gets.
    Grant,
    /// Other stacks know what is read of them, besides what was read before.
    Register,
    /// The plans.
    Plan,
    /// The goal says that this revision is to be reached.
    Tell,
    /// Rights that someone loses.
    Withdraw,
    /// Other stacks know what is read of them, and nothing else.
    Deregister,
    /// What nobody needs any more goes.
    Clean,
    /// The goal says that all is written.
    Finish,
}

impl Step {
    /// The first step of a seed of which nothing but the end is missing.
    pub const END: Self = Self::Withdraw;

    /// The next step; whether something is to be taken away is known when the servers are told.
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

/// What a goal says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct There {
    /// The revision that is to be reached; 0 before the first.
    pub revision: u64,
    /// The revision that is being written: one that was not told yet, or the one that is to be reached, of which only the
    /// end is missing.
    pub applying: Option<u64>,
}

impl There {
    /// Whether somebody may be writing: whoever comes next ends that turn before it reads what is there, by writing the goal. Else
    /// what it has read might be written after it.
    pub fn is_being_written(self) -> bool {
        self.applying.is_some()
    }
}

/// The number of the revision that a seed becomes: that of the goal, if it `is_same` as there and nothing but the end is
/// missing of it.
pub fn number(there: Option<There>, is_same: bool) -> u64 {
    let Some(There { revision, applying }) = there else { return 1 };
    let is_told = applying.is_none_or(|applying| applying == revision);
    if is_same && is_told { revision } else { revision.max(applying.unwrap_or(0)) + 1 }
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
