//! Converts a machine's actions to requests, and their results to events.

use wattle_model::Name;

use crate::content::{Content, Written};
use crate::layout::Layout;
use crate::machine::{Action, Awaited, Event, ReadError, Seen, Ticket, WriteError};

use super::{Answer, Ended, Entry, Latest, Op, Peek, Refused, Request as _, Step, Versions, Wait, Write};

/// A request of a machine.
#[derive(Clone, Debug)]
pub struct Task {
    ticket: Ticket,
    kind: TaskKind,
}

#[derive(Clone, Debug)]
enum TaskKind {
    Entry(Wait<Entry>),
    /// With the other stack.
    Foreign(Wait<Latest>, Name),
    Ended(Wait<Ended>),
    Peek(Peek),
    Write(Box<Write>),
}

impl Task {
    /// The request for an action of a machine, or `None` if the action is not a request to the data space.
    pub fn of(action: &Action, layout: &Layout, versions: &mut Versions) -> Option<Self> {
        let (ticket, kind) = match action {
            Action::Read(ticket, awaited, revision) => {
                let kind = match awaited {
                    Awaited::Entry(entry) => TaskKind::Entry(Entry::wait(layout, entry, revision)),
                    Awaited::Foreign(stack, entry) => {
                        TaskKind::Foreign(Latest::wait(&Layout::new(stack), entry), stack.clone())
                    }
                    Awaited::Ended(component) => TaskKind::Ended(Ended::wait(layout, component, revision)),
                };
                (ticket, kind)
            }
            Action::Peek(ticket, entry, revision) => (ticket, TaskKind::Peek(Peek::new(layout, entry, revision))),
            Action::Write(ticket, entry, revision, content) => {
                let known = versions.take_entry(&layout.entry(entry), revision.space.as_ref());
                (ticket, TaskKind::Write(Box::new(Write::new(layout, entry, revision, content, known))))
            }
            _ => return None,
        };
        Some(Self { ticket: *ticket, kind })
    }

    /// The ticket for the response.
    pub fn ticket(&self) -> Ticket {
        self.ticket
    }

    /// Whether what it reads was written before the desired revision, so that it is visible to every reader of that.
    /// Other stacks' values are not.
    pub fn is_led(&self) -> bool {
        !matches!(self.kind, TaskKind::Foreign(..))
    }

    /// The first operation for the store.
    pub fn begin(&mut self) -> Op {
        match &mut self.kind {
            TaskKind::Entry(request) => request.begin(),
            TaskKind::Foreign(request, _) => request.begin(),
            TaskKind::Ended(request) => request.begin(),
            TaskKind::Peek(request) => request.begin(),
            TaskKind::Write(request) => request.begin(),
        }
    }

    /// Takes the store's response and returns what to do next.
    pub fn answered(&mut self, answer: Answer, versions: &mut Versions) -> Step<Event> {
        let ticket = self.ticket;
        match &mut self.kind {
            TaskKind::Entry(request) => step(request.answered(answer), |content| came(ticket, content)),
            TaskKind::Foreign(request, stack) => {
                // The last value of another stack stays valid, even if a later revision failed there.
                let content = |written: Written| match (written.before, written.content) {
                    (Some(before), Content::Failure(_)) => before.content,
                    (None, Content::Failure(failure)) => Content::Failure(failure.of_stack(stack)),
                    (_, content) => content,
                };
                step(request.answered(answer), |written| came(ticket, written.map(content)))
            }
            TaskKind::Ended(request) => step(request.answered(answer), |failure| {
                let content =
                    |failure: Option<_>| failure.map_or(Content::Value(wattle_model::Value::Null), Content::Failure);
                came(ticket, failure.map(content))
            }),
            TaskKind::Peek(request) => {
                let step = request.answered(answer);
                if let Step::Over(Ok(peeked)) = &step {
                    request.note(peeked, versions);
                }
                // Writing the entry then reports what is wrong with it.
                self::step(step, |peeked| Event::Peeked(ticket, peeked.map_or(Seen::Nothing, Seen::from)))
            }
            TaskKind::Write(request) => step(request.answered(answer), |result| {
                let refused = |refused| match refused {
                    Refused::Superseded { .. } => WriteError::Superseded,
                    refused => WriteError::Refused(refused.to_string()),
                };
                Event::Written(ticket, result.map_err(refused))
            }),
        }
    }

    /// The event to report if the store refuses, with the reason in one line.
    pub fn refused(&self, why: String) -> Event {
        match &self.kind {
            TaskKind::Entry(_) | TaskKind::Foreign(..) | TaskKind::Ended(_) => {
                Event::Read(self.ticket, Err(ReadError::Refused(why)))
            }
            TaskKind::Peek(_) => Event::Peeked(self.ticket, Seen::Nothing),
            TaskKind::Write(_) => Event::Written(self.ticket, Err(WriteError::Refused(why))),
        }
    }
}

fn step<T>(step: Step<T>, event: impl FnOnce(T) -> Event) -> Step<Event> {
    match step {
        Step::Ask(op) => Step::Ask(op),
        Step::Over(out) => Step::Over(event(out)),
    }
}

fn came(ticket: Ticket, content: Result<Content, Refused>) -> Event {
    let refused = |refused| match refused {
        Refused::Superseded { .. } => ReadError::Superseded,
        refused => ReadError::Refused(refused.to_string()),
    };
    Event::Read(ticket, content.map_err(refused))
}
