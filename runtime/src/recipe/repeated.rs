//! Repeated lines of a recipe's output, single or in groups: they are logged once or twice, and counted.
//!
//! A single line is counted from the second time on. A group of lines is printed twice: only then is the repetition
//! apparent, and nothing is held back before.

use std::collections::VecDeque;

/// The maximum number of lines that are recognized as a repeated group.
const LONGEST: usize = 8;

/// The last lines, and the repeated ones.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    /// The last lines, twice as many as a group may have.
    recent: VecDeque<String>,
    /// The repeated lines; empty if there is no repetition.
    block: Vec<String>,
    /// The position within the current repetition.
    at: usize,
    /// How many times they were repeated since they were logged.
    again: u64,
}

impl Repeated {
    /// Passes to `sink` what to log for `line`: nothing if it is a repetition, otherwise the count of preceding
    /// repetitions, and the line.
    pub(super) fn push(&mut self, line: String, sink: &mut impl FnMut(String)) {
        if !self.block.is_empty() {
            if self.block[self.at] == line {
                self.remember(line);
                self.at += 1;
                if self.at == self.block.len() {
                    (self.at, self.again) = (0, self.again + 1);
                }
                return;
            }
            self.finish(sink);
        }
        if self.recent.back() == Some(&line) && !line.trim().is_empty() {
            self.block.push(line.clone());
            self.again = 1;
            self.remember(line);
            return;
        }
        sink(line.clone());
        self.remember(line);
        self.block = self.twice().unwrap_or_default();
    }

    /// Passes on the count of the last repetitions, if there are any.
    pub(super) fn finish(&mut self, sink: &mut impl FnMut(String)) {
        let block = std::mem::take(&mut self.block);
        match (std::mem::take(&mut self.again), block.len()) {
            (0, _) => {}
            // A count would be just as long.
            (1, 1) => sink(block[0].clone()),
            (many, 1) => sink(format!("(the same {many} times more)")),
            (1, lines) => sink(format!("(the same {lines} lines once more)")),
            (many, lines) => sink(format!("(the same {lines} lines {many} times more)")),
        }
        block.into_iter().take(std::mem::take(&mut self.at)).for_each(sink);
    }

    fn remember(&mut self, line: String) {
        if self.recent.len() == 2 * LONGEST {
            self.recent.pop_front();
        }
        self.recent.push_back(line);
    }

    /// The smallest group of lines that has just occurred for the second time.
    fn twice(&self) -> Option<Vec<String>> {
        let lines = self.recent.len();
        let last = |count: usize| self.recent.range(lines - count..);
        let length = (2..=lines / 2).find(|&count| {
            let before = self.recent.range(lines - 2 * count..lines - count);
            before.eq(last(count)) && last(count).any(|line| !line.trim().is_empty())
        })?;
        Some(last(length).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Repeated;

    fn said(lines: &[&str]) -> Vec<String> {
        let (mut repeated, mut said) = (Repeated::default(), Vec::new());
        let mut sink = |line| said.push(line);
        lines.iter().for_each(|line| repeated.push((*line).to_owned(), &mut sink));
        repeated.finish(&mut sink);
        said
    }

    #[test]
    fn a_line_that_comes_again_is_counted() {
        assert_eq!(said(&["a", "b", "b", "b", "c", "c"]), ["a", "b", "(the same 2 times more)", "c", "c"]);
        assert_eq!(said(&["b"; 16]), ["b", "(the same 15 times more)"]);
        assert_eq!(said(&["", "", "a", "b", "a"]), ["", "", "a", "b", "a"], "others and empty ones stay");
    }

    #[test]
    fn lines_that_come_again_together_are_counted() {
        assert_eq!(said(&["a", "b"].repeat(16)), ["a", "b", "a", "b", "(the same 2 lines 14 times more)"]);
        assert_eq!(said(&["x", "a", "", "b", "a", "", "b", "a", "", "b", "y"]).last().unwrap(), "y");
        let broken = ["a", "b", "a", "b", "a", "b", "a", "c"];
        assert_eq!(said(&broken), ["a", "b", "a", "b", "(the same 2 lines once more)", "a", "c"]);
        assert_eq!(said(&["a", "b", "a", "b", "a", "c"]), ["a", "b", "a", "b", "a", "c"], "nothing is lost");
        let inner = ["a", "a", "b"].repeat(10);
        assert_eq!(said(&inner).last().unwrap(), "(the same 3 lines 8 times more)");
        let long: Vec<String> = (0..9).map(|number| number.to_string()).collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        assert_eq!(said(&long.repeat(3)).len(), 27, "only short ones are looked for");
    }

    #[test]
    fn what_is_said_tells_what_came() {
        let lines =
            ["a", "b", "a", "b", "a", "b", "b", "b", "a", "a", "b", "a", "b", "a", "c", "b", "a", "c", "b", "a"];
        for end in 0..lines.len() {
            let mut counted = 0;
            for line in said(&lines[..end]) {
                let words: Vec<&str> = line.split(' ').collect();
                let number = |at: usize| words.get(at).and_then(|word: &&str| word.parse::<usize>().ok());
                counted += match (number(2), words.get(3)) {
                    (Some(many), Some(&"times")) => many,
                    (Some(lines), _) => lines * number(4).unwrap_or(1),
                    _ => 1,
                };
            }
            assert_eq!(counted, end);
        }
    }
}
