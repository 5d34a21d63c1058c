//! Commands that run other scripts, or read the environment by name.

use super::commands::embedded_programs;
use super::structure;
use super::walk::{Command, Inner, Script};
use super::word::{Part, Word};

use crate::analysis::{Analysis, FileOutline, Include};
use crate::lookup::Names;
use crate::names::{extension, file_name, identifiers, is_identifier};
use crate::tool::Tool;

/// Other programs that may come before a shell that sees the recipe's variables: not `sudo`, and not `env`, which sets
/// some.
const PASSING: [&str; 9] = ["exec", "command", "nohup", "nice", "timeout", "time", "stdbuf", "ionice", "setsid"];
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "ksh", "zsh", "ash", "busybox"];
/// Programs that run a file, besides the tools' own programs.
const INTERPRETERS: [&str; 6] = ["python", "python3", "perl", "ruby", "node", "php"];
/// The maximum nesting of scripts in strings.
const DEPTH: u32 = 8;
/// Folders of the system: scripts sourced from there do not know a recipe's outputs.
const SYSTEM: [&str; 6] = ["/etc/", "/usr/", "/lib/", "/dev/", "/proc/", "/opt/"];

/// Files that identify the system.
const RELEASE: [&str; 3] = ["/etc/os-release", "/usr/lib/os-release", "/etc/lsb-release"];

/// Analyses what the command numbered `at` runs. Adds commands found in strings to the script.
pub(super) fn look_inside(script: &mut Script, at: usize, outline: &mut FileOutline) {
    let mut inner: Vec<Inner> = Vec::new();
    note_folder(script, at);
    let command = &script.commands[at];
    let depth = command.depth;
    let words = &command.words;
    let program = words.first().and_then(Word::literal).map(file_name).unwrap_or_default();
    if !matches!(program, "echo" | "printf") {
        let names = words.iter().map(|word| word.literal().map(file_name).filter(|name| SHELLS.contains(name)));
        if let Some((at, name)) = names.enumerate().find_map(|(at, name)| Some((at, name?))) {
            let starts = std::ptr::eq(&raw const words[at], unwrapped(words).as_ptr());
            shell(script, command, Started { name, at, starts }, &mut inner, outline);
        }
        if words.iter().any(|word| word.to_source().contains("inputs.json")) {
            outline.analysis.dynamic_reads = true;
        }
    }
    by_program(script, command, &mut inner, outline);
    environment(command, outline);
    let scripts: Vec<&Word> = command.fed.iter().filter(|body| is_shell_script(body)).collect();
    inner.extend(scripts.iter().map(|body| Inner::elsewhere(body.to_source(), body.line)));
    embedded_programs(command, inner.is_empty() || depth >= DEPTH, outline);
    if command.here && (INTERPRETERS.contains(&program) || program == "awk") {
        asked(command, &mut outline.names);
    }
    for inner in inner {
        // Malformed text may not be for a shell at all, or may come in two parts: then anything is possible.
        if depth >= DEPTH || script.add(&inner, depth + 1).is_err() {
            outline.analysis.anything();
            outline.names.anything |= inner.here;
        }
    }
}

/// Follows a `cd` that affects every later command: a relative program is the recipe's only in the recipe's own folder.
fn note_folder(script: &mut Script, at: usize) {
    let command = &script.commands[at];
    let [program, folder, ..] = command.words.as_slice() else { return };
    if program.literal() != Some("cd") || command.scoped || command.depth > 0 {
        return;
    }
    let own = is_own_program(script, folder, 0);
    let folder = folder.clone();
    script.away = !own && script.values.of(&folder).iter().all(|text| text.starts_with(['/', '~']));
}

