//! The driver: passes one event at a time to the machine, and carries out its actions.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{AbortHandle, Abortable, BoxFuture};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::sync::{mpsc, watch};
use tokio::time::{self, Instant};
use wattle_agent_core::machine::{Action, Event, Level, Machine, Now, RunId, RunRequest, Setup, Stop, Ticket};
use wattle_agent_core::memory::Memory;
use wattle_agent_core::record::Record;

use crate::clock;
use crate::recipe::{Broken, RecipeRun};
use crate::space::{FailureKind, ServerVault};

use super::journal::Journal;
use super::live::{self, Questions};
use super::shared::{Message, Shared, Snapshot, unwritten};
use super::why::root_causes;
use super::{Ended, files, runs, touch};

/// How often an agent checks whether it was suspended: by itself, with its server, or by a signal.
const TICK: Duration = Duration::from_secs(2);

/// How late a tick must be to count as a pause.
const LATE: Duration = Duration::from_millis(500);

/// The shortest pause that is logged.
const LONG: Duration = Duration::from_secs(2);

/// A task, whose result is an event if it matters to the machine.
type Task = BoxFuture<'static, Option<Event>>;

/// Carries out a machine's actions.
pub(super) struct Driver {
    shared: Arc<Shared>,
    machine: Machine<ServerVault>,
    questions: Arc<Questions>,
    journal: Journal,
    /// Records that could not be written to disk, in order. Empty as long as the disk accepts them.
    unwritten: VecDeque<(Ticket, Vec<Record>)>,
    begun: Instant,
    tasks: FuturesUnordered<Abortable<Task>>,
    requests: HashMap<Ticket, AbortHandle>,
    runs: HashMap<RunId, (watch::Sender<Option<Stop>>, AbortHandle)>,
    events: VecDeque<Event>,
    is_retired: bool,
    /// Whether the machine was last told that the data space is reachable.
    in_touch: bool,
    is_confirming: bool,
}

impl Driver {
    pub(super) fn new(shared: Arc<Shared>, setup: Setup<ServerVault>, (journal, memory): (Journal, Memory)) -> Self {
        let now = Now { uptime: Duration::ZERO, wall: clock::now() };
        Self {
            shared,
            machine: Machine::new(setup, memory, now),
            questions: Arc::default(),
            journal,
            unwritten: VecDeque::new(),
            begun: Instant::now(),
            tasks: FuturesUnordered::new(),
            requests: HashMap::new(),
            runs: HashMap::new(),
            events: VecDeque::new(),
            is_retired: false,
            in_touch: true,
            is_confirming: false,
        }
    }

