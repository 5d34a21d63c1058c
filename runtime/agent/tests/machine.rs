//! The decisions of a machine, event by event.

use std::sync::Arc;
use std::time::Duration;

use wattle_agent_core::content::Content;
use wattle_agent_core::failure::{Failure, FailureKind};
use wattle_agent_core::machine::{
    Action, Broken, Desired, Event, Limits, Machine, Now, Question, RunId, RunRequest, Seen, Setup, Stop, Ticket,
};
use wattle_agent_core::memory::Memory;
use wattle_agent_core::record::{Record, RevisionId};
use wattle_agent_core::revision::Revision;
use wattle_agent_core::seed::{SeedOutput, SeedRecipe};
use wattle_agent_core::server_plan::{
    Held, PlannedComponent, PlannedInput, PlannedOutput, Script, ServerPlan, ValueSource, Writer,
};
use wattle_agent_core::status::State;
use wattle_agent_core::time::Time;
use wattle_agent_core::vault::PlainVault;
use wattle_model::{IndexMap, Name, Order, Tool, Type, Value};

const MINUTE: Duration = Duration::from_mins(1);

/// A component with an output `url`, and an input `from` of the entry `other/c/url`.
fn component(tool: Tool, reads: bool) -> PlannedComponent {
    let recipe = SeedRecipe {
        tool,
        entry: "recipe.sh".into(),
        teardown: None,
        files: IndexMap::default(),
        deadline: Some(60),
        wait: None,
    };
    let from = ValueSource::Leaf(Held::Entry("other/c/url".into()));
    let input = PlannedInput { ty: Type::STR, path: Vec::new(), from };
    let declared = SeedOutput { ty: Type::STR, path: Vec::new(), early: false };
    PlannedComponent {
        recipe,
        after: Vec::new(),
        inputs: reads.then(|| ("from".into(), input)).into_iter().collect(),
        outputs: std::iter::once(("url".into(), PlannedOutput { declared, recipients: Vec::new() })).collect(),
        requires: IndexMap::default(),
    }
}

/// A machine whose requests to the disk and its folder are carried out at once.
struct Server {
    machine: Machine<PlainVault>,
    uptime: Duration,
    plan: ServerPlan,
    memory: Memory,
    is_disk_full: bool,
    /// The content of its entry `url`.
    entry: Option<Content>,
    /// Whether that is of a newer revision.
    is_behind: bool,
    /// Emitted actions that are not carried out here.
    out: Vec<Action>,
}

impl Server {
    fn new(component: PlannedComponent, memory: Memory) -> Self {
        let setup = Setup {
            server: "s".into(),
            user_data: IndexMap::default(),
            limits: Limits::default(),
            vault: PlainVault::new("s"),
        };
        let now = Now { uptime: Duration::ZERO, wall: Time::EPOCH };
        let plan = ServerPlan {
            retired: false,
            components: std::iter::once(("c".into(), component)).collect(),
            ..ServerPlan::retired(&Revision { space: None, number: 1 }, Order::Dataflow, None)
        };
        let machine = Machine::new(setup, memory.clone(), now);
        let (uptime, out) = (Duration::ZERO, Vec::new());
        Self { machine, uptime, plan, memory, is_disk_full: false, entry: None, is_behind: false, out }
    }

    fn desire(&mut self) {
        self.tell(Event::Desired(Desired { plan: Arc::new(self.plan.clone()), digest: "one".to_owned() }));
    }

    fn begin(&mut self) {
        self.desire();
        self.tell(Event::Claimed(true));
    }

    fn tell(&mut self, event: Event) {
        let now = Now { uptime: self.uptime, wall: Time::EPOCH + self.uptime };
        for action in self.machine.handle(now, event) {
            match action {
                Action::Peek(ticket, ..) => {
                    let there = self.entry.clone().map_or(Seen::Nothing, Seen::Content);
                    self.tell(Event::Peeked(ticket, if self.is_behind { Seen::Newer } else { there }));
                }
                Action::Journal(ticket, _) if self.is_disk_full => self.tell(Event::JournalFails(ticket)),
                Action::Journal(ticket, records) => {
                    records.into_iter().for_each(|record: Record| self.memory.note(record));
                    self.tell(Event::Journalled(ticket));
                }
                Action::LayOut(ticket, ..) => self.tell(Event::LaidOut(ticket, Ok(()))),
                Action::Write(ticket, _, _, content) => {
                    self.entry = Some(content);
                    self.tell(Event::Written(ticket, Ok(None)));
                }
                other => self.out.push(other),
            }
        }
    }

    fn pass(&mut self, time: Duration) {
        self.uptime += time;
        self.tell(Event::Time);
    }

