use crate::revision::Revision;
use wattle_model::Tool;

use crate::content::Content;
use crate::failure::FailureKind;
use crate::seed::SeedRecipe;

use super::*;

impl Memory {
    fn of(records: impl IntoIterator<Item = Record>) -> Self {
        let mut memory = Self::default();
        memory.note_all(records);
        memory
    }

    fn note_all(&mut self, records: impl IntoIterator<Item = Record>) {
        records.into_iter().for_each(|record| self.note(record));
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
fn what_was_published_stays_for_the_same_run_only() {
    let mut memory = Memory::default();
    memory.note_all([started("a", 1, "x"), early("a", "one"), started("a", 1, "x")]);
    assert_eq!(memory.known("a").unwrap().early["url"], stored("one"));
    memory.note_all([started("a", 1, "other inputs")]);
    assert!(memory.known("a").unwrap().early.is_empty());
    memory.note_all([early("a", "two"), started("a", 2, "other inputs")]);
    assert!(memory.known("a").unwrap().early.is_empty());
}

#[test]
fn a_failure_is_one_of_its_revision() {
    let mut memory = Memory::default();
    let failure = Failure {
        component: "db/a".into(),
        kind: FailureKind::Recipe,
        message: "no".to_owned(),
        log: Vec::new(),
        at: Time::EPOCH,
        through: Vec::new(),
    };
    memory.note_all([Record::Failed {
        component: "a".into(),
        revision: revision(1),
        failure,
        inputs: None,
        past: Vec::new(),
    }]);
    assert!(memory.failed("a", &revision(1)).is_some());
    assert!(memory.failed("a", &revision(2)).is_none());
    // A data space that was created again begins with the same number.
    let anew = RevisionId::new(Revision { space: None, number: 1 }, "another".to_owned());
    assert!(memory.failed("a", &anew).is_none());
}

#[test]
fn what_is_being_undone_is_not_finished() {
    let mut memory = Memory::default();
    memory.note_all([started("a", 1, "x"), finished("a", "x")]);
    memory.note_all([Record::Undoing { component: "a".into() }]);
    assert_eq!(print(&memory, "a"), None);
    assert_eq!(memory.started().count(), 1);
    memory.note_all([Record::Gone { component: "a".into() }]);
    assert!(memory.started().next().is_none());
}

#[test]
fn what_is_written_anew_says_the_same() {
    let mut memory = Memory::of([started("b", 1, "y"), started("a", 1, "x"), finished("a", "x"), early("b", "one")]);
    memory.note_all([finished("b", "y"), started("b", 2, "z"), early("b", "two")]);
    let again = Memory::of(memory.records());
    assert_eq!(again.records(), memory.records());
    assert_eq!(print(&again, "a").as_deref(), Some("x"));
    assert_eq!(again.known("b").unwrap().early["url"], stored("two"));
    assert_eq!(again.started().map(|(name, _)| &**name).collect::<Vec<_>>(), ["b", "a"]);
}