fn by_program(script: &Script, command: &Command, inner: &mut Vec<Inner>, outline: &mut FileOutline) {
    let words = unwrapped(&command.words);
    let Some(first) = words.first() else { return };
    let arguments = &words[1..];
    let program = first.literal().map(file_name).unwrap_or_default();
    match program {
        "." | "source" => {
            if let Some(file) = arguments.first() {
                if file.literal().is_some_and(|path| RELEASE.contains(&path)) {
                    // The variables that these set are known and in capitals.
                    crate::environment::RELEASE.iter().for_each(|name| outline.names.set(name));
                } else if file.literal().is_some_and(|path| SYSTEM.iter().any(|folder| path.starts_with(folder))) {
                    outline.names.anything = true;
                } else {
                    outline.includes.push(Include::File(own_name(file)));
                }
            }
        }
        "eval" => {
            let is_constant = arguments.iter().all(Word::is_constant);
            if !is_constant {
                outline.analysis.anything();
            }
            let text: Vec<String> = arguments.iter().map(Word::to_source).collect();
            let here = command.here && is_constant;
            inner.push(Inner { text: text.join(" "), line: first.line, here, strict: None });
        }
        "trap" => {
            if let Some(word) = arguments.first() {
                texts(script, word, command.here, None, inner, outline);
            }
        }
        "su" | "runuser" | "script" | "flock" => {
            let mut has_text = false;
            for (at, word) in arguments.iter().enumerate() {
                let text = word.to_source();
                // With `-u`, there is no shell between `runuser` and the command, which then gets the input.
                has_text |= matches!(&*text, "-c" | "-lc" | "-u" | "--")
                    || text.starts_with("--command")
                    || text.starts_with("--user");
                match text.strip_prefix("--command=") {
                    Some(text) => {
                        let (text, line) = (text.to_owned(), word.line);
                        inner.push(Inner { strict: Some(false), ..Inner::elsewhere(text, line) });
                    }
                    None if matches!(text.as_str(), "-c" | "-lc" | "--command") => {
                        if let Some(word) = arguments.get(at + 1) {
                            texts(script, word, false, Some(false), inner, outline);
                        }
                    }
                    None => {}
                }
            }
            if !has_text && matches!(program, "su" | "runuser") {
                inner.extend(command.fed.iter().map(of_another_shell));
            }
        }
        "ssh" => {
            let remote = behind_host(arguments);
            match remote {
                [] => inner.extend(command.fed.iter().map(of_another_shell)),
                [text] => inner.push(of_another_shell(text)),
                _ => {
                    let text: Vec<String> = remote.iter().map(Word::to_source).collect();
                    inner.push(Inner::elsewhere(text.join(" "), first.line));
                }
            }
        }
        "watch" => {
            let text: Vec<String> = arguments.iter().skip(1).map(Word::to_source).collect();
            inner.push(Inner::elsewhere(text.join(" "), first.line));
        }
        _ if INTERPRETERS.contains(&program) || Tool::ALL.iter().any(|tool| tool.program() == program) => {
            let file = arguments.iter().find(|word| {
                let text = word.to_source();
                word.literal().is_none_or(|text| !text.starts_with('-'))
                    && (Tool::of_path(&text).is_some()
                        || extension(&text).is_some_and(|end| ["py", "pl", "js", "php"].contains(&end)))
            });
            let inline = arguments.iter().any(|word| matches!(word.literal(), Some("-c" | "-e" | "-")));
            outline.includes.extend(file.filter(|file| !inline && !is_absolute(file)).map(include));
            // Salt receives the name of a state: one that is not among the recipe's files is not visible here.
            let applies = |word: &&Word| matches!(word.literal(), Some("state.apply" | "state.sls"));
            let state = arguments.iter().skip_while(|word| !applies(word)).nth(1);
            outline.includes.extend(state.map(|state| Include::State(state.to_source().replace('.', "/"))));
        }
        _ if is_own_program(script, first, 0) && !(script.away && is_relative(first)) => {
            outline.includes.push(include(first));
            runs(command, first, outline);
        }
        _ => {}
    }
}

/// The command that `ssh` runs on its host.
fn behind_host(mut arguments: &[Word]) -> &[Word] {
    const WITH_VALUE: &str = "bcDeFiIJlLmoOpQRSwW";
    while let [first, rest @ ..] = arguments {
        arguments = rest;
        let text = first.to_source();
        let Some(options) = text.strip_prefix('-') else { break };
        let takes_value = options.len() == 1 && WITH_VALUE.contains(options);
        arguments = arguments.get(usize::from(takes_value)..).unwrap_or_default();
    }
    arguments
}