    fn jobs(&self) -> Vec<&RunRequest> {
        self.out.iter().filter_map(|action| if let Action::Run(job) = action { Some(&**job) } else { None }).collect()
    }

    fn run(&self) -> RunId {
        self.jobs().last().expect("something runs").run
    }

    fn stops(&self) -> Vec<Stop> {
        self.out.iter().filter_map(|action| if let Action::Stop(_, why) = action { Some(*why) } else { None }).collect()
    }

    fn reading(&self) -> Ticket {
        let read = |action: &Action| if let Action::Read(ticket, ..) = action { Some(*ticket) } else { None };
        self.out.iter().find_map(read).expect("something is read")
    }

    fn state(&self) -> &State {
        &self.machine.board().components()["c"].state
    }
}

fn url(value: &str) -> IndexMap<Name, Value> {
    std::iter::once(("url".into(), value.into())).collect()
}

#[test]
fn a_run_is_stopped_at_its_deadline_and_given_up_soon_after() {
    let mut server = Server::new(component(Tool::Shell, false), Memory::default());
    server.begin();
    server.pass(Duration::from_secs(59));
    assert_eq!(server.stops(), []);
    assert_eq!(server.machine.wakes(), Some(MINUTE));
    server.pass(Duration::from_secs(1));
    assert_eq!(server.stops(), [Stop::Deadline]);
    server.pass(Duration::from_secs(4));
    assert!(server.out.iter().any(|action| matches!(action, Action::Drop(_))));
    let State::Failed(failure) = server.state() else { panic!("{:?}", server.state()) };
    assert_eq!((failure.kind, &*failure.message), (FailureKind::Deadline, "the recipe did not end within 1 min"));
    assert!(matches!(&server.entry, Some(Content::Failure(_))));
}

#[test]
fn a_recipe_that_ended_in_time_has_however_late_that_is_seen() {
    let mut server = Server::new(component(Tool::Shell, false), Memory::default());
    server.begin();
    // The agent was suspended past the deadline; it first receives the events, then the time.
    server.uptime = 10 * MINUTE;
    server.tell(Event::Paused(9 * MINUTE + Duration::from_secs(30)));
    server.tell(Event::Ran(server.run(), Ok(url("x"))));
    server.tell(Event::Time);
    assert_eq!((server.state(), server.stops()), (&State::Done, vec![]));
}

#[test]
fn what_another_agent_has_written_of_a_newer_revision_begins_nothing_here() {
    for is_behind in [false, true] {
        let mut server = Server::new(component(Tool::Shell, false), Memory::default());
        server.is_behind = is_behind;
        server.begin();
        let runs = server.out.iter().any(|action| matches!(action, Action::Run(_)));
        assert_eq!(runs, !is_behind);
        assert_eq!(server.entry, None);
    }
}

#[test]
fn time_in_which_nothing_ran_does_not_count() {
    let mut server = Server::new(component(Tool::Shell, false), Memory::default());
    server.begin();
    server.uptime = 10 * MINUTE;
    server.tell(Event::Paused(9 * MINUTE + Duration::from_secs(30)));
    server.tell(Event::Time);
    assert_eq!(server.stops(), []);
    server.pass(Duration::from_secs(30));
    assert_eq!(server.stops(), [Stop::Deadline]);
}

#[test]
fn waiting_for_an_input_takes_nothing_from_the_time_of_a_recipe() {
    let mut server = Server::new(component(Tool::Chef, true), Memory::default());
    server.begin();
    let run = server.run();
    server.pass(Duration::from_secs(10));
    server.tell(Event::Asked(run, Question(1), "from".into()));
    assert!(matches!(server.state(), State::Waiting(_)));
    server.pass(30 * MINUTE);
    assert_eq!(server.stops(), []);
    server.tell(Event::Read(server.reading(), Ok(Content::Value("there".into()))));
    assert!(server.out.contains(&Action::Answer(Question(1), Ok(Some("there".into())))));
    assert_eq!(server.state(), &State::Running);
    server.pass(Duration::from_secs(49));
    assert_eq!(server.stops(), []);
    server.pass(Duration::from_secs(1));
    assert_eq!(server.stops(), [Stop::Deadline]);
}

