//! Colours, and columns.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};
use wattle::diagram::State;
use wattle::shown::one_line;

/// The role of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Head,
    Good,
    Busy,
    Waiting,
    Bad,
    Blocked,
    Faint,
}

impl Tone {
    /// The tone of a component's state.
    pub(super) fn of(state: State) -> Self {
        match state {
            State::Waiting => Self::Waiting,
            State::Running => Self::Busy,
            State::Done => Self::Good,
            State::Failed => Self::Bad,
            State::Blocked => Self::Blocked,
        }
    }

    fn style(self) -> Style {
        let color = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        match self {
            Self::Plain => Style::new(),
            Self::Head => Style::new().bold(),
            Self::Good => color(AnsiColor::Green),
            Self::Busy => color(AnsiColor::Cyan),
            Self::Waiting => color(AnsiColor::Yellow),
            Self::Bad => color(AnsiColor::Red).bold(),
            Self::Blocked => color(AnsiColor::Red).dimmed(),
            Self::Faint => Style::new().dimmed(),
        }
    }
}

/// Paints `text` in a tone, if `color` is set.
pub(super) fn paint(text: &str, tone: Tone, color: bool) -> String {
    if !color || tone == Tone::Plain || text.is_empty() {
        return text.to_owned();
    }
    let style = tone.style();
    format!("{style}{text}{style:#}")
}

/// A cell of a row.
pub(super) type Cell = (String, Tone);

/// Formats rows whose columns are as wide as their widest cell. The last column has any width, and is cut at `width`.
/// Each row is one line, whatever it contains.
pub(super) fn table(rows: &[Vec<Cell>], color: bool, width: usize) -> String {
    let in_one_line = |(text, tone): &Cell| (one_line(text), *tone);
    let rows: Vec<Vec<Cell>> = rows.iter().map(|row| row.iter().map(in_one_line).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let size = |text: &str| text.chars().count();
    let widths: Vec<usize> = (0..columns)
        .map(|i| rows.iter().filter_map(|row| row.get(i)).map(|(text, _)| size(text)).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        let mut column = 0;
        for (i, (text, tone)) in row.iter().enumerate() {
            let room = width.saturating_sub(column).max(8);
            let text = cut(text, room);
            let is_last = row[i + 1..].iter().all(|(text, _)| text.is_empty());
            line.push_str(&paint(&text, *tone, color));
            if is_last {
                break;
            }
            let gap = widths[i].saturating_sub(size(&text)) + 2;
            line.push_str(&" ".repeat(gap));
            column += size(&text) + gap;
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// The maximum number of characters of a server's text in a row, unless the terminal is narrower.
const SAID: usize = 1_000;

/// The width of `text` in columns, without colours.
pub(super) fn columns(text: &str) -> usize {
    let mut parts = text.split('\x1b');
    let first = parts.next().map_or(0, |plain| plain.chars().count());
    let after = |part: &str| part.split_once('m').map_or(0, |(_, plain)| plain.chars().count());
    first + parts.map(after).sum::<usize>()
}

/// Shortens a server's text to one row.
pub(super) fn said(text: &str) -> String {
    cut(&one_line(&text.chars().take(SAID + 1).collect::<String>()), SAID)
}

/// Cuts `text` to `room` columns.
pub(super) fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

/// The width of the terminal in columns. Without one, more than any terminal has.
pub(super) fn width(is_terminal: bool) -> usize {
    if !is_terminal {
        return usize::MAX / 2;
    }
    rustix::termios::tcgetwinsize(std::io::stderr()).map_or(100, |size| usize::from(size.ws_col).max(40))
}