    /// Runs until the server has left the model.
    pub(super) async fn drive(mut self, mut messages: mpsc::UnboundedReceiver<Message>) -> Ended {
        let mut tick = time::interval(TICK);
        tick.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
        let mut seen = Instant::now();
        loop {
            let wakes = self.machine.wakes().map(|uptime| self.begun + uptime);
            let sleep = async {
                match wakes {
                    Some(at) => time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            // Events come before timers: a recipe that ended in time counts as such.
            let message = tokio::select! {
                biased;
                Some(event) = self.tasks.next(), if !self.tasks.is_empty() => event.ok().flatten().map(Message::Event),
                Some(message) = messages.recv() => Some(message),
                () = sleep => Some(Message::Event(Event::Time)),
                // Without timers, pauses do not matter.
                _ = tick.tick(), if wakes.is_some() || !self.unwritten.is_empty() => {
                    if !self.unwritten.is_empty() {
                        self.write_journal(true);
                    }
                    None
                }
            };
            let unseen = std::mem::replace(&mut seen, Instant::now()).elapsed();
            if wakes.is_some() && unseen > TICK + LATE {
                let pause = unseen.saturating_sub(TICK);
                if pause > LONG {
                    tracing::warn!("nothing ran here for {} s: that time does not count", pause.as_secs());
                }
                self.events.push_back(Event::Paused(pause));
            }
            match message {
                Some(Message::Event(event)) => self.events.push_back(event),
                Some(Message::Look(asker)) => self.look(asker),
                None => {}
            }
            self.decide();
            if self.is_retired {
                self.shared.publisher.settled().await;
                return Ended::Retired;
            }
        }
    }

    fn now(&self) -> Now {
        Now { uptime: self.begun.elapsed(), wall: clock::now() }
    }

    /// Passes events to the machine, and begins its actions.
    fn decide(&mut self) {
        while let Some(event) = self.events.pop_front() {
            match &event {
                Event::Ran(run, _) => drop(self.runs.remove(run)),
                Event::Read(ticket, _)
                | Event::Peeked(ticket, _)
                | Event::Written(ticket, _)
                | Event::LaidOut(ticket, _)
                | Event::Attribute(ticket, _)
                | Event::Explained(ticket, _) => drop(self.requests.remove(ticket)),
                _ => {}
            }
            let in_touch = self.shared.touch.is_certain();
            if in_touch != self.in_touch {
                self.in_touch = in_touch;
                self.hand(Event::InTouch(in_touch));
            }
            match event {
                Event::InTouch(_) => self.is_confirming = false,
                // The agent that acts for the server now publishes the statuses.
                Event::Claimed(false) => {
                    self.hand(event);
                    self.shared.publisher.forget();
                }
                event => self.hand(event),
            }
            if self.machine.holds_back() && !self.is_confirming {
                self.is_confirming = true;
                let (_, registration) = AbortHandle::new_pair();
                self.tasks
                    .push(Abortable::new(touch::confirm(Arc::clone(&self.shared)).map(Some).boxed(), registration));
            }
        }
    }

    fn hand(&mut self, event: Event) {
        for action in self.machine.handle(self.now(), event) {
            self.act(action);
        }
    }

    fn look(&self, asker: tokio::sync::oneshot::Sender<Snapshot>) {
        let board = self.machine.board();
        let components = board.components().iter().map(|(name, status)| (name.clone(), status.clone())).collect();
        let _ = asker.send(Snapshot { server: board.server(), components });
    }

    fn act(&mut self, action: Action) {
        let shared = Arc::clone(&self.shared);
        if let Some(task) = shared.space.task(&action) {
            return self.request(task.ticket(), async move {
                let done = shared.insist(|| shared.space.perform(task.clone())).await;
                done.unwrap_or_else(|error| task.refused(error.to_string()))
            });
        }
        match action {
            // These are tasks.
            Action::Read(..) | Action::Peek(..) | Action::Write(..) => {}
            Action::Journal(ticket, records) => {
                self.unwritten.push_back((ticket, records));
                if self.unwritten.len() == 1 {
                    self.write_journal(false);
                } else {
                    self.events.push_back(Event::JournalFails(ticket));
                }
            }
            Action::LayOut(ticket, component, recipe) => self.request(ticket, async move {
                Event::LaidOut(ticket, files::lay_out(&shared, &component, &recipe).await)
            }),
            Action::Attribute(ticket, attribute) => {
                self.request(ticket, async move { Event::Attribute(ticket, shared.attributes.get(&attribute).await) });
            }
            Action::Explain(ticket, what) => self.request(ticket, async move {
                // The store itself may be the obstacle.
                let asked = root_causes(&shared.space, &what);
                let causes = match time::timeout(wattle::values::ASKING, asked).await {
                    Ok(causes) => causes.map_err(|error| error.to_string()),
                    Err(_) => Err("the data space does not answer".to_owned()),
                };
                Event::Explained(ticket, causes)
            }),
            Action::Forget(ticket) => {
                if let Some(request) = self.requests.remove(&ticket) {
                    request.abort();
                }
            }
            Action::Run(job) => self.run(*job),
            Action::Stop(run, why) => {
                if let Some((stop, _)) = self.runs.get(&run) {
                    stop.send_replace(Some(why));
                }
            }
            Action::Drop(run) => {
                if let Some((_, task)) = self.runs.remove(&run) {
                    task.abort();
                }
            }
            Action::Answer(question, answer) => self.questions.answer(question, answer),
            Action::Answered(question, answer) => self.questions.answer_output(question, answer),
            Action::Show(component, status) => self.shared.publisher.show(component, status),
            Action::ShowServer(status) => self.shared.publisher.show_server(self.shared.shown(status)),
            Action::Prune(digests) => {
                files::prune(&shared, &digests);
                let ahead = async move {
                    files::fetch_ahead(&shared, &digests).await;
                    None
                };
                self.tasks.push(Abortable::new(ahead.boxed(), AbortHandle::new_pair().1));
            }
            Action::Remove(component) => drop(std::fs::remove_dir_all(files::directory(&self.shared, &component))),
            Action::Retire => self.is_retired = true,
            Action::Log(level, component, text) => {
                log(level, component.as_deref(), self.machine.board().revision(), &text);
            }
        }
    }

    fn request(&mut self, ticket: Ticket, work: impl Future<Output = Event> + Send + 'static) {
        let (handle, registration) = AbortHandle::new_pair();
        self.requests.insert(ticket, handle);
        self.tasks.push(Abortable::new(work.map(Some).boxed(), registration));
    }

    /// Writes records as far as the disk accepts them. Keeps the rest for the next tick, which sets `again`.
    fn write_journal(&mut self, again: bool) {
        let what = format!("the journal `{}`", self.shared.state.join("journal").display());
        while let Some((ticket, records)) = self.unwritten.front() {
            if let Err(error) = self.journal.append(records) {
                self.events.push_back(Event::JournalFails(*ticket));
                self.events.push_back(Event::Trouble(what.clone(), Some(unwritten(&what, &error))));
                return;
            }
            runs::settle(&self.shared.state, records);
            self.events.push_back(Event::Journalled(*ticket));
            self.unwritten.pop_front();
        }
        if again {
            self.events.push_back(Event::Trouble(what, None));
        }
    }

    fn run(&mut self, run: RunRequest) {
        let (stop, stopped) = watch::channel(None);
        let (handle, registration) = AbortHandle::new_pair();
        self.runs.insert(run.run, (stop, handle));
        let shared = Arc::clone(&self.shared);
        let RunRequest { run: id, component, planned, script, inputs, published, deadline } = run;
        let given = (&inputs, published);
        let live = live::Run::new(&shared, &self.questions, (id, &component), &planned, given, stopped);
        let token = live.token().to_owned();
        let job = RecipeRun {
            name: shared.full(&component),
            component: planned,
            script,
            inputs,
            directory: files::directory(&shared, &component),
            deadline,
            live,
        };
        let work = async move {
            // Writing the start to disk may have taken a long time.
            tokio::select! {
                biased;
                () = touch::certain(&shared) => {}
                _ = job.live.stopped() => {
                    let why = "it was not started: it could not be determined whether another agent acts for this \
                               server";
                    return Event::Ran(id, Err(Broken::new(FailureKind::Deadline, why.to_owned())));
                }
            }
            let _entered = shared.runs.enter(&token, &job.live);
            Event::Ran(id, shared.runner.run(&job).await)
        };
        self.tasks.push(Abortable::new(work.map(Some).boxed(), registration));
    }
}

fn log(level: Level, component: Option<&str>, revision: u64, text: &str) {
    match (level, component) {
        (Level::Info, Some(component)) => tracing::info!(component, revision, "{text}"),
        (Level::Info, None) => tracing::info!(revision, "{text}"),
        (Level::Warn, Some(component)) => tracing::warn!(component, revision, "{text}"),
        (Level::Warn, None) => tracing::warn!(revision, "{text}"),
        (Level::Error, Some(component)) => tracing::error!(component, revision, "{text}"),
        (Level::Error, None) => tracing::error!(revision, "{text}"),
    }
}