#[test]
fn what_is_read_is_of_the_revision_in_which_its_writer_was_last_another() {
    let mut server = Server::new(component(Tool::Shell, true), Memory::default());
    server.plan.revision = 7;
    server.plan.writers = std::iter::once(("other".into(), Writer { revision: 3, key: None })).collect();
    let (of, expected) = (server.plan.of(), Revision { space: None, number: 3 });
    server.desire();
    server.tell(Event::Claimed(true));
    let read = |action: &Action| if let Action::Read(_, _, of) = action { Some(of.clone()) } else { None };
    assert_eq!(server.out.iter().find_map(read), Some(expected.clone()));
    let State::Waiting(waits) = server.state() else { panic!("{:?}", server.state()) };
    assert_eq!(waits.iter().map(|wait| wait.revision).collect::<Vec<_>>(), [Some(3)]);
    server.pass(Duration::from_hours(4));
    let explain = |action: &Action| if let Action::Explain(_, what) = action { Some(what.clone()) } else { None };
    assert_eq!(server.out.iter().find_map(explain), Some(vec![("other/c/url".into(), expected)]));
    // Its own entries are separate.
    server.tell(Event::Read(server.reading(), Ok(Content::Value("there".into()))));
    let started = server.memory.known("c").map(|known| known.revision.revision.clone());
    assert_eq!(started, Some(of));
}

#[test]
fn nothing_begins_before_the_agent_acts_for_its_server_nor_goes_on_after() {
    let mut server = Server::new(component(Tool::Shell, false), Memory::default());
    server.desire();
    assert!(server.jobs().is_empty());
    server.tell(Event::Claimed(true));
    assert_eq!(server.jobs().len(), 1);
    server.tell(Event::Claimed(false));
    assert_eq!(server.stops(), [Stop::Replaced]);
    server.tell(Event::Ran(server.run(), Err(Broken::new(FailureKind::Recipe, "ended".to_owned()))));
    assert_eq!(server.entry, None);
    // Its turn comes again.
    server.tell(Event::Claimed(true));
    assert_eq!(server.jobs().len(), 2);
}

#[test]
fn outputs_wait_for_the_disk_and_failures_do_not() {
    let mut server = Server::new(component(Tool::Shell, false), Memory::default());
    server.begin();
    server.is_disk_full = true;
    server.tell(Event::Ran(server.run(), Ok(url("x"))));
    assert_eq!((server.state(), &server.entry), (&State::Running, &None));

    let mut server = Server::new(component(Tool::Shell, false), Memory::default());
    server.begin();
    server.is_disk_full = true;
    server.tell(Event::Ran(server.run(), Err(Broken::new(FailureKind::Recipe, "no".to_owned()))));
    assert!(matches!(server.state(), State::Failed(_)));
    assert!(matches!(&server.entry, Some(Content::Failure(_))));

    // The next agent knows of that failure only from the entry, and lets it stand.
    let mut next = Server::new(component(Tool::Shell, false), server.memory.clone());
    next.entry = server.entry.clone();
    next.begin();
    assert!(next.jobs().is_empty() && matches!(next.state(), State::Failed(_)));
}

#[test]
fn what_succeeded_is_published_again_and_does_not_run_again() {
    let mut server = Server::new(component(Tool::Shell, false), Memory::default());
    server.begin();
    server.tell(Event::Ran(server.run(), Ok(url("x"))));
    assert_eq!(server.entry, Some(Content::Value("x".into())));
    let mut next = Server::new(component(Tool::Shell, false), server.memory.clone());
    next.begin();
    assert!(next.jobs().is_empty());
    assert_eq!((next.state(), &next.entry), (&State::Done, &Some(Content::Value("x".into()))));
}

/// Components that ran in an earlier revision, each with a teardown.
fn ran(names: &[&str]) -> Memory {
    let mut memory = Memory::default();
    for name in names {
        let mut planned = component(Tool::Shell, false);
        planned.recipe.teardown = Some("undo.sh".into());
        memory.note(Record::Started {
            component: (*name).into(),
            revision: RevisionId::new(Revision { space: None, number: 0 }, "zero".to_owned()),
            at: Time::EPOCH,
            past: Vec::new(),
            planned,
            fingerprint: Some("of before".to_owned()),
            inputs: IndexMap::default(),
        });
    }
    memory
}

impl Server {
    fn begun(&self) -> Vec<(&str, Script)> {
        self.jobs().into_iter().map(|job| (&*job.component, job.script)).collect()
    }
}

#[test]
fn a_teardown_that_was_ended_is_tried_again_when_the_place_comes_back_before_it_has_ended() {
    for result in [Ok(IndexMap::default()), Err(Broken::new(FailureKind::Deadline, "ended".to_owned()))] {
        let mut server = Server::new(component(Tool::Shell, false), ran(&["x", "y"]));
        server.begin();
        let mut expected = vec![("y", Script::Teardown)];
        assert_eq!(server.begun(), expected);
        server.tell(Event::Claimed(false));
        server.tell(Event::Claimed(true));
        assert_eq!((server.stops(), server.begun()), (vec![Stop::Replaced], expected.clone()));
        if result.is_err() {
            expected.push(("y", Script::Teardown));
        }
        server.tell(Event::Ran(server.run(), result));
        if expected.len() == 2 {
            assert_eq!(server.begun(), expected);
            server.tell(Event::Ran(server.run(), Ok(IndexMap::default())));
        }
        expected.push(("x", Script::Teardown));
        assert_eq!(server.begun(), expected);
        server.tell(Event::Ran(server.run(), Ok(IndexMap::default())));
        expected.push(("c", Script::Recipe));
        assert_eq!(server.begun(), expected);
        assert_eq!(server.memory.started().map(|(name, _)| &**name).collect::<Vec<_>>(), ["c"]);
    }
}

