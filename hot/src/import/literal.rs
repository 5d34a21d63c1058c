//! Text that is too long to be written where it is used.

use wattle::shown::is_unseen;

use super::names::{Names, constant};
use super::rust::{Expr, WIDTH, hashes, quoted};

/// The maximum width of one-line text that is written where it is used.
const SHORT: usize = 60;

/// The maximum number of lines of text that is a constant in the module. Longer text is a file beside it.
const LINES: usize = 12;

/// The constants of a module.
#[derive(Debug, Default)]
pub(super) struct Literals {
    names: Names,
    /// The module's folder below `src`, which holds its files.
    folder: String,
    known: Vec<(String, String)>,
    /// The source of the constants, in order.
    pub(super) items: String,
    /// Files below `src`.
    pub(super) files: Vec<(String, String)>,
}

impl Literals {
    /// The literals of the module whose files are in `folder`.
    pub(super) fn new(folder: &str) -> Self {
        Self { folder: folder.to_owned(), ..Self::default() }
    }

    /// `text` as an expression. `hint` names its purpose: `web.user_data`.
    pub(super) fn text(&mut self, text: &str, hint: &str) -> Expr {
        let is_short = text.chars().count() <= SHORT && text.trim_end_matches('\n').lines().count() <= 1;
        if is_short { Expr::text(text) } else { Expr::atom(self.constant(text, hint)) }
    }

    fn constant(&mut self, text: &str, hint: &str) -> String {
        if let Some((name, _)) = self.known.iter().find(|(_, known)| known == text) {
            return name.clone();
        }
        // The ends of a long path are enough to identify it.
        let words: Vec<&str> = hint.split('.').filter(|word| word.parse::<usize>().is_err()).collect();
        let hint = match words.as_slice() {
            [first, .., last] => format!("{first}.{last}"),
            _ => hint.to_owned(),
        };
        let name = self.names.fresh(constant(&hint));
        self.known.push((name.clone(), text.to_owned()));
        let (lines, is_one) = (text.lines().count(), !text.contains('\n'));
        let value = if is_one {
            quoted(text)
        } else if lines <= LINES && is_readable(text) {
            raw(text)
        } else {
            let path = format!("{}/{}.{}", self.folder, name.to_ascii_lowercase(), extension(text));
            self.files.push((path.clone(), text.to_owned()));
            format!("include_str!({})", quoted(&path))
        };
        let start = format!("const {name}: &str =");
        let first = value.lines().next().unwrap_or_default().chars().count();
        let tail = usize::from(is_one || value.starts_with("include"));
        let is_raw = value.starts_with('r') && value.contains('\n');
        let breaks = !is_raw && start.len() + 1 + first + tail > WIDTH && 4 + first + tail <= WIDTH;
        let space = if breaks { "\n    " } else { " " };
        self.items += &format!("\n{start}{space}{value};\n");
        name
    }
}

/// Whether all of the text is visible in a raw string.
fn is_readable(text: &str) -> bool {
    text.chars().all(|letter| letter == '\n' || letter == '\t' || !letter.is_control())
        && quoted(&text.replace(['\n', '\t'], "")).starts_with(['"', 'r'])
        && !quoted(&text.replace(['\n', '\t', '"', '\\'], "")).contains("\\u")
}

fn raw(text: &str) -> String {
    let hashes = hashes(text);
    if text.contains(['"', '\\']) { format!("r{hashes}\"{text}\"{hashes}") } else { format!("\"{text}\"") }
}

/// The file extension for the text.
fn extension(text: &str) -> &'static str {
    let first = text.lines().next().unwrap_or_default();
    match first {
        _ if first.starts_with("#!") && first.contains("python") => "py",
        _ if first.starts_with("#!") && first.contains("sh") => "sh",
        _ if first.starts_with("#cloud-config") => "yaml",
        _ => "txt",
    }
}

/// The doc comment of an item, wrapped by paragraph.
pub(super) fn doc(text: &str, indent: usize) -> String {
    let start = format!("{}///", " ".repeat(indent));
    let mut out = String::new();
    for line in text.trim().lines() {
        let line = line.trim().replace('\t', " ");
        if line.chars().any(is_unseen) {
            // A doc comment cannot show invisible characters: readers would miss them, and rustc rejects them.
            out += &format!("{}#[doc = {}]\n", " ".repeat(indent), quoted(&line));
            continue;
        }
        if line.is_empty() {
            out += &format!("{start}\n");
            continue;
        }
        // Markdown continues lists and quotes only in their own form.
        let is_plain = line.starts_with(|first: char| first.is_alphabetic());
        let mut row = String::new();
        for word in line.split_whitespace() {
            let is_full = start.len() + 1 + row.chars().count() + 1 + word.chars().count() > WIDTH;
            if is_plain && !row.is_empty() && is_full && word.starts_with(|first: char| first.is_alphabetic()) {
                out += &format!("{start} {row}\n");
                row.clear();
            }
            if !row.is_empty() {
                row.push(' ');
            }
            row += word;
        }
        out += &format!("{start} {row}\n");
    }
    out
}
