//! Commands before `&&`: `set -e` applies only to the last command of a list: after `cd app && make`, the script continues
//! if `cd` fails.
//!
//! Conservative like `unguarded`. The command before `&&` is often a test (`ip link show x && ...`), so only programs with
//! an effect are reported: not those whose output is discarded, and not before `return` and similar builtins.

use super::pipe::program;
use super::structure::{Shape, Simple};
use super::unguarded::{Rule, asks, assigned, end, goes_on, joined, next, risky, words};
use super::word::{Token, TokenKind, Word, has_short};

/// Programs with an effect, each with words of which one must be present; no words if it always has an effect.
const DOING: [(&str, &[&str]); 61] = [
    ("a2dissite", &[]),
    ("a2enmod", &[]),
    ("a2ensite", &[]),
    ("add-apt-repository", &[]),
    ("adduser", &[]),
    ("apk", &["add", "update", "upgrade"]),
    ("apt", &["install", "update", "upgrade"]),
    ("apt-get", &["install", "update", "upgrade", "dist-upgrade", "remove", "purge", "build-dep"]),
    ("bundle", &["install"]),
    ("cargo", &["build", "install"]),
    ("cd", &[]),
    ("chmod", &[]),
    ("chown", &[]),
    ("cmake", &[]),
    ("composer", &["install"]),
    ("configure", &[]),
    ("cp", &[]),
    ("createdb", &[]),
    ("createuser", &[]),
    ("curl", &["-o", "-O", "--output", "--remote-name"]),
    ("dd", &[]),
    ("dnf", &["install", "update", "upgrade", "makecache"]),
    ("docker", &["build", "compose", "cp", "load", "pull", "run", "start"]),
    ("docker-compose", &["build", "pull", "up"]),
    ("dpkg", &["-i", "--install", "--configure"]),
    ("gem", &["install"]),
    ("git", &["checkout", "clone", "fetch", "pull", "reset", "submodule"]),
    ("go", &["build", "install"]),
    ("groupadd", &[]),
    ("gunzip", &[]),
    ("helm", &["install", "upgrade"]),
    ("install", &[]),
    ("kubectl", &["apply", "create"]),
    ("locale-gen", &[]),
    ("make", &[]),
    ("mkdir", &["-p", "--parents", "-pv"]),
    ("mkswap", &[]),
    ("mount", &[]),
    ("mv", &[]),
    ("mvn", &[]),
    ("npm", &["ci", "install", "run"]),
    ("patch", &[]),
    ("pip", &["install"]),
    ("pip3", &["install"]),
    ("podman", &["build", "load", "pull", "run", "start"]),
    ("pushd", &[]),
    ("rsync", &[]),
    ("scp", &[]),
    ("service", &["reload", "restart", "start"]),
    ("swapon", &[]),
    ("systemctl", &["daemon-reload", "enable", "mask", "reload", "restart", "start", "unmask"]),
    ("tar", &[]),
    ("tee", &[]),
    ("unzip", &[]),
    ("update-ca-certificates", &[]),
    ("update-rc.d", &[]),
    ("useradd", &[]),
    ("usermod", &[]),
    ("wget", &[]),
    ("yarn", &[]),
    ("yum", &["install", "makecache", "update"]),
];
/// Commands that end a list that is a test.
const ANSWERED: [&str; 6] = ["return", "exit", "break", "continue", "true", ":"];

/// The first command that goes unnoticed in this way, and its line.
pub(super) fn first(tokens: &[Token], shape: &Shape<'_>) -> Option<(String, u32)> {
    shape.simple.iter().find_map(|one| {
        let own = words(tokens, one.start);
        risky(&own, &shape.functions, &[])?;
        let program = program(&own)?.to_owned();
        if one.is_asked || one.is_denied || !does(&program, &own) || is_hushed(tokens, one) {
            return None;
        }
        let behind = behind_list(tokens, shape, one)?;
        let later = shape.at_or_behind(behind);
        let is_followed = later.is_some_and(|later| asks(&words(tokens, later.start)));
        (!is_followed && goes_on(tokens, shape, one, Rule::Counts)).then(|| (program, tokens[one.start].line))
    })
}

/// Whether a program usually has an effect.
pub(super) fn is_doing(name: &str) -> bool {
    DOING.binary_search_by_key(&name, |(known, _)| known).is_ok()
}

/// Whether a command has an effect, and is not a test.
pub(super) fn does(name: &str, words: &[&Word]) -> bool {
    let Ok(at) = DOING.binary_search_by_key(&name, |(known, _)| known) else { return false };
    let literal = || words.iter().filter(|word| assigned(word).is_none()).filter_map(|word| word.literal());
    // `docker inspect x && docker rm x` is a test because of its first argument.
    let is_one =
        |word: &str| DOING[at].1.contains(&word) || name == "curl" && (has_short(word, 'o') || has_short(word, 'O'));
    DOING[at].1.is_empty() || literal().any(is_one)
}

/// Whether a command's output is discarded: then it may fail.
pub(super) fn is_hushed(tokens: &[Token], one: &Simple) -> bool {
    tokens[one.start..end(tokens, one.start)].iter().any(|token| match &token.kind {
        TokenKind::Word(word) => word.literal() == Some("/dev/null"),
        _ => false,
    })
}

/// The end of a command's `&&` list, unless it is a test.
fn behind_list(tokens: &[Token], shape: &Shape<'_>, one: &Simple) -> Option<usize> {
    let (mut at, mut is_list) = (end(tokens, one.start), false);
    while let Some(Token { kind: TokenKind::Op("&&"), .. }) = tokens.get(at) {
        let next = next(tokens, at);
        let is_answer =
            words(tokens, next).first().and_then(|word| word.literal()).is_some_and(|word| ANSWERED.contains(&word));
        if is_answer {
            return None;
        }
        is_list = true;
        at = joined(tokens, shape, next);
    }
    is_list.then_some(at)
}
