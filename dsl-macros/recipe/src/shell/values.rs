//! The possible texts of a word, from all assignments of the script, in any order.

use std::collections::{BTreeMap, BTreeSet};

use super::word::{Part, Word};
use crate::names::OUTPUTS_PATH;
use crate::texts::{FOLDER, HERE, OUTPUTS, SOME_FOLDER, UNKNOWN, VALUES, product};

/// The maximum depth to which variables that refer to others are followed.
const DEPTH: u32 = 32;

#[derive(Debug, Default)]
pub(super) struct Values {
    assigned: BTreeMap<String, Vec<Assigned>>,
    known: BTreeMap<String, Vec<String>>,
    underway: BTreeSet<String>,
}

#[derive(Debug)]
enum Assigned {
    Word(Word),
    /// Items of a `for` loop or an array: an unquoted word is split at blanks.
    Items(Word),
    Unknown,
}

impl Values {
    pub(super) fn assign(&mut self, name: &str, word: Word) {
        self.add(name, Assigned::Word(word));
    }

    pub(super) fn assign_items(&mut self, name: &str, word: Word) {
        self.add(name, Assigned::Items(word));
    }

    pub(super) fn assign_unknown(&mut self, name: &str) {
        self.add(name, Assigned::Unknown);
    }

    /// The variables that have assignments.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.assigned.keys().map(String::as_str)
    }

    /// The words assigned to a variable, unexpanded.
    pub(super) fn assigned_words(&self, name: &str) -> impl Iterator<Item = &Word> {
        self.assigned.get(name).into_iter().flatten().filter_map(|assigned| match assigned {
            Assigned::Word(word) | Assigned::Items(word) => Some(word),
            Assigned::Unknown => None,
        })
    }

    fn add(&mut self, name: &str, assigned: Assigned) {
        self.assigned.entry(name.to_owned()).or_default().push(assigned);
    }

    /// Every text that a word may become, with [`UNKNOWN`] and [`OUTPUTS`] in it; never empty.
    pub(super) fn of(&mut self, word: &Word) -> Vec<String> {
        let texts = self.of_word(word, 0);
        texts.into_iter().map(|text| text.replace([FOLDER, SOME_FOLDER, HERE], "\0")).collect()
    }

    /// The same, with [`FOLDER`], [`SOME_FOLDER`] and [`HERE`] in it.
    pub(super) fn placed(&mut self, word: &Word) -> Vec<String> {
        self.of_word(word, 0)
    }

    fn of_word(&mut self, word: &Word, depth: u32) -> Vec<String> {
        let mut texts = vec![String::new()];
        for part in &word.parts {
            let values = match part {
                Part::Text { text, .. } => vec![text.clone()],
                Part::Script(_) | Part::Process { .. } | Part::Unknown => vec![UNKNOWN.into()],
                Part::Folder { is_sure } => vec![if *is_sure { FOLDER } else { SOME_FOLDER }.into()],
                Part::Var(name) => self.of_variable(name, depth),
            };
            texts = product(&texts, &values);
        }
        texts
    }

    fn of_variable(&mut self, name: &str, depth: u32) -> Vec<String> {
        if name == OUTPUTS_PATH {
            return vec![OUTPUTS.into()];
        }
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        match name {
            "PWD" if !self.assigned.contains_key(name) => return vec![HERE.into()],
            // The recipe's files are beside it, and it is the working directory.
            "WATTLE_RUN_DIR" => return vec![format!("{HERE}/..")],
            _ => {}
        }
        if depth >= DEPTH || !self.underway.insert(name.to_owned()) {
            return vec![UNKNOWN.into()];
        }
        let assigned = self.assigned.remove(name).unwrap_or_default();
        let mut values = BTreeSet::new();
        for one in &assigned {
            match one {
                Assigned::Word(word) => values.extend(self.of_word(word, depth + 1)),
                Assigned::Items(word) => values.extend(self.items(word, depth + 1)),
                Assigned::Unknown => drop(values.insert(UNKNOWN.into())),
            }
        }
        if !assigned.is_empty() {
            self.assigned.insert(name.to_owned(), assigned);
        }
        if values.is_empty() || values.len() > VALUES {
            values = BTreeSet::from([UNKNOWN.into()]);
        }
        self.underway.remove(name);
        let values: Vec<String> = values.into_iter().collect();
        self.known.insert(name.to_owned(), values.clone());
        values
    }

    fn items(&mut self, word: &Word, depth: u32) -> Vec<String> {
        let quoted = word.parts.iter().any(|part| matches!(part, Part::Text { quoted: true, .. }));
        let texts = self.of_word(word, depth);
        if quoted {
            return texts;
        }
        let mut items = Vec::new();
        for text in texts {
            if text.contains(['*', '?', '[', '{']) {
                items.push(UNKNOWN.into());
            } else {
                items.extend(text.split_ascii_whitespace().map(str::to_owned));
            }
        }
        items
    }
}
