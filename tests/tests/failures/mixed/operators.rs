//! Two operators who apply the same stack at once, each with a different word.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use wattle::model::Name;
use wattle_runtime::seed::write_operator_key;
use wattle_tests::command::{apart, wattle};
use wattle_tests::seeds::seed;

use crate::stack::{Stack, key};

/// The operators' actions and results.
pub(super) struct Operators {
    at_work: Vec<Operator>,
    /// The word of each revision whose operator learned its number.
    words: BTreeMap<u64, String>,
    /// The number of refused attempts.
    refused: usize,
    next: usize,
}

struct Operator {
    word: String,
    folder: TempDir,
    apply: Child,
}

impl Operators {
    pub(super) fn of(stack: &Stack) -> Self {
        let words = [(stack.desired_revision().revision, stack.play.word.clone())].into();
        Self { at_work: Vec::new(), words, refused: 0, next: 1 }
    }

    /// Starts two operators.
    pub(super) fn begin(&mut self, stack: &Stack) {
        self.wait(stack);
        for _ in 0..2 {
            self.at_work.push(Operator::start(stack, format!("word{}", self.next)));
            self.next += 1;
        }
    }

    /// Waits for the two operators, and then applies the current state again, as another revision.
    pub(super) fn again(&mut self, stack: &Stack) {
        self.wait(stack);
        self.words.insert(stack.apply_again(), stack.play.word.clone());
    }

    /// Waits until both operators have ended.
    pub(super) fn wait(&mut self, stack: &Stack) {
        for mut operator in self.at_work.drain(..) {
            stack.until("an operator is told something", || operator.has_ended());
            let status = operator.apply.wait().unwrap();
            let [said, errors] = ["out", "err"].map(|name| operator.read(name));
            match revision(&said) {
                Some(revision) if status.success() => {
                    let before = self.words.insert(revision, operator.word.clone());
                    assert_eq!(before, None, "`{}` has revision {revision} as well", operator.word);
                }
                _ => {
                    // Lines about what the command waited for may come first.
                    let why = errors.lines().find(|line| !line.starts_with("waiting for ")).unwrap_or_default();
                    println!("who applies `{}` is refused: {why}", operator.word);
                    assert!(!status.success() && why.starts_with("error: "), "{status}: {said}{errors}");
                    assert!(!why.contains("not what its operator wrote"), "nobody has tampered: {said}{errors}");
                    self.refused += 1;
                }
            }
        }
    }

    /// Admits machines that have the credentials of another operator, whose revision was replaced.
    pub(super) fn admit(&mut self, stack: &Stack) {
        let come: Vec<Name> = stack.snapshot().admission.others.iter().map(|other| other.server.clone()).collect();
        if !come.is_empty() {
            let word = self.word(stack.desired_revision().revision).expect("somebody made it").to_owned();
            self.words.insert(stack.admit(&come), word);
        }
    }

    /// Waits until both operators have ended, and completes unfinished work, as messages tell an operator to do.
    pub(super) fn end(&mut self, stack: &Stack) {
        self.wait(stack);
        let desired = stack.desired_revision();
        if desired.applying.is_some() || self.word(desired.revision).is_none() {
            self.again(stack);
        }
    }

    /// The word of a revision; `None` if its operator did not learn its number.
    pub(super) fn word(&self, revision: u64) -> Option<&str> {
        self.words.get(&revision).map(String::as_str)
    }

    /// The numbers of successful and of refused attempts.
    pub(super) fn count(&self) -> (usize, usize) {
        (self.words.values().filter(|word| !word.is_empty()).count(), self.refused)
    }
}

impl Operator {
    fn start(stack: &Stack, word: String) -> Self {
        let folder = tempfile::Builder::new().prefix("operator-").tempdir().unwrap();
        let mut text = Vec::new();
        seed(&stack.play.model()).write(&mut text).unwrap();
        fs::write(folder.path().join("seed.yaml"), text).unwrap();
        stack.credentials.write(&folder.path().join("credentials.yaml"), &stack.name, &stack.address, "").unwrap();
        write_operator_key(&folder.path().join("operator.key"), key()).unwrap();
        let file = |name: &str| fs::File::create(folder.path().join(name)).unwrap();
        let mut apply = Command::new(wattle());
        apply.args(["seed", "apply", "--space", &stack.address, "--stack", &stack.name]);
        apply.arg("-P").arg(format!("word={word}")).arg(folder.path());
        for (option, file) in [("--key", "operator.key"), ("--credentials", "credentials.yaml")] {
            apply.arg(option).arg(folder.path().join(file));
        }
        apart(&mut apply, folder.path()).stdin(Stdio::null()).stdout(file("out")).stderr(file("err"));
        let apply = apply.spawn().unwrap();
        Self { word, folder, apply }
    }

    /// Until its status is read, a process that has ended remains as a zombie.
    fn has_ended(&self) -> bool {
        fs::read_to_string(format!("/proc/{}/stat", self.apply.id())).is_ok_and(|stat| stat.contains(") Z "))
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        let _ = self.apply.kill();
        let _ = self.apply.wait();
    }
}

/// The number at the start of the output of `seed apply`: of a new or an existing revision.
fn revision(said: &str) -> Option<u64> {
    let (_, revision) = said.lines().next()?.rsplit_once("revision ")?;
    let last = revision.split(" -> ").last()?;
    last.split(',').next()?.trim().parse().ok()
}
