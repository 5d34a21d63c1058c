use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use wattle::lower::seed::SeedRecipe;
use wattle::model::{IndexMap, Tool};
use wattle_agent_core::record::{RevisionId, Stored};
use wattle_agent_core::revision::Revision;
use wattle_agent_core::time::Time;

use crate::space::{Content, Did, Failure, FailureKind, PlannedComponent, Step};

use super::*;

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("journal")
    }

    fn open(&self) -> Journal {
        Journal::open(&self.path()).unwrap().0
    }

    /// Opens the journal, and returns its memory.
    fn memory(&self) -> Memory {
        Journal::open(&self.path()).unwrap().1
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }
}

fn revision(number: u64) -> RevisionId {
    RevisionId::new(Revision { space: None, number }, format!("digest {number}"))
}

fn started(component: &str, number: u64, fingerprint: &str) -> Record {
    let planned = PlannedComponent {
        recipe: SeedRecipe {
            tool: Tool::Shell,
            entry: "recipe.sh".into(),
            teardown: None,
            files: IndexMap::default(),
            deadline: None,
            wait: None,
        },
        after: Vec::new(),
        inputs: IndexMap::default(),
        outputs: IndexMap::default(),
        requires: IndexMap::default(),
    };
    Record::Started {
        component: component.into(),
        revision: revision(number),
        at: Time::EPOCH,
        planned,
        fingerprint: Some(fingerprint.to_owned()),
        inputs: IndexMap::default(),
        past: Vec::new(),
    }
}

fn stored(value: &str) -> Stored {
    Stored { content: Content::Value(value.into()), recipients: Vec::new() }
}

fn finished(component: &str, fingerprint: &str) -> Record {
    Record::Finished {
        component: component.into(),
        at: Time::EPOCH,
        fingerprint: fingerprint.to_owned(),
        inputs: IndexMap::default(),
        absent: vec!["absent".into()],
        outputs: [("url".into(), stored("http://db"))].into_iter().collect(),
        past: Vec::new(),
    }
}

fn early(component: &str, value: &str) -> Record {
    Record::Early { component: component.into(), output: "url".into(), stored: stored(value) }
}

fn print(memory: &Memory, component: &str) -> Option<String> {
    Some(memory.known(component)?.finished.as_ref()?.fingerprint.clone())
}

#[test]
fn what_was_written_is_known_again() {
    let place = Place::new();
    let mut journal = place.open();
    journal.append(&[started("a", 1, "x")]).unwrap();
    journal.append(&[finished("a", "x"), started("b", 1, "y")]).unwrap();
    drop(journal);
    let memory = place.memory();
    assert_eq!(print(&memory, "a").as_deref(), Some("x"));
    assert_eq!(memory.known("a").unwrap().finished.as_ref().unwrap().outputs["url"], stored("http://db"));
    assert_eq!(memory.known("a").unwrap().finished.as_ref().unwrap().read, ["absent".into()]);
    assert_eq!(print(&memory, "b"), None);
    let order: Vec<&str> = memory.started().map(|(name, _)| &**name).collect();
    assert_eq!(order, ["b", "a"]);
}

