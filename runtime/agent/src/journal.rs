//! The encoding of a journal's lines.
//!
//! Each line is the JSON of a [`Record`], a space, and a checksum: 16 hexadecimal digits of the SHA-256 of the checksum
//! of the previous line (zeros for the first) and the JSON. So a missing line shows in the next one. Lines of earlier
//! versions have no checksum, or one of their JSON alone. They come before all others.
//!
//! After a crash, the last write may be cut off, or have zeros in place of blocks that never reached the disk. Such a
//! torn end counts as unwritten. Any other malformed line is damage.

use std::fmt;

use serde::de::IgnoredAny;
use sha2::{Digest as _, Sha256};

use crate::hex;
use crate::memory::Memory;
use crate::record::Record;

/// The number of bytes of a checksum.
const SUM: usize = 8;

/// The number of bytes that reach a disk together or not at all: the smallest block size of all disks.
const BLOCK: usize = 512;

/// The checksum of the last line of a journal, which the next line's checksum covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain(String);

impl Default for Chain {
    /// The checksum of an empty journal.
    fn default() -> Self {
        Self("0".repeat(2 * SUM))
    }
}

impl Chain {
    fn next(&self, json: &[u8]) -> Self {
        Self(checksum(&[self.0.as_bytes(), json]))
    }
}

/// Encodes a record as the next line of a journal.
///
/// # Panics
/// Never: a record can always be written as JSON.
pub fn encode(chain: &mut Chain, record: &Record) -> Vec<u8> {
    let mut line = serde_json::to_vec(record).expect("INVARIANT: a record is JSON");
    *chain = chain.next(&line);
    line.push(b' ');
    line.extend_from_slice(chain.0.as_bytes());
    line.push(b'\n');
    line
}

fn checksum(parts: &[&[u8]]) -> String {
    let sum = parts.iter().fold(Sha256::new(), Sha256::chain_update).finalize();
    hex(&sum[..SUM])
}

/// The contents of a journal.
#[derive(Debug, Default)]
pub struct Replayed {
    /// The sum of its records.
    pub memory: Memory,
    /// The number of bytes that are whole lines. The rest is a line that a crash has cut off.
    pub whole: usize,
    /// The number of whole lines.
    pub lines: usize,
    /// The checksum that the next line continues.
    pub chain: Chain,
}

/// A damaged line of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} is damaged: {}", self.line, self.reason)
    }
}

impl std::error::Error for Damaged {}

/// What the checksum of a line covers. Later versions cover more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Covers {
    Nothing,
    Line,
    Journal,
}

/// Reads a journal. An end torn by a crash is not damage.
///
/// # Errors
/// A line is damaged: without it, finished components would run again.
pub fn replay(text: &[u8]) -> Result<Replayed, Damaged> {
    let mut replayed = Replayed::default();
    let mut covers = Covers::Nothing;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let (start, end) = (replayed.whole, replayed.whole + line.len());
        let read = match line.strip_suffix(b"\n") {
            Some(line) => read(line, &replayed.chain, covers),
            None => Err("it has no end".to_owned()),
        };
        match read {
            Ok((record, chain, now)) => {
                (replayed.chain, covers) = (chain, now);
                replayed.memory.note(record);
                replayed.whole = end;
                replayed.lines += 1;
            }
            // Lines reach the disk one after the other, so a crash can tear only the last.
            Err(_) if end == text.len() && is_torn(line, start, &replayed.chain) => {}
            Err(reason) => return Err(Damaged { line: replayed.lines + 1, reason }),
        }
    }
    Ok(replayed)
}

