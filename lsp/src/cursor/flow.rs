//! Flow collections, in brackets.

use super::{Found, Place, Scanner, Step, word};

/// An open bracket.
enum Open {
    /// A map, and whether a key was read whose value comes next.
    Map(bool),
    /// A list: its finished items, and the word of the present one.
    List(Vec<String>, String),
}

impl Scanner<'_> {
    /// Reads the collection that begins at a byte, and belongs to a key in column `column`. If its brackets are not
    /// closed, it ends with the next line that is indented no further than that.
    pub(super) fn flow(&mut self, start: usize, column: usize) -> Found {
        let frames = self.frames.len();
        let found = self.brackets(start, column);
        self.frames.truncate(frames);
        found
    }

    fn brackets(&mut self, start: usize, column: usize) -> Found {
        let mut open: Vec<Open> = Vec::new();
        let mut at = start;
        loop {
            let rest = &self.text[at..];
            if self.cursor <= at && !open.is_empty() {
                return self.in_brackets(&open, self.cursor..self.cursor, false);
            }
            let Some(first) = rest.bytes().next() else { return Found::Behind(at) };
            match first {
                // The colon after a quoted key was read with the key.
                b' ' | b'\t' | b'\r' | b':' => at += 1,
                b'\n' => match self.next_line(at + 1, column) {
                    Some(line) => at = line,
                    None => return Found::Behind(at + 1),
                },
                b'#' => {
                    let end = rest.find('\n').map_or(self.text.len(), |length| at + length);
                    if self.cursor <= end {
                        return Found::Nowhere;
                    }
                    at = end;
                }
                b'{' => {
                    open.push(Open::Map(false));
                    at += 1;
                }
                b'[' => {
                    open.push(Open::List(Vec::new(), String::new()));
                    self.push(0, Step::Item(Vec::new()));
                    at += 1;
                }
                b'}' | b']' => {
                    if let Some(Open::List(..) | Open::Map(true)) = open.pop() {
                        self.frames.pop();
                    }
                    at += 1;
                    if open.is_empty() {
                        return if self.cursor < at { Found::Nowhere } else { Found::Behind(at) };
                    }
                }
                b',' => {
                    self.next(open.last_mut());
                    at += 1;
                }
                _ => {
                    let word = word(rest, true);
                    let inner = at + word.inner.start..at + word.inner.end;
                    let awaits_key = matches!(open.last(), Some(Open::Map(false)));
                    if self.cursor <= at + word.end {
                        return if self.cursor < inner.start {
                            Found::Nowhere
                        } else {
                            let end = inner.end.max(self.cursor);
                            self.in_brackets(&open, inner.start..end, awaits_key && word.colon.is_some())
                        };
                    }
                    let text = self.text[inner].to_owned();
                    at += word.end.max(1);
                    match (open.last_mut(), word.colon) {
                        (Some(Open::Map(has_key @ false)), Some(colon)) => {
                            *has_key = true;
                            self.push(0, Step::Key(text));
                            at = at - word.end.max(1) + colon + 1;
                            if self.cursor <= at {
                                return Found::Nowhere;
                            }
                        }
                        (Some(Open::List(_, last)), _) => *last = text,
                        _ => {}
                    }
                }
            }
        }
    }

    /// A comma ends an item or a value.
    fn next(&mut self, open: Option<&mut Open>) {
        match open {
            Some(Open::Map(has_key @ true)) => {
                *has_key = false;
                self.frames.pop();
            }
            Some(Open::List(before, word)) => {
                before.push(std::mem::take(word));
                self.frames.pop();
                self.push(0, Step::Item(before.clone()));
            }
            Some(Open::Map(false)) | None => {}
        }
    }

    /// The next line if it still belongs to the collection.
    fn next_line(&self, start: usize, column: usize) -> Option<usize> {
        let line = self.text[start..].lines().next().unwrap_or_default();
        let indent = line.len() - line.trim_start_matches(' ').len();
        let closes = line.trim_start().starts_with(['}', ']']);
        let is_cursors = (start..=start + line.len()).contains(&self.cursor);
        let belongs = closes || indent > column || (line.trim().is_empty() && !is_cursors);
        (belongs && start < self.text.len()).then_some(start)
    }

    fn in_brackets(&self, open: &[Open], word: std::ops::Range<usize>, is_key: bool) -> Found {
        let place = if matches!(open.last(), Some(Open::Map(false))) { Place::Key } else { Place::Value };
        self.here(place, word, is_key)
    }
}
