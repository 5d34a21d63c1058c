//! Edits a template's text and preserves everything else, comments included.

use wattle_heat::yaml::{Node, Place, Tree, read};
use wattle_model::Value;

/// A text, and the edits to it.
pub(super) struct Text<'t> {
    whole: &'t str,
    /// Where each line begins.
    lines: Vec<usize>,
    edits: Vec<(usize, usize, String)>,
}

impl<'t> Text<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { whole: text, lines, edits: Vec::new() }
    }

    fn offset(&self, place: Place) -> Option<usize> {
        let start = *self.lines.get(place.line as usize)?;
        let line = &self.whole[start..];
        line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(place.column as usize).map(|at| start + at)
    }

    /// Whether a value is written at its place. An alias is not: its value is written at its anchor.
    pub(super) fn stands(&self, node: &Node) -> bool {
        self.offset(node.span.start).is_some_and(|at| !self.whole[at..].starts_with('*'))
    }

    /// Sets `key` of a map that is written here to a text. `None` if that is impossible.
    pub(super) fn set(&mut self, map: &Node, key: &str, value: &str) -> Option<()> {
        let there = map.get(key);
        let Some(there) = there else { return self.insert(map, key, &quoted(value)) };
        let (from, end) = (self.offset(there.span.start)?, self.offset(there.span.end)?);
        let to = from + self.whole.get(from..end)?.trim_end().len();
        self.edits.push((from, to, quoted(value)));
        Some(())
    }

    /// Adds a pair to a map, as its first one. The value must be a single line.
    pub(super) fn insert(&mut self, map: &Node, key: &str, value: &str) -> Option<()> {
        let is_empty = matches!(&*map.tree, Tree::Map(pairs) if pairs.is_empty());
        let at = self.offset(map.span.start)?;
        if self.whole[at..].starts_with('{') {
            let separator = if is_empty { "" } else { ", " };
            self.edits.push((at + 1, at + 1, format!("\"{key}\": {value}{separator}")));
        } else {
            let before = &self.whole[self.lines[map.span.start.line as usize]..at];
            if !before.chars().all(|character| character == ' ') {
                return None;
            }
            // Comments on the first pair stay in front of it.
            let is_said =
                |line: &usize| self.whole[*line..].lines().next().is_none_or(|line| line.trim_start().starts_with('#'));
            let lines = self.lines[..=map.span.start.line as usize].iter().rev();
            let above = lines.skip(1).take_while(|line| is_said(line)).last();
            let at = above.copied().unwrap_or(at - before.len());
            self.edits.push((at, at, format!("{before}{key}: {value}\n")));
        }
        Some(())
    }

    /// The edited text, if its meaning is then `expected`.
    pub(super) fn finish(mut self, expected: &Value) -> Option<String> {
        self.edits.sort_by_key(|(from, ..)| *from);
        let (mut text, mut done) = (String::with_capacity(self.whole.len() + 64 * self.edits.len()), 0);
        for (from, to, new) in &self.edits {
            text += self.whole.get(done..*from)?;
            text += new;
            done = *to;
        }
        text += self.whole.get(done..)?;
        let node = read(&text).ok()?;
        (node.constant() == *expected).then_some(text)
    }
}

/// A text as YAML and JSON write it.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if u32::from(control) < 0x20 => quoted += &format!("\\u{:04x}", u32::from(control)),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets `a.k` of a text to `v:w`.
    fn set(text: &str) -> Option<String> {
        let root = read(text).expect("YAML");
        let map = root.get("a").expect("it is there");
        let mut expected = root.constant();
        let Value::Map(items) = &mut expected else { panic!("a map") };
        let Some(Value::Map(inner)) = items.get_mut("a") else { panic!("a map") };
        inner.insert("k".into(), "v:w".into());
        let mut edited = Text::of(text);
        if !edited.stands(map) {
            return None;
        }
        edited.set(map, "k", "v:w")?;
        edited.finish(&expected)
    }

    #[test]
    fn nothing_else_is_touched() {
        for (text, expected) in [
            ("a:\n  # why\n  b: 1  # one\nc: 2\n", "a:\n  k: \"v:w\"\n  # why\n  b: 1  # one\nc: 2\n"),
            ("a: {b: 1}  # all\n", "a: {\"k\": \"v:w\", b: 1}  # all\n"),
            ("a: {}\n", "a: {\"k\": \"v:w\"}\n"),
            ("{\"a\": {\"k\": \"old\", \"b\": 1}}", "{\"a\": {\"k\": \"v:w\", \"b\": 1}}"),
            ("a:\n  k: old  # what it was\n  b: ü\n", "a:\n  k: \"v:w\"  # what it was\n  b: ü\n"),
            ("a:\n  k: {get_param: zone}\n  b: 1\n", "a:\n  k: \"v:w\"\n  b: 1\n"),
            ("a:\n  k:\n    get_param: zone\n  b: 1\n", "a:\n  k:\n    \"v:w\"\n  b: 1\n"),
            ("a:\n  b: 1\n  k: |\n    old\n", "a:\n  b: 1\n  k: \"v:w\"\n"),
        ] {
            assert_eq!(set(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_stands_elsewhere_is_left_alone() {
        assert_eq!(set("d: &d {b: 1}\na: *d\n"), None, "an alias");
        assert_eq!(set("a: &d {b: 1}\ne: *d\n"), None, "whoever refers to it would change as well");
    }
}