/// The record of a complete line. `chain` and `before` are the checksum of the previous line and what it covers.
fn read(line: &[u8], chain: &Chain, before: Covers) -> Result<(Record, Chain, Covers), String> {
    let (json, sum) = split(line);
    let next = chain.next(json);
    let covers = match sum {
        None => Covers::Nothing,
        Some(sum) if sum == next.0.as_bytes() => Covers::Journal,
        Some(sum) if sum == checksum(&[json]).as_bytes() => Covers::Line,
        Some(_) => return Err("its checksum is of another text, or a line before it is missing".to_owned()),
    };
    let record = wattle_model::json::read(json)?;
    match covers {
        _ if covers >= before => Ok((record, next, covers)),
        Covers::Nothing => Err("it has no checksum".to_owned()),
        _ => Err("its checksum does not cover the lines before it".to_owned()),
    }
}

/// Whether a crash can have left `text` between byte `at` and the end of a journal, in place of the next line of this
/// chain.
fn is_torn(text: &[u8], at: usize, chain: &Chain) -> bool {
    if text.contains(&0) { lacks_blocks(text, at) } else { begins_line(text, chain) }
}

/// Whether its zeros make up whole blocks, except at its beginning and end.
fn lacks_blocks(text: &[u8], at: usize) -> bool {
    let mut changes = text.windows(2).enumerate().filter(|(_, pair)| (pair[0] == 0) != (pair[1] == 0));
    changes.all(|(place, _)| (at + place + 1).is_multiple_of(BLOCK))
}

/// Whether this is the beginning of a line that was cut off.
fn begins_line(text: &[u8], chain: &Chain) -> bool {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Err(error)) => text.starts_with(b"{") && error.is_eof(),
        Some(Ok(_)) => {
            let (json, rest) = text.split_at(values.byte_offset());
            [chain.next(json).0, checksum(&[json])].iter().any(|sum| format!(" {sum}").as_bytes().starts_with(rest))
        }
        None => true,
    }
}

/// The JSON of a line, and its checksum if there is one.
fn split(line: &[u8]) -> (&[u8], Option<&[u8]>) {
    let at = line.len().saturating_sub(2 * SUM);
    let (json, sum) = line.split_at(at);
    match json.strip_suffix(b" ") {
        Some(json) if sum.len() == 2 * SUM && sum.iter().all(u8::is_ascii_hexdigit) => (json, Some(sum)),
        _ => (line, None),
    }
}

#[cfg(test)]
mod tests {
    use wattle_model::Name;

    use super::*;
    use crate::content::Content;
    use crate::record::Stored;

    fn early(component: &str, value: &str) -> Record {
        let stored = Stored { content: Content::Value(value.into()), recipients: Vec::new() };
        Record::Early { component: component.into(), output: "o".into(), stored }
    }

    fn gone(component: &str) -> Record {
        Record::Gone { component: Name::from(component) }
    }

    fn journal(records: &[Record]) -> Vec<u8> {
        let mut chain = Chain::default();
        records.iter().flat_map(|record| encode(&mut chain, record)).collect()
    }

    /// Where its lines end.
    fn ends(text: &[u8]) -> Vec<usize> {
        text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect()
    }

    /// A line as earlier versions wrote it: without a checksum, or with one of the line alone.
    fn of_before(record: &Record, has_sum: bool) -> Vec<u8> {
        let mut line = serde_json::to_vec(record).unwrap();
        if has_sum {
            let sum = format!(" {}", checksum(&[&line]));
            line.extend_from_slice(sum.as_bytes());
        }
        line.push(b'\n');
        line
    }

    #[test]
    fn a_cut_anywhere_in_the_last_line_is_no_damage() {
        let strange = early("b", "\u{0} \u{e4} \u{1f980} \" \\ 1.5e-7 \u{7f}");
        for text in [journal(&[early("a", "x"), strange.clone()]), journal(&[gone("a"), gone("b")])] {
            let ends = ends(&text);
            for cut in ends[0]..ends[1] {
                let replayed = replay(&text[..cut]).unwrap();
                assert_eq!((replayed.whole, replayed.lines), (ends[0], 1), "cut at {cut}");
            }
            assert_eq!(replay(&text).unwrap().lines, 2);
        }
        for has_sum in [false, true] {
            let text = [of_before(&gone("a"), has_sum), of_before(&strange, has_sum)].concat();
            for cut in ends(&text)[0]..text.len() {
                assert_eq!(replay(&text[..cut]).unwrap().lines, 1, "cut at {cut}");
            }
        }
    }

