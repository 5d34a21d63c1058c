//! The presentation of a component's state in tables and diagrams.

use wattle::diagram::State as Shown;

use crate::space::State;

/// The presentation of a state.
pub fn shown(state: &State) -> Shown {
    match state {
        State::Waiting(_) => Shown::Waiting,
        State::Running => Shown::Running,
        State::Done => Shown::Done,
        State::Failed(failure) if failure.through.is_empty() => Shown::Failed,
        State::Failed(_) => Shown::Blocked,
    }
}
