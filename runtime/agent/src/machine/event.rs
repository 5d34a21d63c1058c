//! What a machine is told, and what it asks for.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use wattle_model::{IndexMap, Name, Value};

use crate::content::Content;
use crate::failure::{Failure, Kind};
use crate::plan::{Plan, PlannedComponent, Script};
use crate::record::Record;
use crate::revision::Revision;
use crate::seed::SeedAttribute;
use crate::status::{ServerStatus, Status};
use crate::time::Time;

use super::causes::Cause;
use super::needs::Awaited;

/// When something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// Since whenever, by a clock that only goes forward: what lasts is measured by it.
    pub uptime: Duration,
    /// By the clock on the wall: what people read. It is [`Time::EPOCH`] where there is none, as in tests of blueprints:
    /// then messages name no times.
    pub wall: Time,
}

/// One request of a machine; its answer carries the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// One run of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(pub u64);

/// Something that a recipe asks while it runs, and waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Question(pub u64);

/// What is to be reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Desired {
    /// What the server is to do.
    pub plan: Arc<Plan>,
    /// The digest of the seed that the goal asks for.
    pub digest: String,
}

/// What happens.
#[derive(Clone, Debug)]
pub enum Event {
    /// This agent is the one that acts for its server, or is so no longer, because another one is. That it is so may be said
    /// again: then another one may have been so meanwhile.
    Claimed(bool),
    /// Whether this agent can be sure that nobody else acts for its server meanwhile: it was heard by the data space within
    /// the time for which that keeps its place. While it is not, nothing begins to run; what runs goes on. It is before the
    /// first of these.
    InTouch(bool),
    /// This is to be reached. May come late, and more than once.
    Desired(Desired),
    /// What was awaited is there, or will not come.
    Read(Ticket, Result<Content, ReadError>),
    /// What an entry holds.
    Peeked(Ticket, Seen),
    /// An entry was written; or it holds what is given here already, of the same revision.
    Written(Ticket, Result<Option<Content>, WriteError>),
    /// The records are on disk.
    Journalled(Ticket),
    /// The records are not on disk, and cannot be put there now; it is tried again.
    JournalFails(Ticket),
    /// The recipe's files stand in its run directory.
    LaidOut(Ticket, Result<(), (Kind, String)>),
    /// An attribute of the server.
    Attribute(Ticket, Result<Value, String>),
    /// Why what was awaited does not come.
    Explained(Ticket, Result<Vec<Cause>, String>),
    /// A run has ended, and nothing of it runs any more but what it left there to stay.
    Ran(RunId, Result<IndexMap<Name, Value>, Broken>),
    /// A recipe asks for an input.
    Asked(RunId, Question, Name),
    /// A recipe publishes an output.
    Told(RunId, Question, Name, Value),
    /// Nobody waits for the answer any more.
    Withdrawn(RunId, Question),
    /// Something is wrong with the server, in one line, or is so no longer.
    Trouble(String, Option<String>),
    /// For so long nothing ran here: neither the agent nor anything that it could have listened to.
    Paused(Duration),
    /// Time has passed.
    Time,
}

/// Why nothing is read.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadError {
    /// There is a newer revision.
    Superseded,
    /// It cannot be read, in one line.
    Refused(String),
}

/// Why nothing is written.
#[derive(Clone, Debug, PartialEq)]
pub enum WriteError {
    /// The entry belongs to a newer revision.
    Superseded,
    /// It cannot be written, in one line.
    Refused(String),
}

/// Why a run did not do what it should.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// What kind of failure it is.
    pub kind: Kind,
    /// What happened, in one line, without the component's name.
    pub message: String,
    /// The last lines of its output, secrets masked.
    pub log: Vec<String>,
    /// The failure of an input, if that is why: it is passed on, instead of what stands here. Only recipes that start
    /// before their inputs are there come to this.
    pub cause: Option<Box<Failure>>,
}

impl Broken {
    /// A failure before anything was printed.
    pub fn new(kind: Kind, message: String) -> Self {
        Self { kind, message, log: Vec::new(), cause: None }
    }
}

/// What an entry of one's own holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// Nothing yet of the revision that was asked about, as far as can be seen.
    Nothing,
    /// This, of that revision.
    Content(Content),
    /// Something of a newer one: that revision is not to be reached any more.
    Newer,
}

/// One run of one component's recipe.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// By what it is called.
    pub run: RunId,
    /// The component, by its name on the server.
    pub component: Name,
    /// What it declares.
    pub planned: PlannedComponent,
    /// What is run of it.
    pub script: Script,
    /// Its inputs. A recipe that asks for its inputs itself may lack some here.
    pub inputs: IndexMap<Name, Value>,
    /// What a run before a crash published: those values stay.
    pub published: IndexMap<Name, Value>,
    /// How long it may take, the time in which it waits not counted.
    pub deadline: Duration,
}

/// Why a run is to be ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It ran for longer than it may.
    Deadline,
    /// Another agent acts for this server.
    Replaced,
}

/// How loud something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// In passing.
    Info,
    /// What somebody may want to look at.
    Warn,
    /// What went wrong.
    Error,
}

/// What is to be done. Requests have a [`Ticket`], and each is answered by one event of the same number, unless it is
/// [withdrawn](Action::Forget); one that cannot be carried out now is tried until it can.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Read an entry, or how a component of another server ended, in this revision, waiting until it is there. It is the
    /// one that the plan expects of the server that writes it.
    Read(Ticket, Awaited, Revision),
    /// See what an entry (`SERVER/COMPONENT/OUTPUT`) holds of this revision, without waiting.
    Peek(Ticket, Name, Revision),
    /// Write an entry for this revision, unless it holds something of it, or of a newer one.
    Write(Ticket, Name, Revision, Content),
    /// Put these on disk, all of them or none, after those that were given before.
    Journal(Ticket, Vec<Record>),
    /// Put the files of a component's recipe, path by digest, into its run directory.
    LayOut(Ticket, Name, IndexMap<Cow<'static, str>, String>),
    /// Find out an attribute of the server.
    Attribute(Ticket, SeedAttribute),
    /// Find out why these entries and components do not come, each in its revision.
    Explain(Ticket, Vec<(Name, Revision)>),
    /// Nobody is interested any more.
    Forget(Ticket),
    /// Run a recipe.
    Run(Box<Job>),
    /// End a run, which then is [`Event::Ran`].
    Stop(RunId, Stop),
    /// A run did not end although it was stopped: nobody asks for it any more, and whatever is left of it is to go.
    Drop(RunId),
    /// Tell a recipe the value of the input that it asked for, none if it is not wired.
    Answer(Question, Result<Option<Value>, Failure>),
    /// Tell a recipe what became of the output that it published: the value that stands.
    Answered(Question, Result<Value, Broken>),
    /// Say how a component is doing, `SERVER/COMPONENT`. Only the last of many counts.
    Show(Name, Status),
    /// Say how the server is doing. Only the last of many counts.
    ShowServer(ServerStatus),
    /// Keep only the files of recipes with these digests.
    Prune(Vec<String>),
    /// Remove the run directory of a component.
    Remove(Name),
    /// The server has left the model and nothing of it is left: once everything is said, the agent ends.
    Retire,
    /// Log a line, about a component if it names one, with the revision that the server is in.
    Log(Level, Option<Name>, String),
}