    #[test]
    fn a_change_of_any_bit_is_damage() {
        for records in [vec![early("a", "x"), early("b", "y"), gone("a")], vec![early("a", "J*b")]] {
            let text = journal(&records);
            let ends = ends(&text);
            for (at, bit) in (0..text.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
                let mut changed = text.clone();
                changed[at] ^= 1 << bit;
                let line = ends.iter().position(|end| at < *end).unwrap() + 1;
                let damaged = replay(&changed).expect_err(&format!("byte {at}, bit {bit}"));
                assert_eq!(damaged.line, line, "byte {at}, bit {bit}");
            }
        }
    }

    #[test]
    fn a_line_that_is_missing_or_comes_twice_is_damage() {
        let text = journal(&[early("a", "x"), gone("b"), gone("c")]);
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let damaged = replay(&[lines[0], lines[2]].concat()).unwrap_err();
        assert_eq!(
            damaged.to_string(),
            "line 2 is damaged: its checksum is of another text, or a line before it is missing"
        );
        assert_eq!(replay(&[lines[1], lines[2]].concat()).unwrap_err().line, 1);
        assert_eq!(replay(&[lines[0], lines[1], lines[1], lines[2]].concat()).unwrap_err().line, 3);
        assert_eq!(replay(&[lines[0], lines[2], lines[1]].concat()).unwrap_err().line, 2);
    }

    #[test]
    fn lines_of_former_versions_are_read_before_all_others() {
        let before = [of_before(&gone("a"), false), of_before(&gone("b"), true)].concat();
        let mut chain = replay(&before).unwrap().chain;
        let text = [&before[..], &encode(&mut chain, &gone("c"))].concat();
        let replayed = replay(&text).unwrap();
        assert_eq!((replayed.lines, replayed.chain), (3, chain));
        let damaged = |line: usize, reason: &str| Damaged { line, reason: reason.to_owned() };
        let added = |has_sum| replay(&[&text[..], &of_before(&gone("d"), has_sum)].concat()).unwrap_err();
        assert_eq!(added(false), damaged(4, "it has no checksum"));
        assert_eq!(added(true), damaged(4, "its checksum does not cover the lines before it"));
        // From then on, no earlier line can change.
        let changed = String::from_utf8(text).unwrap().replacen("\"a\"", "\"b\"", 1);
        assert_eq!(replay(changed.as_bytes()).unwrap_err().line, 3);
    }

    #[test]
    fn blocks_that_never_came_to_the_disk_are_a_tear_at_the_end_only() {
        let long = early("b", &"y".repeat(3 * BLOCK));
        let text = journal(&[early("a", "x"), long, gone("a")]);
        let ends = ends(&text);
        let torn = |from: usize, to: usize, end: usize| {
            let mut torn = text[..end].to_vec();
            torn[from..to].fill(0);
            replay(&torn).map(|replayed| replayed.lines)
        };
        for (from, to) in [(ends[0], BLOCK), (BLOCK, 2 * BLOCK), (2 * BLOCK, ends[1]), (ends[0], ends[1])] {
            assert_eq!(torn(from, to, ends[1]), Ok(1), "{from} to {to}");
        }
        // Two lines that were written together.
        assert_eq!(torn(2 * BLOCK, text.len(), text.len()), Ok(1));
        assert_eq!(torn(ends[1], text.len(), text.len()), Ok(2));
        // Zeros elsewhere, or followed by complete lines.
        for (from, to) in [(ends[0] + 1, BLOCK), (ends[0], BLOCK - 1), (BLOCK, BLOCK + 1), (2 * BLOCK + 1, ends[1])] {
            assert_eq!(torn(from, to, ends[1]).unwrap_err().line, 2, "{from} to {to}");
        }
        assert_eq!(torn(BLOCK, 2 * BLOCK, text.len()).unwrap_err().line, 2);
    }
}
