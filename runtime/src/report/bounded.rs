//! Limits on what is shown of a server's own reports. A genuine agent reports less, so a server that reports more does
//! it to flood the view of others.

use crate::recipe::{TAIL_BYTES, TAIL_LINES};
use crate::space::{Alive, Did, Failure, ServerStatus, State, Status};

/// The largest number of items of one kind: the waits of a component, or the troubles of a server.
const MOST: usize = 1_000;

/// The largest number of past steps of a component. An agent keeps 256.
const MOST_PAST: usize = 1_000;

/// The maximum size of a text, such as a reason, or of a name in it, in bytes.
const LONGEST: usize = 2 << 10;

/// How many items of one kind are shown of a server: of its troubles, or of what leaves it. Otherwise one server could
/// fill everybody's screen.
pub const FEW: usize = 10;

/// The maximum size of a name that has a column, which is equally wide in all rows, in bytes.
const LONGEST_NAME: usize = 1 << 10;

/// Truncates a component's status. Returns whether anything was cut.
pub(super) fn status(status: &mut Status) -> bool {
    let is_cut = keep(&mut status.past, MOST_PAST, |step| match &step.did {
        Did::Waited { what, input } => is_name(what) && input.as_ref().is_none_or(|input| is_name(input)),
        Did::Ran | Did::BrokenOff => true,
    });
    let more = match &mut status.state {
        State::Waiting(waits) => {
            keep(waits, MOST, |wait| is_name(&wait.what) && wait.input.as_ref().is_none_or(|input| is_name(input)))
        }
        State::Failed(failed) => failure(failed),
        State::Running | State::Done => false,
    };
    is_cut | more
}

/// Truncates a server's status likewise.
pub(super) fn server(status: &mut ServerStatus) -> bool {
    let mut is_cut = cut(&mut status.troubles, MOST)
        | keep(&mut status.leaving, MOST, |leaving| is_name(&leaving.component))
        | keep(&mut status.finishing, MOST, |finishing| is_name(&finishing.component));
    for trouble in &mut status.troubles {
        is_cut |= shorten(trouble, LONGEST);
    }
    for failed in status.leaving.iter_mut().filter_map(|leaving| leaving.failure.as_mut()) {
        is_cut |= failure(failed);
    }
    is_cut
}

/// Truncates the status of a server's agent likewise.
pub(super) fn alive(alive: &mut Alive) -> bool {
    let texts = [&mut alive.host, &mut alive.version].into_iter().chain(&mut alive.agent).chain(&mut alive.boot);
    texts.fold(false, |is_cut, text| is_cut | shorten(text, LONGEST_NAME))
}

fn is_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
}

fn keep<T>(all: &mut Vec<T>, most: usize, is_kept: impl Fn(&T) -> bool) -> bool {
    let before = all.len();
    all.retain(is_kept);
    all.truncate(most);
    all.len() < before
}

fn cut<T>(all: &mut Vec<T>, most: usize) -> bool {
    let is_cut = all.len() > most;
    all.truncate(most);
    is_cut
}

/// Truncates a failure likewise.
pub(super) fn failure(failure: &mut Failure) -> bool {
    let mut is_cut =
        shorten(&mut failure.message, LONGEST) | shorten_log(&mut failure.log) | cut(&mut failure.through, MOST);
    for name in std::iter::once(&mut failure.component).chain(&mut failure.through).filter(|name| name.len() > LONGEST)
    {
        *name = format!("{} ...", &name[..name.floor_char_boundary(LONGEST)]).into();
        is_cut = true;
    }
    is_cut
}

/// The last lines matter most.
fn shorten_log(log: &mut Vec<String>) -> bool {
    let mut room = TAIL_BYTES;
    let has_room = |line: &&String| room.checked_sub(line.len()).map(|left| room = left).is_some();
    // An agent keeps the last line in any case.
    let kept = log.iter().rev().take(TAIL_LINES).take_while(has_room).count().max(1);
    let is_cut = kept < log.len();
    log.drain(..log.len().saturating_sub(kept));
    log.iter_mut().fold(is_cut, |is_cut, line| is_cut | shorten(line, TAIL_BYTES))
}

fn shorten(text: &mut String, most: usize) -> bool {
    if text.len() <= most {
        return false;
    }
    text.truncate(text.floor_char_boundary(most));
    text.push_str(" ...");
    true
}
