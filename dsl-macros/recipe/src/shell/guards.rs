//! A script's handling of failures: `set -e`, and traps on `ERR` and `EXIT`.
//!
//! A trap on `ERR` that continues to its end changes nothing, and one that ends the script with success hides the failure.
//! Conservative: unknown commands in a trap may end the script.

use std::collections::BTreeMap;

use super::asked::{called, compounds};
use super::joined;
use super::lexer::Lexer;
use super::pipe::{is_alternative, program, within};
use super::structure::{self, Shape, Simple};
use super::unguarded::{HARMLESS, behind_assignments, errexit, words};
use super::word::{Part, Token, Word, has_short, is_op};
use crate::failures::{Unnoticed, Why};

/// Builtins and programs that only print, and therefore succeed.
const SPEAKING: [&str; 7] = ["echo", "printf", "logger", "caller", "date", "true", ":"];
/// Builtins that may end the script, or change its status.
const ENDING: [&str; 12] =
    ["exit", "return", "exec", "kill", "pkill", "killall", "set", "shopt", "trap", "eval", ".", "source"];
/// Programs that clean up or report, besides the harmless ones and those with a known effect.
const CLEANING: [&str; 16] = [
    "cat",
    "curl",
    "dmesg",
    "docker",
    "journalctl",
    "ls",
    "mail",
    "ps",
    "rm",
    "rmdir",
    "sendmail",
    "tail",
    "touch",
    "umount",
    "systemctl",
    "wall",
];

/// The final effect of a trap.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ending {
    /// The script continues, or ends with the same status as without the trap.
    None,
    /// The script succeeds.
    Success,
    /// The script fails, or its status is unknown.
    Other,
}

/// Whether the script ensures somewhere that failures are noticed, or runs code that is not available. The commands of a
/// subshell count only within it.
pub(super) fn traps(tokens: &[Token], shape: &Shape<'_>) -> bool {
    shape.simple.iter().any(|one| {
        let words = words(tokens, one.start);
        let literal: Vec<&str> = words.iter().map(|word| word.literal().unwrap_or_default()).collect();
        let (Some(program), rest) = (literal.first(), literal.get(1..).unwrap_or_default()) else { return false };
        match *program {
            "set" | "shopt" => {
                rest.iter().any(|word| has_short(word, 'e') || *word == "errexit") && !is_scoped(tokens, shape, one)
            }
            _ => is_guard(tokens, shape, one),
        }
    })
}

/// Whether a command is a trap that may end the script when a command fails, or runs code that is not available.
pub(super) fn is_guard(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> bool {
    let words = words(tokens, one.start);
    if words.first().and_then(|word| word.literal()) == Some("eval") {
        return true;
    }
    let text = trap(&words, &["ERR"]).filter(|_| !is_scoped(tokens, shape, one));
    text.is_some_and(|text| of_text(text, &Script { tokens, shape, is_err: true }) == Ending::Other)
}

/// Whether a command is in a subshell.
fn is_scoped(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> bool {
    compounds(shape, one).any(|number| is_op(tokens.get(shape.compounds[number].start), &["("]))
}

/// The command that is run on one of these signals, if this is a trap that sets one.
fn trap<'w>(words: &[&'w Word], signals: &[&str]) -> Option<&'w Word> {
    let (name, rest) = words.split_first()?;
    let rest = if rest.first().and_then(|word| word.literal()) == Some("--") { &rest[1..] } else { rest };
    let (text, rest) = rest.split_first().filter(|_| name.literal() == Some("trap"))?;
    let is_signal =
        |word: &&Word| signals.iter().any(|own| word.literal().is_some_and(|word| word.eq_ignore_ascii_case(own)));
    let is_option = text.literal().is_some_and(|text| text.starts_with('-') || text.is_empty());
    (rest.iter().any(is_signal) && !is_option).then_some(*text)
}

/// The script that sets a trap.
struct Script<'s, 't> {
    tokens: &'t [Token],
    shape: &'s Shape<'t>,
    /// The trap is on `ERR`. There, `exit` without an argument ends with the status of the previous command, not with that
    /// of the failed one.
    is_err: bool,
}

/// The final effect of a trap's text.
fn of_text(text: &Word, script: &Script<'_, '_>) -> Ending {
    let source = text.to_source();
    let Ok(own) = Lexer::new(&source, text.line, 1).tokens(None) else { return Ending::Other };
    let Ok(inner) = structure::check(&own) else { return Ending::Other };
    if !inner.functions.is_empty() {
        return Ending::Other;
    }
    let simple: Vec<&Simple> = inner.simple.iter().collect();
    of_commands(&own, &simple, None, script, &mut BTreeMap::new())
}

/// The final effect of the commands in the compound command `around`, in a script with these functions, some of which are
/// `known`.
fn of_commands(
    tokens: &[Token],
    simple: &[&Simple],
    around: Option<usize>,
    script: &Script<'_, '_>,
    known: &mut BTreeMap<usize, Ending>,
) -> Ending {
    let mut speaks = false;
    for one in simple {
        let own = words(tokens, one.start);
        let own = behind_assignments(&own);
        let Some(first) = own.first() else { continue };
        let ending = match (first.literal(), program(own)) {
            (Some("exit"), _) => of_exit(own, speaks, script.is_err),
            // The function called by the trap returns.
            (Some("return"), _) if around.is_some() => Ending::None,
            (Some(name), _) if script.shape.functions.contains(&name) => of_function(name, script, known),
            (Some(_), Some(name)) if !ENDING.contains(&name) && is_known(name) => Ending::None,
            _ => Ending::Other,
        };
        speaks = first.literal().is_some_and(|name| SPEAKING.contains(&name));
        match ending {
            Ending::None => {}
            // Elsewhere, it may not be reached.
            Ending::Success if one.around != around || is_alternative(tokens, one) => return Ending::Other,
            ending => return ending,
        }
    }
    Ending::None
}

