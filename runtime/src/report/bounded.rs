//! What a server says of itself, as far as it is shown: its own agent says less, so whoever says more says it to fill what others
//! look at.

use crate::space::{Failure, ServerStatus, State, Status};

/// Most things of one kind: waits of a component, troubles of a server.
const MOST: usize = 1_000;

/// Most pieces of the past of a component; an agent keeps 256.
const MOST_PAST: usize = 1_000;

/// Most bytes of a text: of a reason, of a name.
const LONGEST: usize = 16 << 10;

/// Cuts what is too much, and says whether anything was.
pub(super) fn status(status: &mut Status) -> bool {
    let is_cut = cut(&mut status.past, MOST_PAST);
    let more = match &mut status.state {
        State::Waiting(waits) => {
            let before = waits.len();
            waits.retain(|wait| wait.what.len() <= LONGEST);
            waits.truncate(MOST);
            waits.len() < before
        }
        State::Failed(failure) => shorten_failure(failure),
        State::Running | State::Done => false,
    };
    is_cut | more
}

/// The same of what is said of the server itself.
pub(super) fn server(status: &mut ServerStatus) -> bool {
    let mut is_cut =
        cut(&mut status.troubles, MOST) | cut(&mut status.leaving, MOST) | cut(&mut status.finishing, MOST);
    for trouble in &mut status.troubles {
        is_cut |= shorten(trouble);
    }
    for failure in status.leaving.iter_mut().filter_map(|leaving| leaving.failure.as_mut()) {
        is_cut |= shorten_failure(failure);
    }
    is_cut
}

fn cut<T>(all: &mut Vec<T>, most: usize) -> bool {
    let is_cut = all.len() > most;
    all.truncate(most);
    is_cut
}

fn shorten_failure(failure: &mut Failure) -> bool {
    let mut is_cut = shorten(&mut failure.message) | cut(&mut failure.log, MOST) | cut(&mut failure.through, MOST);
    for name in std::iter::once(&mut failure.component).chain(&mut failure.through).filter(|name| name.len() > LONGEST)
    {
        *name = format!("{} ...", &name[..name.floor_char_boundary(LONGEST)]).into();
        is_cut = true;
    }
    failure.log.iter_mut().fold(is_cut, |is_cut, line| is_cut | shorten(line))
}

fn shorten(text: &mut String) -> bool {
    if text.len() <= LONGEST {
        return false;
    }
    text.truncate(text.floor_char_boundary(LONGEST));
    text.push_str(" ...");
    true
}
