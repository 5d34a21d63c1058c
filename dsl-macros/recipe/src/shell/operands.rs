//! The arguments of commands that are files. A single table lists where each program has the files that it reads, and those
//! that it creates.
//!
//! A program that is not in the table may do anything with its arguments.

use super::word::{Part, Word};
use crate::names::file_name;

mod archive;
mod table;

pub(super) use table::ROWS;

/// The non-option arguments that a program reads as files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    Nothing,
    First,
    /// The first one, followed by the file's own arguments.
    Program,
    All,
    /// All but the first one, which is a script, a pattern or similar.
    AllButFirst,
    /// All but the last one, which is the target.
    AllButLast,
    /// Those that have the form of paths or packages; the others are names.
    Packages,
}

/// One program, or several similar ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Names of programs, each of one word, or of two words including a subcommand.
    pub(super) programs: &'static [&'static str],
    pub(super) reads: Read,
    /// Options whose value is a file that is read.
    files: &'static [&'static str],
    /// Options whose value is a file after an `@`, as `@x` or `name=@x`.
    marked: &'static [&'static str],
    /// Options whose value is a file or folder that is created.
    makes: &'static [&'static str],
    /// Options with other values, which are not arguments.
    values: &'static [&'static str],
    /// Options that replace the first argument.
    instead: &'static [&'static str],
    /// Options with which no argument is a file.
    inline: &'static [&'static str],
    /// The prefix of arguments that name a file: `if=`.
    key: &'static str,
    /// It creates all of its arguments, or its last one if it reads the others.
    pub(super) is_maker: bool,
    /// Further files that it may create in its working directory.
    besides: Besides,
}

/// Files that a command may create without naming them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Besides {
    Nothing,
    /// Unknown: it runs a program that was written elsewhere, or is not in the table.
    Anything,
    /// A whole tree of files.
    Tree,
}

impl Row {
    const fn new(programs: &'static [&'static str], reads: Read) -> Self {
        let none: &[&str] = &[];
        Self {
            programs,
            reads,
            files: none,
            marked: none,
            makes: none,
            values: none,
            instead: none,
            inline: none,
            key: "",
            is_maker: matches!(reads, Read::AllButLast),
            besides: Besides::Nothing,
        }
    }

    const fn files(self, files: &'static [&'static str]) -> Self {
        Self { files, ..self }
    }

    const fn marked(self, marked: &'static [&'static str]) -> Self {
        Self { marked, ..self }
    }

    const fn makes(self, makes: &'static [&'static str]) -> Self {
        Self { makes, ..self }
    }

    const fn values(self, values: &'static [&'static str]) -> Self {
        Self { values, ..self }
    }

    const fn instead(self, instead: &'static [&'static str]) -> Self {
        Self { instead, ..self }
    }

    const fn inline(self, inline: &'static [&'static str]) -> Self {
        Self { inline, ..self }
    }

    const fn key(self, key: &'static str) -> Self {
        Self { key, ..self }
    }

    const fn maker(self) -> Self {
        Self { is_maker: true, ..self }
    }

    const fn running(self) -> Self {
        Self { besides: Besides::Anything, ..self }
    }

    const fn unpacking(self) -> Self {
        Self { besides: Besides::Tree, ..self }
    }
}

/// A file among the arguments of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Operand {
    /// The index of the argument.
    pub(super) at: usize,
    /// The number of bytes of it that are not part of the path.
    pub(super) skip: usize,
    /// The path begins after the last `@` of the rest; without an `@`, there is no path.
    pub(super) is_marked: bool,
    pub(super) makes: bool,
    /// It is not the value of an option that the table does not list.
    pub(super) is_certain: bool,
}

/// The row of a command, and the number of its words that name the program.
pub(super) fn row(program: &str, arguments: &[Word]) -> Option<(&'static Row, usize)> {
    let name = file_name(program);
    let is_two = |known: &&str| {
        let Some((first, second)) = known.split_once(' ') else { return false };
        first == name && arguments.first().and_then(Word::literal) == Some(second)
    };
    let of = |is: &dyn Fn(&&str) -> bool| ROWS.iter().find(|row| row.programs.iter().any(is));
    of(&is_two).map(|row| (row, 1)).or_else(|| of(&|known| *known == name).map(|row| (row, 0)))
}

/// The files among the arguments of a row's program, and further files that it may create in its working directory.
pub(super) fn operands(row: &Row, arguments: &[Word]) -> (Vec<Operand>, Besides) {
    let found = if row.programs.contains(&"tar") { archive::operands(row, arguments) } else { of_row(row, arguments) };
    // An explicit target, for unpacking or packing, is what the command creates.
    let is_named = row.besides == Besides::Tree && found.iter().any(|one| one.makes);
    (found, if is_named { Besides::Nothing } else { row.besides })
}

