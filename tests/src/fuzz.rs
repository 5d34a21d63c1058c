//! Fuzzing of readers with inputs that resemble real ones, on a stable compiler and in a normal test.
//!
//! A corpus is mutated randomly, in the same way on every run: bits, bytes, pieces, numbers, words of a dictionary.
//! Accepted inputs are mutated further, so that the inputs move away from the corpus while remaining valid. There is no
//! coverage guidance: `heat/fuzz` has that, with libFuzzer.

#![expect(clippy::missing_panics_doc, reason = "helpers for tests fail by panicking")]

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::exit;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::chance::Chance;
use crate::skip::is_everything;

/// The number of inputs for one target; fifty times as many in the full run.
const INPUTS: usize = 20_000;

/// The time limit of a target, except in the full run: slow machines try fewer inputs.
const LONGEST: Duration = Duration::from_secs(20);

/// The time limit of a single input, on any machine.
const ONE: Duration = Duration::from_secs(20);

/// The maximum size of an input in bytes; small ones are sufficient, and faults in them are easier to read.
const MOST_BYTES: usize = 16 << 10;

/// The number of inputs that are kept for further mutation, besides the corpus.
const KEPT: usize = 256;

/// The permitted increase of peak memory during a target: a reader that trusts a length field, or expands an alias, needs
/// gigabytes.
const MEMORY: u64 = 1 << 30;

/// Numbers that are typical causes of bugs.
const NUMBERS: [&[u8]; 14] = [
    b"0",
    b"-1",
    b"255",
    b"256",
    b"65536",
    b"2147483648",
    b"4294967295",
    b"9223372036854775808",
    b"18446744073709551616",
    b"1e999",
    b"-0.0",
    b"NaN",
    b"0x7f",
    b"1_000",
];

/// Byte sequences that are typical causes of bugs: lengths, invalid UTF-8, invisible characters.
const BYTES: [&[u8]; 12] = [
    b"\0",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xae",
    b"\x1b[2J",
    b"\r\n",
    b"\n\n",
    b"\xf4\x90\x80\x80",
];

/// The result of reading an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// It was accepted, and all assertions about it hold.
    Accepted,
    /// It was refused.
    Refused,
}

impl<T, E> From<Result<T, E>> for Read {
    fn from(read: Result<T, E>) -> Self {
        if read.is_ok() { Self::Accepted } else { Self::Refused }
    }
}

/// A target of fuzzing.
pub struct Target<'a> {
    /// Its name, which is the seed of its randomness.
    pub name: &'a str,
    /// The corpus: inputs that are accepted.
    pub corpus: Vec<Vec<u8>>,
    /// Further words to insert.
    pub words: &'a [&'a str],
    /// The divisor of the number of inputs, for slow readers.
    pub thinned: usize,
}

impl Target<'_> {
    /// Passes the corpus, all of which must be accepted, and then mutated inputs to `read`. A panic, an input that takes
    /// too long, and excessive memory use fail the test and show the input.
    pub fn try_all(&self, read: impl Fn(&[u8]) -> Read) {
        let is_everything = is_everything();
        let inputs = INPUTS * if is_everything { 50 } else { 1 } / self.thinned.max(1);
        let before = most_memory();
        let watch = Watch::start(self.name.to_owned());
        let read = |input: &[u8]| {
            watch.begin(input);
            let read = catch_unwind(AssertUnwindSafe(|| read(input)));
            watch.end();
            read.unwrap_or_else(|panic| {
                report(self.name, input);
                resume_unwind(panic)
            })
        };
        for input in &self.corpus {
            assert_eq!(read(input), Read::Accepted, "{}: {}", self.name, shown(input));
        }
        let mut mutator = Mutator {
            chance: Chance::new(self.name.bytes().fold(7_u64, |seed, byte| seed.wrapping_mul(31) + u64::from(byte))),
            corpus: &self.corpus,
            words: self.words,
            kept: Vec::new(),
        };
        let (begin, mut accepted, mut tried) = (Instant::now(), 0, 0);
        while tried < inputs && (is_everything || begin.elapsed() < LONGEST) {
            let input = mutator.next();
            tried += 1;
            if read(&input) == Read::Accepted {
                accepted += 1;
                mutator.keep(input);
            }
        }
        println!("{}: {tried} inputs, {accepted} accepted, in {:?}", self.name, begin.elapsed());
        let more = most_memory().saturating_sub(before);
        assert!(more < MEMORY, "{}: {more} bytes more than before", self.name);
    }
}

struct Mutator<'a> {
    chance: Chance,
    corpus: &'a [Vec<u8>],
    words: &'a [&'a str],
    kept: Vec<Vec<u8>>,
}