#[test]
fn only_its_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let mut journal = place.open();
    assert_eq!(fs::metadata(place.path()).unwrap().permissions().mode() & 0o777, 0o600);
    for _ in 0..300 {
        journal.append(&[started("a", 1, "x"), finished("a", "x")]).unwrap();
    }
    drop(place.open());
    assert_eq!(fs::metadata(place.path()).unwrap().permissions().mode() & 0o777, 0o600);
    forget_finished(place.0.path()).unwrap();
    assert_eq!(fs::metadata(place.path()).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_last_line_that_was_cut_off_does_not_count() {
    let place = Place::new();
    place.open().append(&[started("a", 1, "x"), finished("a", "x")]).unwrap();
    let whole = place.text();
    let first = whole.find('\n').unwrap() + 1;
    for cut in first..whole.len() {
        fs::write(place.path(), &whole[..cut]).unwrap();
        let (mut journal, memory) = Journal::open(&place.path()).unwrap();
        assert!(memory.known("a").is_some());
        assert_eq!(print(&memory, "a"), None, "cut at {cut}");
        journal.append(&[finished("a", "x")]).unwrap();
        assert_eq!(print(&place.memory(), "a").as_deref(), Some("x"), "cut at {cut}: {}", place.text());
    }
    // After a power failure, a file may end in zeros.
    fs::write(place.path(), format!("{}{}", &whole[..first], "\0".repeat(99))).unwrap();
    assert!(place.memory().known("a").is_some());
}

#[test]
fn damage_in_its_middle_is_reported() {
    let place = Place::new();
    place.open().append(&[started("a", 1, "x"), finished("a", "x"), started("b", 1, "y")]).unwrap();
    let text = place.text().replacen("finished", "fin\u{0}shed", 1);
    fs::write(place.path(), text).unwrap();
    let error = Journal::open(&place.path()).unwrap_err().to_string();
    assert!(error.starts_with("line 2 of the journal"), "{error}");
    assert!(error.contains("restore it, or move it away"), "{error}");
}

#[test]
fn a_long_journal_is_written_anew_and_says_the_same() {
    let place = Place::new();
    let mut journal = place.open();
    for number in 0..400 {
        let name = format!("c{}", number % 3);
        journal.append(&[started(&name, number, "x"), finished(&name, "x")]).unwrap();
    }
    journal.append(&[started("late", 7, "y"), early("late", "one")]).unwrap();
    let before = place.text().len();
    drop(journal);
    let mut journal = place.open();
    assert!(place.text().len() < before / 20, "{} of {before}", place.text().len());
    journal.append(&[started("more", 7, "z")]).unwrap();
    let memory = place.memory();
    for name in ["c0", "c1", "c2"] {
        assert_eq!(print(&memory, name).as_deref(), Some("x"));
    }
    assert_eq!(memory.known("late").unwrap().early["url"], stored("one"));
    let order: Vec<&str> = memory.started().map(|(name, _)| &**name).collect();
    assert_eq!(order, ["more", "late", "c0", "c2", "c1"]);
}

#[test]
fn machines_that_boot_anew_have_nothing_finished() {
    let place = Place::new();
    let failure = Failure {
        component: "db/b".into(),
        kind: FailureKind::Recipe,
        message: "exited with 1".into(),
        log: Vec::new(),
        at: Time::EPOCH,
        through: Vec::new(),
    };
    let failed =
        Record::Failed { component: "b".into(), revision: revision(1), failure, inputs: None, past: Vec::new() };
    place.open().append(&[started("a", 1, "x"), finished("a", "x"), started("b", 1, "y"), failed]).unwrap();
    assert!(place.memory().failed("b", &revision(1)).is_some());
    forget_finished(place.0.path()).unwrap();
    let memory = place.memory();
    assert_eq!(print(&memory, "a"), None);
    assert!(memory.failed("b", &revision(1)).is_none());
    let order: Vec<&str> = memory.started().map(|(name, _)| &**name).collect();
    assert_eq!(order, ["b", "a"]);
}

#[test]
fn what_machines_that_boot_anew_would_tear_down_is_as_it_was_last() {
    let place = Place::new();
    let Record::Started { mut planned, .. } = started("a", 1, "x") else { unreachable!() };
    planned.recipe.teardown = Some("undo.sh".into());
    let kept = Record::Kept { component: "a".into(), planned: planned.clone(), outputs: IndexMap::default() };
    // It asked for its inputs while it ran.
    let mut finished = finished("a", "x");
    if let Record::Finished { inputs, .. } = &mut finished {
        inputs.insert("name".into(), Content::Value("db".into()));
    }
    place.open().append(&[started("a", 1, "x"), finished, kept]).unwrap();
    forget_finished(place.0.path()).unwrap();
    let memory = place.memory();
    let known = memory.known("a").unwrap();
    assert_eq!(known.planned, planned);
    assert_eq!(known.inputs["name"], Content::Value("db".into()));
}

#[test]
fn a_damaged_journal_is_left_for_the_agent_to_find() {
    let place = Place::new();
    forget_finished(place.0.path()).unwrap();
    assert!(!place.path().exists());
    place.open().append(&[started("a", 1, "x"), finished("a", "x")]).unwrap();
    let text = format!("nonsense\n{}", place.text());
    fs::write(place.path(), &text).unwrap();
    forget_finished(place.0.path()).unwrap();
    assert_eq!(place.text(), text);
}

#[test]
fn what_a_component_has_behind_it_is_known_again() {
    let at = Time::from_secs;
    let waited = Step { since: at(1), until: at(5), did: Did::Waited { what: "a/b/url".into(), input: None } };
    let ran = Step { since: at(5), until: at(9), did: Did::Ran };
    let mut began = started("a", 1, "x");
    let Record::Started { at: start, past, .. } = &mut began else { unreachable!() };
    (*start, *past) = (at(5), vec![waited.clone()]);
    let mut ended = finished("a", "x");
    let Record::Finished { at: end, past, .. } = &mut ended else { unreachable!() };
    (*end, *past) = (at(9), vec![waited.clone(), ran.clone()]);

    let place = Place::new();
    place.open().append(&[began]).unwrap();
    let broken_off = Step { since: at(5), until: at(7), did: Did::BrokenOff };
    assert_eq!(place.memory().past("a", &revision(1), at(7)), [waited.clone(), broken_off]);
    place.open().append(&[ended]).unwrap();
    assert_eq!(place.memory().past("a", &revision(1), at(20)), [waited.clone(), ran.clone()]);
    assert_eq!(place.memory().past("a", &revision(2), at(20)), []);

    let (mut journal, memory) = Journal::open(&place.path()).unwrap();
    journal.rewrite(&memory).unwrap();
    assert_eq!(place.memory().past("a", &revision(1), at(20)), [waited.clone(), ran]);

    let failure = Failure {
        component: "s/b".into(),
        kind: FailureKind::Recipe,
        message: String::new(),
        log: Vec::new(),
        at: at(9),
        through: Vec::new(),
    };
    let past = vec![waited.clone()];
    journal
        .append(&[Record::Failed { component: "b".into(), revision: revision(1), failure, inputs: None, past }])
        .unwrap();
    assert_eq!(place.memory().past("b", &revision(1), at(20)), [waited]);
}