/// The files among the arguments, according to a row.
fn of_row(row: &Row, arguments: &[Word]) -> Vec<Operand> {
    let mut found = Vec::new();
    // Non-option arguments, and whether each is certainly not an option's value.
    let mut others: Vec<(usize, bool)> = Vec::new();
    let (mut is_over, mut is_inline, mut is_given) = (false, false, false);
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = head(word);
        let is_option = !is_over && text.len() > 1 && text.starts_with('-');
        if is_over || !is_option {
            let behind = at.checked_sub(1).is_some_and(|before| is_bare_option(&arguments[before]));
            let is_key = !row.key.is_empty() && text.starts_with(row.key);
            if is_key {
                found.push(Operand { skip: row.key.len(), ..Operand::new(at, false) });
            }
            others.push((at, is_over || !behind));
            // The words after a program are its own arguments.
            if row.reads == Read::Program {
                break;
            }
        } else if text == "--" {
            is_over = true;
        } else {
            let (option, value) = option(row, word, at);
            is_inline |= row.inline.contains(&&*option);
            is_given |= row.instead.contains(&&*option);
            if let Some((value, skip)) = value {
                let is = |names: &[&str]| names.contains(&&*option);
                if is(row.files) || is(row.marked) || is(row.makes) {
                    let is_marked = is(row.marked);
                    found.push(Operand { skip, is_marked, ..Operand::new(value, is(row.makes)) });
                }
                at = at.max(value);
            }
        }
        at += 1;
    }
    if !is_inline {
        positional(row, arguments, &others, is_given, &mut found);
    }
    found.retain(|one| one.at < arguments.len());
    found
}

/// The files among the non-option arguments.
fn positional(row: &Row, arguments: &[Word], others: &[(usize, bool)], is_given: bool, found: &mut Vec<Operand>) {
    let count = others.len();
    let is_target = found.iter().any(|one| one.makes);
    for (number, (at, is_certain)) in others.iter().enumerate() {
        let is_last = number + 1 == count;
        let reads = match row.reads {
            Read::Nothing => false,
            Read::First => number == 0,
            Read::Program => number == 0 && !is_given,
            Read::All => true,
            Read::AllButFirst => number > 0 || is_given,
            Read::AllButLast => !is_last || is_target,
            Read::Packages => is_package(head(&arguments[*at])),
        };
        let makes = row.is_maker && !reads;
        if reads || makes {
            found.push(Operand { is_certain: *is_certain, ..Operand::new(*at, makes) });
        }
    }
}

impl Operand {
    fn new(at: usize, makes: bool) -> Self {
        Self { at, skip: 0, is_marked: false, makes, is_certain: true }
    }
}

/// The name of an option, and the position of its value, if it has one: the argument, and the offset in bytes.
fn option(row: &Row, word: &Word, at: usize) -> (String, Option<(usize, usize)>) {
    let text = head(word);
    let takes =
        |option: &str| [row.files, row.marked, row.makes, row.values].iter().any(|options| options.contains(&option));
    if let Some((option, _)) = text.split_once('=')
        && (text.starts_with("--") || takes(option))
    {
        return (option.to_owned(), Some((at, option.len() + 1)));
    }
    let is_alone = word.parts.len() == 1;
    if takes(text) && is_alone {
        return (text.to_owned(), Some((at + 1, 0)));
    }
    if text.starts_with("--") || row.inline.contains(&text) || row.instead.contains(&text) {
        return (text.to_owned(), None);
    }
    // Several one-letter options, the last of which may have a value: `-qf x`, `-fx`.
    let letters = text.char_indices().skip(1).map(|(begin, letter)| (begin + letter.len_utf8(), format!("-{letter}")));
    let mut found = text.to_owned();
    for (behind, option) in letters {
        if takes(&option) {
            let is_inside = behind < text.len() || !is_alone;
            return (option, Some(if is_inside { (at, behind) } else { (at + 1, 0) }));
        }
        if row.inline.contains(&&*option) || row.instead.contains(&&*option) {
            found = option;
        }
    }
    (found, None)
}

/// The text with which a word begins.
pub(super) fn head(word: &Word) -> &str {
    match word.parts.first() {
        Some(Part::Text { text, .. }) => text,
        _ => "",
    }
}

/// Whether an argument is an option whose value, if any, would be the next one.
fn is_bare_option(word: &Word) -> bool {
    word.literal().is_some_and(|text| text.starts_with('-') && text.len() > 1 && !text.contains('='))
}

/// Whether the package to install is a file: `./x`, `x.deb`.
fn is_package(text: &str) -> bool {
    const ENDINGS: [&str; 7] = [".deb", ".rpm", ".apk", ".whl", ".gem", ".tgz", ".tar.gz"];
    text.starts_with("./") || text.starts_with("../") || ENDINGS.iter().any(|ending| text.ends_with(ending))
}
