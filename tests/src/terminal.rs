//! Commands at a terminal: their output only there, and their prompts.

use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use crate::running::Ran;

/// Runs `plain` at a terminal of its own, where `typed` is entered at its first prompt. All its output is in `out`.
///
/// # Panics
/// There is no `script`, which creates the terminal.
pub fn at_a_terminal(plain: &Command, typed: &str) -> Ran {
    let words = std::iter::once(plain.get_program()).chain(plain.get_args());
    let quoted = |word: &OsStr| format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"));
    let words: Vec<String> = words.map(quoted).collect();
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &format!("exec {}", words.join(" ")), "/dev/null"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    if let Some(place) = plain.get_current_dir() {
        command.current_dir(place);
    }
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut child = command.spawn().expect("starts");
    let mut keyboard = child.stdin.take().expect("a pipe");
    let mut is_typed = false;
    let mut screen = child.stdout.take().expect("a pipe");
    let mut out = Vec::new();
    let mut some = [0; 4096];
    loop {
        match screen.read(&mut some).expect("reads") {
            0 => break,
            read => out.extend(&some[..read]),
        }
        if !is_typed && String::from_utf8_lossy(&out).contains("[y/N]") {
            keyboard.write_all(typed.as_bytes()).expect("writes");
            is_typed = true;
        }
    }
    let code = child.wait().expect("ends").code();
    Ran { out: String::from_utf8_lossy(&out).into_owned(), err: String::new(), code }
}

/// The control codes in `out`, except for colours and line ends.
pub fn codes(out: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, part) in out.split("\u{1b}[").enumerate() {
        let colour = part.find(|c: char| !(c.is_ascii_digit() || c == ';')).filter(|end| part[*end..].starts_with('m'));
        let text = match (number, colour) {
            (0, _) => part,
            (_, Some(end)) => &part[end + 1..],
            (_, None) => {
                found.push(format!("ESC [ {}", part.chars().take(8).collect::<String>()));
                part
            }
        };
        let text = text.replace("\r\n", "");
        let is_code = |c: &char| (c.is_control() && *c != '\n') || is_turning(*c);
        found.extend(text.chars().filter(is_code).map(|c| c.escape_unicode().to_string()));
    }
    found
}

/// Whether it reverses the direction of the following text.
fn is_turning(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
