//! Variables that a script allows to be absent.

use super::walk::Command;
use super::word::{Part, Word};
use crate::lookup::Names;
use crate::names::is_identifier;

/// Records the variables that a command tests (`[ -n "$x" ]`, `test "$x"`), and those that it sets for another program
/// (`env x=1`).
pub(super) fn spares(command: &Command, into: &mut Names) {
    let program = command.words.first().and_then(Word::literal).unwrap_or_default();
    if matches!(program, "[" | "[[" | "test") {
        let is_sign =
            |word: &&Word| !matches!(word.literal(), Some("[" | "[[" | "test" | "]" | "]]" | "!" | "-n" | "-z"));
        let asks = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| command.words[before].literal());
            matches!(before, Some("-n" | "-z" | "-v")) || command.words.iter().filter(is_sign).count() == 1
        };
        for (at, word) in command.words.iter().enumerate().filter(|(at, _)| asks(*at)) {
            let is_name = at > 0 && command.words[at - 1].literal() == Some("-v");
            for part in &word.parts {
                match part {
                    Part::Var(name) => into.spare(name),
                    Part::Text { text, .. } if is_identifier(text) => {
                        into.spare(text);
                        if is_name {
                            into.ask(text, word.line);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    for word in &command.words {
        if let Some(Part::Text { text, .. }) = word.parts.first()
            && let Some((name, _)) = text.split_once('=')
            && is_identifier(name)
        {
            into.spare(name);
        }
    }
}