/// A script that a shell of another user runs, without `set -e`.
fn of_another_shell(text: &Word) -> Inner {
    Inner { strict: Some(false), ..Inner::elsewhere(text.to_source(), text.line) }
}

/// A shell among the words of a command.
struct Started<'a> {
    name: &'a str,
    /// The index of the word.
    at: usize,
    /// Whether it is the command itself rather than an argument of the command.
    starts: bool,
}

/// The script of a shell: its `-c` text, its file, or its input.
fn shell(script: &Script, command: &Command, shell: Started<'_>, inner: &mut Vec<Inner>, outline: &mut FileOutline) {
    let Started { name, at, starts } = shell;
    let passes = command.words[..at].iter().all(|word| {
        let text = word.literal().unwrap_or("-");
        text.starts_with(['-', '+']) || text.starts_with(|c: char| c.is_ascii_digit()) || PASSING.contains(&text)
    });
    let mut here = command.here && starts && passes && structure::is_known(Some(name));
    let (mut is_text, mut strict) = (false, structure::is_known(Some(name)).then_some(false));
    for word in &command.words[at + 1..] {
        let text = word.to_source();
        if is_text {
            texts(script, word, here, strict, inner, outline);
            return;
        }
        if text.starts_with(['-', '+']) {
            is_text = !text.starts_with("--") && text.contains('c');
            strict = strict.map(|strict| strict || !text.starts_with("--") && text.contains('e'));
            // A login shell, or one that reads its own startup files, may get variables from these.
            here &= !text.starts_with("--") && !text.contains(['l', 'i']);
            if text == "-" || text == "-s" {
                break;
            }
        } else if name == "busybox" || matches!(text.as_str(), "pipefail" | "errexit") {
            // The applet of busybox; the value of `-o`.
            strict = strict.map(|strict| strict || text == "errexit");
        } else {
            // `useradd --shell /bin/bash NAME` runs nothing.
            if starts && !is_absolute(word) {
                outline.includes.push(include(word));
                if strict == Some(false) {
                    runs(command, word, outline);
                }
            }
            return;
        }
    }
    inner.extend(command.fed.iter().map(|body| {
        let here = here && body.is_constant();
        Inner { text: body.to_source(), line: body.line, here, strict }
    }));
}

/// The possible texts of a word that is run as a script. For a variable, its assigned values.
fn texts(
    script: &Script,
    word: &Word,
    here: bool,
    strict: Option<bool>,
    inner: &mut Vec<Inner>,
    outline: &mut FileOutline,
) {
    let as_inner = |word: &Word| {
        let here = here && word.is_constant();
        Inner { text: word.to_source(), line: word.line, here, strict }
    };
    let [Part::Var(name)] = word.parts.as_slice() else {
        inner.push(as_inner(word));
        return;
    };
    let before = inner.len();
    inner.extend(script.values.assigned_words(name).take(64).map(as_inner));
    if inner.len() == before || inner.len() - before == 64 {
        outline.analysis.anything();
    }
}

/// The command after `sudo`, `env`, `timeout` and the like.
pub(super) fn unwrapped(mut words: &[Word]) -> &[Word] {
    const WRAPPERS: [&str; 13] = [
        "sudo", "env", "exec", "command", "builtin", "nohup", "nice", "timeout", "time", "stdbuf", "ionice", "setsid",
        "doas",
    ];
    while let Some(first) = words.first().and_then(Word::literal).filter(|first| WRAPPERS.contains(first)) {
        let wrapper = first.to_owned();
        words = &words[1..];
        while let Some(text) = words.first().map(Word::to_source) {
            let takes_value = matches!(text.as_str(), "-u" | "-g" | "-n" | "-k" | "-s" | "--user");
            if text.starts_with('-') {
                words = &words[(1 + usize::from(takes_value && words.len() > 1))..];
            } else if text.contains('=') || (wrapper == "timeout" && text.starts_with(|c: char| c.is_ascii_digit())) {
                words = &words[1..];
            } else {
                break;
            }
        }
    }
    words
}