/// The effect of `exit` after a command that prints, or after another one.
fn of_exit(words: &[&Word], speaks: bool, is_err: bool) -> Ending {
    match words.get(1).map(|status| status.parts.as_slice()) {
        Some([Part::Text { text, .. }]) if text == "0" => Ending::Success,
        // It uses the status of the printing command.
        Some([Part::Var(name)]) if name == "?" && speaks => Ending::Success,
        None if speaks && is_err => Ending::Success,
        _ => Ending::Other,
    }
}

fn of_function(name: &str, script: &Script<'_, '_>, known: &mut BTreeMap<usize, Ending>) -> Ending {
    let Script { tokens, shape, .. } = *script;
    let mut bodies = shape.bodies().into_iter().filter(|(_, own)| *own == name);
    let (Some((number, _)), None) = (bodies.next(), bodies.next()) else { return Ending::Other };
    if let Some(ending) = known.get(&number) {
        return *ending;
    }
    // A recursive function may not end.
    known.insert(number, Ending::Other);
    let is_in = |one: &&Simple| compounds(shape, one).any(|own| own == number);
    let simple: Vec<&Simple> = shape.simple.iter().filter(is_in).collect();
    let ending = of_commands(tokens, &simple, Some(number), script, known);
    known.insert(number, ending);
    ending
}

fn is_known(program: &str) -> bool {
    HARMLESS.contains(&program) || CLEANING.contains(&program) || joined::is_doing(program)
}

/// The first command whose failure a trap turns into success.
pub(super) fn forgiven(tokens: &[Token], shape: &Shape<'_>) -> Option<Unnoticed> {
    let is_trap = |one: &&Simple| {
        let words = words(tokens, one.start);
        let names = |word: &&Word| matches!(word.literal(), Some("EXIT" | "0" | "ERR"));
        words.first().and_then(|word| word.literal()) == Some("trap") && words.iter().any(names)
    };
    let all: Vec<&Simple> = shape.simple.iter().filter(is_trap).collect();
    // A later trap may replace it.
    let [one] = all.as_slice() else { return None };
    let text = trap(&words(tokens, one.start), &["EXIT", "0", "ERR"])?;
    let is_err = trap(&words(tokens, one.start), &["ERR"]).is_some();
    let is_forgiving = one.around.is_none() && of_text(text, &Script { tokens, shape, is_err }) == Ending::Success;
    let line = tokens[one.start].line;
    let (program, at) = is_forgiving.then(|| within(tokens, shape, one.start + 1, tokens.len())).flatten()?;
    Some(Unnoticed { file: None, program, line: at, why: Why::Forgiven { line } })
}

/// The position at which `set -e` begins to apply, and the functions that have run by then; `None` if that is not known.
pub(super) fn before<'s>(tokens: &[Token], shape: &'s Shape<'_>) -> Option<Vec<&'s Simple>> {
    let is_on = |one: &&Simple| errexit(&words(tokens, one.start)) == Some(true) && !is_scoped(tokens, shape, one);
    let mut known = BTreeMap::new();
    let all: Vec<(&Simple, Option<usize>)> =
        shape.simple.iter().filter(is_on).map(|one| (one, reached(tokens, shape, one, &mut known))).collect();
    let (on, at) = all.iter().filter_map(|(one, at)| Some((*one, (*at)?))).min_by_key(|(_, at)| *at)?;
    if all.iter().any(|(one, reached)| one.start < at && reached.is_none()) {
        return None;
    }
    let body = |one: &Simple| compounds(shape, one).find(|number| shape.compounds[*number].is_function);
    let bodies = shape.bodies();
    // The commands that have run by then, including those in called functions, and those before it in its own function.
    let is_run = |one: &Simple, run: &[usize]| match body(one) {
        None => one.start < at,
        own => own == body(on) && one.start < on.start || own.is_some_and(|own| run.contains(&own)),
    };
    let mut run: Vec<usize> = Vec::new();
    loop {
        let calls = shape.simple.iter().filter(|one| is_run(one, &run)).filter_map(|one| called(tokens, shape, one));
        let more: Vec<usize> = calls
            .filter_map(|name| bodies.iter().rfind(|(_, own)| *own == name))
            .map(|(number, _)| *number)
            .filter(|number| !run.contains(number) && Some(*number) != body(on))
            .collect();
        if more.is_empty() {
            break;
        }
        run.extend(more);
    }
    Some(shape.simple.iter().filter(|one| is_run(one, &run)).collect())
}

/// The position at which the script first reaches a command: the token of the command, or of the call that leads to it;
/// `None` if it may not be reached. For some functions, it is `known` where they are called.
fn reached(
    tokens: &[Token],
    shape: &Shape<'_>,
    one: &Simple,
    known: &mut BTreeMap<usize, Option<usize>>,
) -> Option<usize> {
    let Some(number) = one.around else { return Some(one.start) };
    let (_, name) = shape.bodies().into_iter().find(|(own, _)| *own == number)?;
    if shape.compounds[number].outer.is_some() {
        return None;
    }
    if let Some(at) = known.get(&number) {
        return *at;
    }
    // A function that is only called recursively is never reached.
    known.insert(number, None);
    let calls = shape.simple.iter().filter(|one| called(tokens, shape, one) == Some(name));
    let all: Option<Vec<usize>> = calls.map(|call| reached(tokens, shape, call, known)).collect();
    let at = all.and_then(|all| all.into_iter().min());
    known.insert(number, at);
    at
}
