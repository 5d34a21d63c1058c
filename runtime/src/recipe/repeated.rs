//! Lines that a recipe prints again and again, one behind the other: said once, and counted.

/// The last line, and how often it came again since it was said.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    last: String,
    again: u64,
}

impl Repeated {
    /// Gives what is to be said when `line` comes: nothing if it is the last one again, else how often that came, and the line.
    pub(super) fn push(&mut self, line: String, sink: &mut impl FnMut(String)) {
        if line == self.last && !line.trim().is_empty() {
            self.again += 1;
            return;
        }
        self.finish(sink);
        line.clone_into(&mut self.last);
        sink(line);
    }

    /// Gives how often the last line came again, if it did.
    pub(super) fn finish(&mut self, sink: &mut impl FnMut(String)) {
        match std::mem::take(&mut self.again) {
            0 => {}
            // A count would take no less room.
            1 => sink(self.last.clone()),
            many => sink(format!("(the same {many} times more)")),
        }
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
}