/// Names that a program in another language reads from the environment; they may be absent.
fn asked(command: &Command, into: &mut Names) {
    let mut found = Analysis::default();
    for word in command.words.iter().chain(&command.fed) {
        crate::embedded::reads(&word.to_source(), word.line, &mut found);
    }
    found.reads.iter().for_each(|(name, line)| into.ask(name, *line));
}

/// Reads of the environment that are not expansions.
fn environment(command: &Command, outline: &mut FileOutline) {
    let words = &command.words;
    let Some(first) = words.first() else { return };
    let arguments = &words[1..];
    let analysis = &mut outline.analysis;
    match first.literal().map(file_name).unwrap_or_default() {
        "env" | "sudo" => {
            let env = words.iter().any(|word| word.literal() == Some("env"));
            analysis.dynamic_reads |= env && unwrapped(words).is_empty();
        }
        "set" | "compgen" => analysis.dynamic_reads |= arguments.is_empty() || first.literal() == Some("compgen"),
        "envsubst" => analysis.dynamic_reads = true,
        "printenv" => {
            analysis.dynamic_reads |= arguments.is_empty();
            for word in arguments {
                match word.literal() {
                    Some(name) => {
                        analysis.read(name, word.line);
                        if command.here {
                            outline.names.ask(name, word.line);
                        }
                    }
                    None => analysis.dynamic_reads = true,
                }
            }
        }
        "let" | "[[" | "expr" => {
            for word in arguments {
                identifiers(word.literal().unwrap_or_default()).for_each(|name| analysis.read(name, word.line));
            }
            // In numeric comparisons, names are variables even without `$`.
            for compared in arguments.windows(3).filter(|_| command.here && first.literal() == Some("[[")) {
                let is_number = matches!(compared[1].literal(), Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"));
                let sides = [&compared[0], &compared[2]].into_iter().filter(|_| is_number);
                for word in sides.filter(|word| word.literal().is_some_and(is_identifier)) {
                    outline.names.need(&word.to_source(), word.line);
                }
            }
        }
        _ => {
            for pair in arguments.windows(2) {
                let flag = matches!(pair[0].literal(), Some("-e" | "--env" | "-v"));
                if let Some(name) = pair[1].literal().filter(|name| flag && is_identifier(name)) {
                    analysis.read(name, pair[1].line);
                }
            }
        }
    }
}

/// Whether a heredoc, for example for `cat`, contains a whole shell script.
fn is_shell_script(body: &Word) -> bool {
    let source = body.to_source();
    let first = source.lines().next().unwrap_or_default();
    first.starts_with("#!") && first.ends_with("sh")
}

/// A program of the recipe: named by a relative path, or beside the script.
fn is_own_program(script: &Script, word: &Word, depth: u32) -> bool {
    match word.parts.first() {
        Some(Part::Text { text, .. }) => {
            text.contains('/') && !text.starts_with(['/', '~']) && (depth == 0 || text.starts_with('.'))
        }
        Some(Part::Script(_) | Part::Folder { .. }) => depth > 0 || word.to_source().contains('/'),
        Some(Part::Var(name)) => {
            matches!(name.as_str(), "0" | "BASH_SOURCE" | "PWD")
                || name.starts_with("WATTLE_")
                || (depth < 4 && script.values.assigned_words(name).any(|word| is_own_program(script, word, depth + 1)))
        }
        _ => false,
    }
}

fn is_relative(word: &Word) -> bool {
    matches!(word.parts.first(), Some(Part::Text { .. }))
}

fn is_absolute(word: &Word) -> bool {
    matches!(word.parts.first(), Some(Part::Text { text, .. }) if text.starts_with(['/', '~']))
}

/// Records a script that a separate shell runs. If the command may fail, nothing is known about the steps that it omits.
fn runs(command: &Command, file: &Word, outline: &mut FileOutline) {
    if command.here && !command.asks {
        outline.runs.push(own_name(file));
    }
}

fn include(word: &Word) -> Include {
    Include::Program(own_name(word))
}

fn own_name(word: &Word) -> String {
    let source = word.to_source();
    file_name(source.trim_end_matches('}')).to_owned()
}
