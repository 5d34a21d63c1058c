//! Determines which line ended a shell recipe that failed.
//!
//! A test that is false under `set -e` ends a recipe without a message. Bash can report the place: before the recipe,
//! it reads a file that makes it record each command that fails untested, and its last command at the end. If a recipe
//! sets its own `EXIT` trap, that one is kept, and its last command is not recorded: then the last failed command ended
//! it, if `set -e` was in effect. Other shells report nothing (Debian's dash does not even know its line); for these,
//! only the last command is known, if it is a test.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::recipe::directory::{Directory, write};
use crate::recipe::environment::Environment;

/// The file that bash reads first. `BASH_COMMAND` is the command as written, without the values of variables. For a
/// subshell that failed, it is the subshell's only where errors are trapped. In a function, that trap is not called,
/// and the place of the command alone is unknown.
const TRAP: &str = r#"unset BASH_ENV
trap 'printf "%s\n" "$?" "$-" "$LINENO" "$BASH_COMMAND" >"$WATTLE_RUN_DIR"/run/failed 2>/dev/null' ERR
trap 'printf "%s\n" "$BASH_COMMAND" >"$WATTLE_RUN_DIR"/run/ended 2>/dev/null' EXIT
"#;
/// Lines that close a preceding block.
const CLOSERS: [&str; 4] = ["done", "fi", "esac", ";;"];
/// The status of a test that is false.
const FALSE: i32 = 1;
/// The message for a shell that reports nothing.
const SILENT: &str = "it printed nothing; bash would report which command ended it: make its first line `#!/bin/bash`";

/// The files in which bash records how a recipe ended.
#[derive(Debug)]
pub(super) struct End {
    noted: Option<Noted>,
}

#[derive(Debug)]
struct Noted {
    /// The last command.
    ended: PathBuf,
    /// The last one that failed untested.
    failed: PathBuf,
}

/// A command that failed untested.
#[derive(Debug)]
struct Failed {
    status: i32,
    /// Whether the shell ends at a failed command.
    is_end: bool,
    line: Option<usize>,
    command: String,
}

impl Failed {
    fn read(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).ok()?;
        let [status, flags, line, command] = text.splitn(4, '\n').collect::<Vec<_>>().try_into().ok()?;
        let (status, command) = (status.parse().ok()?, command.to_owned());
        Some(Self { status, is_end: flags.contains('e'), line: line.parse().ok(), command })
    }
}

impl End {
    /// Makes bash record its end, if `program`, or the one that `env` finds by the name `option`, is bash.
    pub(super) fn of(
        program: &Path,
        option: Option<&OsStr>,
        directory: &Directory,
        environment: &mut Environment,
    ) -> Self {
        let is_name = |word: &&str| !word.starts_with('-') && !word.contains('=');
        let found = || option.and_then(OsStr::to_str)?.split_ascii_whitespace().find(is_name);
        let name = program.file_name().and_then(OsStr::to_str);
        let name = if name == Some("env") { found() } else { name };
        if name != Some("bash") {
            return Self { noted: None };
        }
        let first = directory.tool().join("first.bash");
        let is_made = fs::create_dir_all(directory.tool()).and_then(|()| write(&first, TRAP)).is_ok();
        if is_made {
            environment.set("BASH_ENV", first);
        }
        Self { noted: is_made.then(|| Noted { ended: directory.ended(), failed: directory.failed() }) }
    }

    /// Explains what ended `script`, which failed with `status`, as far as that is known. `is_silent` is whether it
    /// printed nothing.
    pub(super) fn explain(&self, script: &Path, status: i32, is_silent: bool) -> Option<String> {
        let text = fs::read_to_string(script).ok()?;
        let last_test = || last_test(&text).filter(|_| status == FALSE);
        let Some(noted) = &self.noted else {
            let is_shell = !wattle_recipe::shell::is_other_program(&text);
            return last_test().or_else(|| (is_silent && is_shell).then(|| SILENT.to_owned()));
        };
        let failed = Failed::read(&noted.failed);
        if let Ok(command) = fs::read_to_string(&noted.ended) {
            let line = failed.filter(|failed| failed.command == command).and_then(|failed| failed.line);
            return ended_by(&text, command.trim_end(), line);
        }
        match failed.filter(|failed| failed.is_end && failed.status == status) {
            Some(failed) => ended_by(&text, failed.command.trim_end(), failed.line),
            None => last_test(),
        }
    }
}

