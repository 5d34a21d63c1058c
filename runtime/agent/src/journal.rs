//! A journal's lines as bytes.
//!
//! Each line is the JSON of a [`Record`], a space, and a checksum of the JSON: 16 hexadecimal digits of its SHA-256. Lines
//! of former versions have no checksum, and stand before all that have one.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::hex;
use crate::memory::Memory;
use crate::record::Record;

/// Bytes of a checksum.
const SUM: usize = 8;

/// A record as a line of a journal.
///
/// # Panics
/// Never: a record is JSON.
pub fn encode(record: &Record) -> Vec<u8> {
    let mut line = serde_json::to_vec(record).expect("INVARIANT: a record is JSON");
    let sum = checksum(&line);
    line.push(b' ');
    line.extend_from_slice(sum.as_bytes());
    line.push(b'\n');
    line
}

fn checksum(json: &[u8]) -> String {
    hex(&Sha256::digest(json)[..SUM])
}

/// What a journal amounts to.
#[derive(Debug, Default)]
pub struct Replayed {
    /// What its records say.
    pub memory: Memory,
    /// Bytes that are whole lines. What is behind them is of a line that was cut off by a crash.
    pub whole: usize,
    /// How many lines these are.
    pub lines: usize,
}

/// A line of a journal does not say what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Which line, from 1.
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

/// Why a line is no record.
enum Bad {
    /// It may have been cut off.
    Torn(String),
    /// It was written whole, and has changed since.
    Changed(&'static str),
}

/// Reads a journal. What was written last may have been cut off by a crash, which is no damage.
///
/// # Errors
/// When a line is damaged: without it, finished components would run again.
pub fn replay(text: &[u8]) -> Result<Replayed, Damaged> {
    let mut replayed = Replayed::default();
    let mut bad: Option<Damaged> = None;
    let (mut end, mut summed) = (0, false);
    for (at, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        end += line.len();
        // A line without its end is the last, and was cut off.
        let Some(line) = line.strip_suffix(b"\n") else { break };
        let damaged = |reason| Damaged { line: at + 1, reason };
        match read(line, &mut summed) {
            Ok(record) => {
                // A crash tears nothing but what was written last.
                if let Some(damaged) = bad {
                    return Err(damaged);
                }
                replayed.memory.note(record);
                replayed.whole = end;
                replayed.lines += 1;
            }
            Err(Bad::Changed(reason)) => return Err(bad.unwrap_or_else(|| damaged(reason.to_owned()))),
            Err(Bad::Torn(reason)) => {
                bad.get_or_insert_with(|| damaged(reason));
            }
        }
    }
    Ok(replayed)
}

/// The record in a line; `summed` says whether one before had a checksum.
fn read(line: &[u8], summed: &mut bool) -> Result<Record, Bad> {
    let (json, sum) = split(line);
    let parsed = serde_json::from_slice(json).map_err(|error| Bad::Torn(error.to_string()));
    match sum {
        // Pages of a line that never came to the disk are zeros.
        Some(sum) if sum != checksum(json).as_bytes() && !line.contains(&0) => {
            Err(Bad::Changed("its checksum is of another text"))
        }
        None if *summed && parsed.is_ok() => Err(Bad::Changed("it has no checksum")),
        _ => {
            *summed |= sum.is_some();
            parsed
        }
    }
}

/// The JSON of a line, and its checksum if it has one.
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
        records.iter().flat_map(encode).collect()
    }

    #[test]
    fn a_cut_anywhere_in_the_last_line_is_no_damage() {
        let (first, last) = (encode(&early("a", "x")), encode(&early("b", "y")));
        for cut in 0..last.len() {
            let text = [&first[..], &last[..cut]].concat();
            let replayed = replay(&text).unwrap();
            assert_eq!((replayed.whole, replayed.lines), (first.len(), 1), "cut at {cut}");
        }
        let whole = replay(&[first, last].concat()).unwrap();
        assert_eq!(whole.lines, 2);
    }

    #[test]
    fn a_change_of_any_byte_is_damage_or_a_cut() {
        let lines = [early("a", "x"), early("b", "y"), gone("a")];
        let text = journal(&lines);
        let ends: Vec<usize> = lines
            .iter()
            .scan(0, |end, line| {
                *end += encode(line).len();
                Some(*end)
            })
            .collect();
        for at in 0..ends[1] {
            let mut changed = text.clone();
            changed[at] ^= 1;
            let line = ends.iter().position(|end| at < *end).unwrap() + 1;
            let damaged = replay(&changed).expect_err(&format!("byte {at}"));
            assert_eq!(damaged.line, line, "byte {at}");
        }
        let value = text.len() - "}} 0123456789abcdef\n".len() - 2;
        let mut changed = text;
        changed[value] ^= 1;
        let damaged = replay(&changed).unwrap_err();
        assert_eq!(damaged.to_string(), "line 3 is damaged: its checksum is of another text");
    }

    #[test]
    fn lines_of_former_versions_are_read_before_those_with_a_checksum() {
        let plain = |record: &Record| [serde_json::to_vec(record).unwrap(), b"\n".to_vec()].concat();
        let (old, new) = (plain(&early("a", "x")), encode(&early("b", "y")));
        assert_eq!(replay(&[&old[..], &new].concat()).unwrap().lines, 2);
        let damaged = replay(&[&new[..], &old].concat()).unwrap_err();
        assert_eq!(damaged, Damaged { line: 2, reason: "it has no checksum".to_owned() });
        // One that was cut off where its checksum begins.
        let cut = &new[..new.len() - 2 * SUM - 2];
        assert_eq!(replay(&[&new[..], cut].concat()).unwrap().lines, 1);
    }

    #[test]
    fn pages_that_never_came_to_the_disk_are_a_cut_at_the_end_only() {
        let (first, mut last) = (encode(&early("a", "x")), encode(&early("b", "y")));
        last[..20].fill(0);
        assert_eq!(replay(&[&first[..], &last].concat()).unwrap().lines, 1);
        assert_eq!(replay(&[&first[..], &last, &first].concat()).unwrap_err().line, 2);
    }
}
