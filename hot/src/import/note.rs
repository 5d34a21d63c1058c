//! What a reader of a crate should know, each kind of it once.

use std::fmt;

use wattle::model::Source;
use wattle::shown::one_line;

/// How many places are shown of a note.
const SHOWN: usize = 5;

/// What a reader of an imported crate should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The note: lowercase, one sentence, true of each of the places.
    pub text: String,
    /// Where it is so, and what of the template that is.
    pub places: Vec<(Source, String)>,
}

impl Note {
    pub(super) fn new(at: Source, subject: String, text: String) -> Self {
        Self { text, places: vec![(at, one_line(&subject))] }
    }

    /// The notes with those of one text made one.
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

/// As a person reads it: the note, and the first of its places.
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