/// The last command of a script with this text, if that is a test, which may be false. It may span several lines, and
/// be within loops and branches.
fn last_test(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim).enumerate();
    let code: Vec<(usize, &str)> = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect();
    let is_closer =
        |line: &str| line.split(|c: char| c.is_whitespace()).next().is_some_and(|word| CLOSERS.contains(&word));
    let end = code.iter().rposition(|(_, line)| !is_closer(line))?;
    // A line that continues on the next one, without its comment.
    let begun = |line: &str| {
        let line = line.split(" #").next().unwrap_or_default().trim_end();
        let goes_on = line.ends_with(['|', '\\']) || line.ends_with("&&");
        goes_on.then(|| format!("{} ", line.trim_end_matches('\\').trim_end()))
    };
    let start = code[..end].iter().rposition(|(_, line)| begun(line).is_none()).map_or(0, |before| before + 1);
    let command: String =
        code[start..end].iter().filter_map(|(_, line)| begun(line)).chain([code[end].1.into()]).collect();
    let is_test = ["[ ", "[[ ", "test "].iter().any(|test| command.starts_with(test)) || command.contains("&&");
    let line = code[start].0 + 1;
    let place = if start + 1 == code.len() { format!("line, {line}") } else { format!("command, in line {line}") };
    is_test.then(|| format!("its last {place}, is a test, which may be false: `{command}`"))
}

/// The command that ended the script with this text; `line` is its place, if bash knows it.
fn ended_by(text: &str, command: &str, line: Option<usize>) -> Option<String> {
    let first = command.lines().next()?.trim();
    // A script in quotes (`sh -c '...'`) spans several lines; that of a heredoc is separate.
    let is_whole = command.trim_end().lines().count() == 1 || first.contains("<<");
    let named = |shown: &str| format!("{}`{shown}`", if is_whole { "" } else { "the command that begins with " });
    if let Some(line) = line {
        let own = text.lines().nth(line.checked_sub(1)?).unwrap_or_default().trim();
        // Bash names one part of a pipe, and any part may have failed. It knows a command of several lines by its last
        // line.
        let shown = if own.contains('|') && own.contains(first) { own } else { first };
        return Some(format!("{} in line {line} ended it", named(shown)));
    }
    let mut lines = text.lines().enumerate().filter(|(_, line)| line.contains(first));
    Some(match (lines.next(), lines.next()) {
        (Some((line, _)), None) => format!("{} in line {} ended it", named(first), line + 1),
        _ => format!("{} ended it", named(first)),
    })
}

#[cfg(test)]
mod tests {
    use super::{ended_by, last_test};

    #[test]
    fn a_last_test_is_known_on_several_lines_and_within_others() {
        for (text, expected) in [
            ("echo x\n[ a = b ] && echo a\n", Some("line, 2, is a test, which may be false: `[ a = b ] && echo a`")),
            (
                "echo x\n[ \"$v\" = a ] &&\n  # why\n  echo a\n",
                Some("command, in line 2, is a test, which may be false: `[ \"$v\" = a ] && echo a`"),
            ),
            (
                "test -e x \\\n  -a -e y && # both\n  echo a\n\n# end",
                Some("command, in line 1, is a test, which may be false: `test -e x -a -e y && echo a`"),
            ),
            (
                "for x in a b; do\n  if true; then\n    [ $x = a ] && echo a\n  fi\ndone <list\n",
                Some("command, in line 3, is a test, which may be false: `[ $x = a ] && echo a`"),
            ),
            ("[ a = b ] && echo a\necho b\n", None),
            ("fi\n", None),
            ("", None),
        ] {
            assert_eq!(last_test(text), expected.map(|expected| format!("its last {expected}")), "{text}");
        }
    }

    #[test]
    fn the_line_of_bash_counts_where_it_has_one() {
        let text = "#!/bin/bash\nset -e\ncp a b\ncp a b\nls x | grep y\n(\n  cp c d\n)\n";
        for (command, line, expected) in [
            ("cp a b", Some(4), "`cp a b` in line 4 ended it"),
            ("cp a b", None, "`cp a b` ended it"),
            ("grep y", Some(5), "`ls x | grep y` in line 5 ended it"),
            ("( cp c d )", Some(8), "`( cp c d )` in line 8 ended it"),
            ("cp c d", None, "`cp c d` in line 7 ended it"),
            ("sh -c '\n  cp e f\n'", Some(9), "the command that begins with `sh -c '` in line 9 ended it"),
            ("sh <<END\ncp e f\nEND\n", Some(9), "`sh <<END` in line 9 ended it"),
        ] {
            assert_eq!(ended_by(text, command, line).as_deref(), Some(expected));
        }
    }
}
