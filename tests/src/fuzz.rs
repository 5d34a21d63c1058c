//! Inputs that look like real ones and are not: what a reader makes of them, on a stable compiler and in a normal test.
//!
//! A corpus is changed by chance, the same way on every run: bits, bytes, pieces, numbers, words of a dictionary. What a
//! reader has accepted is changed further, so that the inputs move away from the corpus without leaving what is accepted. There is
//! no coverage to go by: `heat/fuzz` has that, with libFuzzer.

#![expect(clippy::missing_panics_doc, reason = "what tests use fails by panics")]

use std::env;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::exit;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::chance::Chance;

/// Inputs of one target; fifty times as many if everything is asked for.
const INPUTS: usize = 20_000;

/// No target takes longer for its inputs unless everything is asked for: on a slow machine it tries fewer.
const LONGEST: Duration = Duration::from_secs(20);

/// No reader takes longer for one input, on whatever machine.
const ONE: Duration = Duration::from_secs(20);

/// Bytes of an input; few are enough, and found faults are easier to read.
const MOST_BYTES: usize = 16 << 10;

/// How many inputs are kept to be changed further, besides the corpus.
const KEPT: usize = 256;

/// How much more memory the process may have needed at once after a target than before: a reader that takes what a length says,
/// or an alias stands for, needs gigabytes.
const MEMORY: u64 = 1 << 30;

/// Numbers at which readers err.
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

/// Pieces of bytes at which readers err: lengths, what is no UTF-8, what is not seen.
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

/// What a reader has made of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// It was accepted, and what was asserted of it holds.
    Accepted,
    /// It was refused.
    Refused,
}

impl<T, E> From<Result<T, E>> for Read {
    fn from(read: Result<T, E>) -> Self {
        if read.is_ok() { Self::Accepted } else { Self::Refused }
    }
}

/// What is tried.
pub struct Target<'a> {
    /// Its name, from which its chance follows.
    pub name: &'a str,
    /// What is changed: inputs that are accepted.
    pub corpus: Vec<Vec<u8>>,
    /// What is put into inputs besides.
    pub words: &'a [&'a str],
    /// How many inputs are left out for each that is tried: of readers that are slow.
    pub thinned: usize,
}

impl Target<'_> {
    /// Has `read` read the corpus, all of which it is to accept, and then changed inputs. A panic, an input that takes
    /// too long, and memory out of all proportion fail the test and show the input.
    pub fn try_all(&self, read: impl Fn(&[u8]) -> Read) {
        let is_everything = env::var_os("WATTLE_TEST_ALL").is_some();
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

    /// A piece of `input`: from where, to where.
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
                // A piece of another one.
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
                // A number becomes another one.
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

/// What is tried, and since when.
type Tried = Option<(Instant, Vec<u8>)>;

/// Ends the process when one input takes too long: nothing else ends a loop.
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

/// Shows the input and keeps it as a file.
fn report(name: &str, input: &[u8]) {
    let file = env::temp_dir().join(format!("wattle-fuzz-{}", name.replace(' ', "-")));
    let kept = fs::write(&file, input).map(|()| format!(", which is in {}", file.display())).unwrap_or_default();
    eprintln!("{name}: this input{kept}:\n{}", shown(input));
}

fn shown(input: &[u8]) -> String {
    input.escape_ascii().to_string()
}

/// Most memory that this process has needed at once, in bytes.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}