impl Mutator<'_> {
    fn any(&mut self) -> Vec<u8> {
        let from = if self.chance.once_in(2) || self.kept.is_empty() { self.corpus } else { &self.kept };
        self.chance.of(from).cloned().unwrap_or_default()
    }

    fn keep(&mut self, input: Vec<u8>) {
        if self.kept.len() < KEPT {
            self.kept.push(input);
        } else {
            let at = self.chance.below(KEPT);
            self.kept[at] = input;
        }
    }

    fn next(&mut self) -> Vec<u8> {
        let mut input = self.any();
        for _ in 0..=self.chance.below(4) {
            self.change(&mut input);
        }
        input.truncate(MOST_BYTES);
        input
    }

    /// The bounds of a random piece of `input`.
    fn piece(&mut self, input: &[u8]) -> (usize, usize) {
        let from = self.chance.below(input.len() + 1);
        let most = if self.chance.once_in(4) { input.len() - from } else { (input.len() - from).min(16) };
        (from, from + self.chance.below(most + 1))
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let at = self.chance.below(input.len() + 1);
        match self.chance.below(11) {
            0 if at < input.len() => input[at] ^= 1 << self.chance.below(8),
            1 if at < input.len() => input[at] = u8::try_from(self.chance.below(256)).unwrap_or(0),
            2 => {
                let (from, to) = self.piece(input);
                input.drain(from..to);
            }
            3 => {
                let (from, to) = self.piece(input);
                let most = if self.chance.once_in(8) { 400 } else { 4 };
                let times = 1 + self.chance.below(most);
                let piece = input[from..to].repeat(times.min(MOST_BYTES / (to - from).max(1) + 1));
                input.splice(from..from, piece);
            }
            4 => {
                // A piece of another input.
                let other = self.any();
                let (from, to) = self.piece(&other);
                input.splice(at..at, other[from..to].iter().copied());
            }
            5 => {
                let (from, to) = self.piece(input);
                let piece: Vec<u8> = input.drain(from..to).collect();
                let at = self.chance.below(input.len() + 1);
                input.splice(at..at, piece);
            }
            6 | 7 => {
                let word = self.chance.of(self.words).copied().unwrap_or_default();
                let times = if self.chance.once_in(16) { 300 } else { 1 };
                input.splice(at..at, word.repeat(times).bytes());
            }
            8 => {
                // Replaces a number.
                let from = at + input[at..].iter().position(u8::is_ascii_digit).unwrap_or(0);
                let count = input[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let number = self.chance.of(&NUMBERS).copied().unwrap_or_default();
                input.splice(from..from + count, number.iter().copied());
            }
            9 => {
                let bytes = self.chance.of(&BYTES).copied().unwrap_or_default();
                input.splice(at..at, bytes.iter().copied());
            }
            _ => input.truncate(at),
        }
    }
}

/// The current input, and the start of the attempt.
type Tried = Option<(Instant, Vec<u8>)>;

/// Ends the process if one input takes too long: nothing else ends an infinite loop.
struct Watch {
    input: Arc<Mutex<Tried>>,
    _end: SyncSender<()>,
}

impl Watch {
    fn start(name: String) -> Self {
        let input = Arc::<Mutex<Option<(Instant, Vec<u8>)>>>::default();
        let (end, ended) = sync_channel(0);
        let watched = Arc::clone(&input);
        std::thread::spawn(move || {
            while ended.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let now = watched.lock().map(|now| now.clone()).unwrap_or_default();
                if let Some((_, input)) = now.filter(|(begin, _)| begin.elapsed() > ONE) {
                    report(&name, &input);
                    eprintln!("{name}: it takes more than {ONE:?}");
                    exit(101);
                }
            }
        });
        Self { input, _end: end }
    }

    fn begin(&self, input: &[u8]) {
        *self.input.lock().expect("nobody panics with it") = Some((Instant::now(), input.to_vec()));
    }

    fn end(&self) {
        *self.input.lock().expect("nobody panics with it") = None;
    }
}

/// Shows the input and saves it to a file.
fn report(name: &str, input: &[u8]) {
    let file = env::temp_dir().join(format!("wattle-fuzz-{}", name.replace(' ', "-")));
    let kept = fs::write(&file, input).map(|()| format!(", which is in {}", file.display())).unwrap_or_default();
    eprintln!("{name}: this input{kept}:\n{}", shown(input));
}

fn shown(input: &[u8]) -> String {
    input.escape_ascii().to_string()
}

/// The peak memory use of this process in bytes.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}
