//! A few lines at the bottom of a terminal that are redrawn, below the lines that stay.

/// The drawn lines. The cursor is at the beginning of the line below them.
///
/// So anything that the terminal itself writes, such as `^C`, is also below them, and is removed with them.
#[derive(Debug, Default)]
pub(super) struct Screen {
    lines: Vec<String>,
}

impl Screen {
    /// Shows `lines` in place of the present ones. None may be wider than the terminal.
    pub(super) fn draw(&mut self, lines: Vec<String>) -> String {
        if lines == self.lines {
            return String::new();
        }
        let mut text = self.clear();
        self.lines = lines;
        self.lines.iter().for_each(|line| text.extend([line, "\n"]));
        text
    }

    /// Inserts a line above, which stays.
    pub(super) fn say(&mut self, line: &str) -> String {
        let lines = std::mem::take(&mut self.lines);
        let mut text = clear(lines.len());
        text.extend([line, "\n"]);
        text + &self.draw(lines)
    }

    /// Removes the lines.
    pub(super) fn clear(&mut self) -> String {
        clear(std::mem::take(&mut self.lines).len())
    }
}

/// Moves up by this many lines, and clears from there to the end.
fn clear(lines: usize) -> String {
    // Moving up by 0 would move up by 1.
    let up = if lines == 0 { String::new() } else { format!("\x1b[{lines}A") };
    format!("\r{up}\x1b[J")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The content of a terminal of unlimited height.
    #[derive(Default)]
    struct Terminal {
        rows: Vec<String>,
        row: usize,
        column: usize,
    }

    impl Terminal {
        fn write(&mut self, text: &str) {
            let mut rest = text;
            while let Some(c) = rest.chars().next() {
                rest = &rest[c.len_utf8()..];
                match c {
                    '\r' => self.column = 0,
                    '\n' => (self.row, self.column) = (self.row + 1, 0),
                    '\x1b' => {
                        let end = rest.find(|c: char| c.is_ascii_alphabetic()).expect("a whole sequence");
                        match rest[1..=end].split_at(end - 1) {
                            (up, "A") => self.row -= up.parse::<usize>().expect("a number"),
                            ("", "J") => {
                                self.rows.truncate(self.row + 1);
                                if let Some(row) = self.rows.get_mut(self.row) {
                                    row.truncate(self.column);
                                }
                            }
                            other => panic!("{other:?}"),
                        }
                        rest = &rest[end + 1..];
                    }
                    c => {
                        self.rows.resize(self.rows.len().max(self.row + 1), String::new());
                        self.rows[self.row].truncate(self.column);
                        self.rows[self.row].push(c);
                        self.column += 1;
                    }
                }
            }
        }

        fn shown(&self) -> Vec<&str> {
            self.rows.iter().map(String::as_str).filter(|row| !row.is_empty()).collect()
        }
    }

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn nothing_of_it_is_left_behind() {
        let (mut screen, mut terminal) = (Screen::default(), Terminal::default());
        terminal.write("$ wattle up\n");
        terminal.write(&screen.draw(lines(&["shop", "  db", "  web"])));
        terminal.write(&screen.draw(lines(&["shop, done", "  db"])));
        assert_eq!(terminal.shown(), ["$ wattle up", "shop, done", "  db"]);
        assert_eq!(screen.draw(lines(&["shop, done", "  db"])), "");
        terminal.write(&screen.say("! an agent has ended"));
        assert_eq!(terminal.shown(), ["$ wattle up", "! an agent has ended", "shop, done", "  db"]);
        // As a terminal echoes typed characters.
        terminal.write("^C");
        terminal.write(&screen.clear());
        terminal.write(&screen.clear());
        terminal.write("stopping shop ...");
        assert_eq!(terminal.shown(), ["$ wattle up", "! an agent has ended", "stopping shop ..."]);
    }
}