/// A recipe of Chef reads the inputs that it reaches; its teardown gets the others from the plan, or an error that the
/// value is gone.
#[test]
fn a_teardown_reads_what_the_last_run_did_not_ask_for_or_hears_why_not() {
    let mut planned = component(Tool::Chef, true);
    planned.recipe.teardown = Some("undo".into());
    let fixed = PlannedInput { ty: Type::STR, path: Vec::new(), from: ValueSource::Constant("/srv".into()) };
    planned.inputs.insert("home".into(), fixed);
    planned.inputs.insert("read".into(), planned.inputs["from"].clone());
    let mut memory = Memory::default();
    memory.note(Record::Started {
        component: "x".into(),
        revision: RevisionId::new(Revision { space: None, number: 0 }, "zero".to_owned()),
        at: Time::EPOCH,
        past: Vec::new(),
        planned,
        fingerprint: None,
        inputs: IndexMap::default(),
    });
    memory.note(Record::Finished {
        component: "x".into(),
        at: Time::EPOCH,
        past: Vec::new(),
        fingerprint: "of before".to_owned(),
        inputs: std::iter::once(("read".into(), Content::Value("http://a/".into()))).collect(),
        absent: Vec::new(),
        outputs: IndexMap::default(),
    });
    let mut server = Server::new(component(Tool::Shell, false), memory);
    server.begin();
    let run = server.run();
    let mut ask = |name: &str| {
        server.tell(Event::Asked(run, Question(1), name.into()));
        let Some(Action::Answer(_, answer)) = server.out.pop() else { panic!("{:?}", server.out) };
        answer.map_err(|failure| (failure.kind, failure.to_string()))
    };
    assert_eq!(ask("read"), Ok(Some("http://a/".into())));
    assert_eq!(ask("home"), Ok(Some("/srv".into())));
    assert_eq!(ask("not-wired"), Ok(None));
    let (kind, why) = ask("from").expect_err("nobody waits for it");
    assert_eq!(kind, FailureKind::Input);
    assert!(why.contains("the input `from`") && why.contains("`other/c/url`"), "{why}");
}

#[test]
fn a_server_that_has_left_stays_until_what_was_ended_is_torn_down() {
    let mut server = Server::new(component(Tool::Shell, false), ran(&["x"]));
    (server.plan.retired, server.plan.components) = (true, IndexMap::default());
    server.begin();
    server.tell(Event::Claimed(false));
    server.tell(Event::Claimed(true));
    server.tell(Event::Ran(server.run(), Err(Broken::new(FailureKind::Deadline, "ended".to_owned()))));
    assert_eq!(server.begun(), [("x", Script::Teardown); 2]);
    assert!(!server.out.contains(&Action::Retire));
    server.tell(Event::Ran(server.run(), Ok(IndexMap::default())));
    assert!(server.out.contains(&Action::Retire));
}

#[test]
fn who_has_its_place_again_says_how_everything_is_doing() {
    let mut server = Server::new(component(Tool::Shell, false), Memory::default());
    server.begin();
    server.tell(Event::Ran(server.run(), Ok(url("x"))));
    server.tell(Event::Claimed(false));
    server.out.clear();
    // Meanwhile, another agent has published that it is running.
    server.tell(Event::Claimed(true));
    let says = |action: &Action| matches!(action, Action::Show(name, status) if **name == *"s/c" && status.state == State::Done);
    assert!(server.out.iter().any(says), "{:?}", server.out);
    assert!(server.jobs().is_empty());
}

#[test]
fn what_another_agent_had_failed_meanwhile_does_not_begin() {
    let mut server = Server::new(component(Tool::Shell, true), Memory::default());
    server.begin();
    let reading = server.reading();
    let failure = Failure {
        component: "s/c".into(),
        kind: FailureKind::Recipe,
        message: "it failed".to_owned(),
        log: Vec::new(),
        at: Time::EPOCH,
        through: Vec::new(),
    };
    server.entry = Some(Content::Failure(failure.clone()));
    server.tell(Event::Claimed(true));
    server.tell(Event::Read(reading, Ok(Content::Value("x".into()))));
    assert_eq!(*server.state(), State::Failed(failure));
    assert!(server.jobs().is_empty());
}
