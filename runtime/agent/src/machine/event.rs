//! The events that a machine receives, and the actions that it requests.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use wattle_model::{IndexMap, Name, Value};

use crate::content::Content;
use crate::failure::{Failure, FailureKind};
use crate::record::Record;
use crate::revision::Revision;
use crate::seed::SeedAttribute;
use crate::server_plan::{PlannedComponent, Script, ServerPlan};
use crate::status::{ServerStatus, Status};
use crate::time::Time;

use super::causes::Cause;
use super::needs::Awaited;

/// The time of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// A monotonic clock with an arbitrary start. Durations are measured by it.
    pub uptime: Duration,
    /// The wall clock, for people to read. [`Time::EPOCH`] without a clock, as in tests of blueprints: messages then
    /// contain no times.
    pub wall: Time,
}

/// Identifies a request of a machine. The response carries the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// Identifies a run of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub u64);

/// Identifies a question that a running recipe asks and waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Question(pub u64);

/// The desired revision of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Desired {
    /// The server's plan.
    pub plan: Arc<ServerPlan>,
    /// The digest of the seed of the desired revision.
    pub digest: String,
}

/// An event.
#[derive(Clone, Debug)]
pub enum Event {
    /// Whether this agent is the one that acts for its server. It is `false` when another agent has taken its place.
    /// `true` may come again, and another agent may have acted in the meantime.
    Claimed(bool),
    /// Whether this agent can be sure that no other agent acts for its server: the data space has heard from it within
    /// the time for which it keeps the agent's place. While this is `false`, no recipe starts, and those that are
    /// running continue. It counts as `true` until the first of these events.
    InTouch(bool),
    /// The desired revision. May arrive late, and more than once.
    Desired(Desired),
    /// What was awaited has arrived, or will not.
    Read(Ticket, Result<Content, ReadError>),
    /// The content of an entry.
    Peeked(Ticket, Seen),
    /// An entry was written. If the entry already contained something of the same revision, that is the value.
    Written(Ticket, Result<Option<Content>, WriteError>),
    /// The records are on disk.
    Journalled(Ticket),
    /// The records are not on disk, and cannot be written now. The write is retried.
    JournalFails(Ticket),
    /// The recipe's files are in its run directory.
    LaidOut(Ticket, Result<(), (FailureKind, String)>),
    /// The value of an attribute of the server.
    Attribute(Ticket, Result<Value, String>),
    /// Why what was awaited is missing.
    Explained(Ticket, Result<Vec<Cause>, String>),
    /// A run has ended, and none of its processes remain except those that it meant to leave.
    Ran(RunId, Result<IndexMap<Name, Value>, Broken>),
    /// A recipe requests an input.
    Asked(RunId, Question, Name),
    /// A recipe publishes an output.
    Reported(RunId, Question, Name, Value),
    /// The answer to a question is no longer wanted.
    Withdrawn(RunId, Question),
    /// Something is wrong with the server, described in one line, or no longer is.
    Trouble(String, Option<String>),
    /// Nothing ran here for this long: neither the agent nor anything that it could have heard from.
    Paused(Duration),
    /// Time has passed.
    Time,
}

/// Why something cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadError {
    /// There is a newer revision.
    Superseded,
    /// It cannot be read, for a reason in one line.
    Refused(String),
}

/// Why something cannot be written.
#[derive(Clone, Debug, PartialEq)]
pub enum WriteError {
    /// The entry belongs to a newer revision.
    Superseded,
    /// It cannot be written, for a reason in one line.
    Refused(String),
}

/// Why a run failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// The kind of failure.
    pub kind: FailureKind,
    /// What happened, in one line, without the component's name.
    pub message: String,
    /// The last lines of its output, secrets masked.
    pub log: Vec<String>,
    /// The failure of an input, if that is the reason. It is passed on in place of this one. Only recipes that start
    /// before their inputs are available can fail in this way.
    pub cause: Option<Box<Failure>>,
}

impl Broken {
    /// Creates a failure before the recipe printed anything.
    pub fn new(kind: FailureKind, message: String) -> Self {
        Self { kind, message, log: Vec::new(), cause: None }
    }
}

/// The content of one of the server's own entries.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// Nothing of the revision in question yet, as far as is known.
    Nothing,
    /// This content, of that revision.
    Content(Content),
    /// Something of a newer revision, so the revision in question is no longer the desired one.
    Newer,
}

/// One run of one component's recipe.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRequest {
    /// The identifier of the run.
    pub run: RunId,
    /// The component, by its name on the server.
    pub component: Name,
    /// Its declaration.
    pub planned: PlannedComponent,
    /// The script that runs.
    pub script: Script,
    /// Its inputs. Some may be missing if the recipe requests its inputs itself.
    pub inputs: IndexMap<Name, Value>,
    /// The outputs that a run before a crash published. These values are kept.
    pub published: IndexMap<Name, Value>,
    /// How long it may take, not counting the time in which it waits.
    pub deadline: Duration,
}

/// Why a run must be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It exceeded its deadline.
    Deadline,
    /// Another agent acts for this server.
    Replaced,
}

/// The level of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// For information.
    Info,
    /// Something that may need attention.
    Warn,
    /// Something that failed.
    Error,
}

/// An action to carry out. Each request has a [`Ticket`] and is answered by one event with the same ticket, unless it
/// is [withdrawn](Action::Forget). A request that cannot be carried out now is retried until it can.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Read an entry, or how a component of another server ended, in this revision, and wait until it is there. The
    /// revision is the one that the plan expects of the writing server.
    Read(Ticket, Awaited, Revision),
    /// Read the content of an entry (`SERVER/COMPONENT/OUTPUT`) in this revision, without waiting.
    Peek(Ticket, Name, Revision),
    /// Write an entry for this revision, unless it already holds something of this revision or a newer one.
    Write(Ticket, Name, Revision, Content),
    /// Write these records to disk, all or none, after those of earlier actions.
    Journal(Ticket, Vec<Record>),
    /// Put the files of a component's recipe, given as path by digest, into its run directory.
    LayOut(Ticket, Name, IndexMap<Cow<'static, str>, String>),
    /// Determine the value of an attribute of the server.
    Attribute(Ticket, SeedAttribute),
    /// Determine why these entries and components are missing, each in its revision.
    Explain(Ticket, Vec<(Name, Revision)>),
    /// Withdraw a request: its response is no longer wanted.
    Forget(Ticket),
    /// Run a recipe.
    Run(Box<RunRequest>),
    /// Stop a run. Its end is then reported as [`Event::Ran`].
    Stop(RunId, Stop),
    /// A run did not end although it was stopped. It is no longer waited for, and its remains have to be removed.
    Drop(RunId),
    /// Give a recipe the value of the input that it requested, or `None` if the input is not wired.
    Answer(Question, Result<Option<Value>, Failure>),
    /// Give a recipe the result of publishing an output: the value that is now valid.
    Answered(Question, Result<Value, Broken>),
    /// Publish the status of a component, `SERVER/COMPONENT`. Of several, only the last counts.
    Show(Name, Status),
    /// Publish the status of the server. Of several, only the last counts.
    ShowServer(ServerStatus),
    /// Keep only the recipe files with these digests.
    Prune(Vec<String>),
    /// Remove the run directory of a component.
    Remove(Name),
    /// The server has left the model and nothing of it remains. Once everything is published, the agent ends.
    Retire,
    /// Log a line, with the revision that the server is in. It is about a component if it names one.
    Log(Level, Option<Name>, String),
}
