//! Notes for the reader of a crate, with equal notes combined.

use std::fmt;

use wattle::model::Source;
use wattle::shown::one_line;

/// The maximum number of places of a note that are shown.
const SHOWN: usize = 5;

/// A note for the reader of an imported crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The text: lowercase, one sentence, true at each of the places.
    pub text: String,
    /// The places that it applies to, each with the part of the template that is there.
    pub places: Vec<(Source, String)>,
}

impl Note {
    pub(super) fn new(at: Source, subject: String, text: String) -> Self {
        Self { text, places: vec![(at, one_line(&subject))] }
    }

    /// Combines notes with the same text.
    pub(super) fn gathered(notes: Vec<Self>) -> Vec<Self> {
        let mut gathered: Vec<Self> = Vec::new();
        for note in notes {
            match gathered.iter_mut().find(|known| known.text == note.text) {
                Some(known) => known.places.extend(note.places),
                None => gathered.push(note),
            }
        }
        gathered
    }
}

/// The note for people, with the first of its places.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "note: {}", self.text)?;
        for (at, subject) in self.places.iter().take(SHOWN) {
            writeln!(f, "  --> {at}: {subject}")?;
        }
        match self.places.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => writeln!(f, "  ... and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_is_one_note() {
        let at = |line| Source { file: "t.yaml".into(), line, column: 3 };
        let notes = (1..=7).map(|n| Note::new(at(n), format!("`r{n}`"), "it is old".into()));
        let notes = Note::gathered(notes.chain([Note::new(at(9), "`x`".into(), "it is new".into())]).collect());
        let shown: Vec<String> = notes.iter().map(ToString::to_string).collect();
        let old = "note: it is old\n  --> t.yaml:1:3: `r1`\n  --> t.yaml:2:3: `r2`\n  --> t.yaml:3:3: `r3`\n  --> \
                   t.yaml:4:3: `r4`\n  --> t.yaml:5:3: `r5`\n  ... and 2 more\n";
        assert_eq!(shown, [old, "note: it is new\n  --> t.yaml:9:3: `x`\n"]);
    }
}
