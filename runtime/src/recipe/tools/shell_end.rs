//! Which line ended a shell recipe that failed.
//!
//! A test that is false under `set -e` ends a recipe without a word. Bash says where: it reads a file before the recipe that has
//! it note each command that fails where nobody asks, and its last command at the end. A recipe that sets a trap of its own
//! for its end keeps that, and nothing is noted. Other shells say nothing (Debian's dash does not even know its line); of
//! theirs, the last line alone can be told, if that is a test.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::recipe::directory::{Directory, write};
use crate::recipe::environment::Environment;

/// What bash reads first. `BASH_COMMAND` is the command as it is written, with no variable's value in it. Of a subshell that
/// failed it is the subshell's only where errors are trapped. In a function, that trap is not called, and the place of the
/// command alone is not known.
const TRAP: &str = r#"unset BASH_ENV
trap 'printf "%s\n%s\n" "$LINENO" "$BASH_COMMAND" >"$WATTLE_RUN_DIR"/run/failed 2>/dev/null' ERR
trap 'printf "%s\n" "$BASH_COMMAND" >"$WATTLE_RUN_DIR"/run/ended 2>/dev/null' EXIT
"#;
/// What others could do instead.
const SILENT: &str = "it printed nothing; bash would report which command ended it: make its first line `#!/bin/bash`";

/// Where bash notes how a recipe ended.
#[derive(Debug)]
pub(super) struct End {
    noted: Option<Noted>,
}

#[derive(Debug)]
struct Noted {
    /// The last command.
    ended: PathBuf,
    /// The last one that failed where nobody asked, behind its line.
    failed: PathBuf,
}

impl End {
    /// Has `program`, or the one that `env` finds by the name `option`, note it, if that is bash.
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

    /// What ended `script`, which failed, as far as that can be told. `is_silent` says whether it printed nothing.
    pub(super) fn tell(&self, script: &Path, is_silent: bool) -> Option<String> {
        let text = fs::read_to_string(script).ok()?;
        if let Some(noted) = &self.noted {
            let command = fs::read_to_string(&noted.ended).ok()?;
            let failed = fs::read_to_string(&noted.failed).ok();
            let failed =
                failed.as_ref().and_then(|failed| failed.split_once('\n')).filter(|(_, failed)| *failed == command);
            return ended_by(&text, command.trim_end(), failed.and_then(|(line, _)| line.parse().ok()));
        }
        let is_code = |line: &&(usize, &str)| !line.1.is_empty() && !line.1.starts_with('#');
        let lines: Vec<(usize, &str)> = text.lines().map(str::trim).enumerate().collect();
        let (line, last) = lines.iter().rfind(is_code)?;
        let is_test = last.starts_with("[ ") || last.starts_with("test ") || last.contains("&&");
        let last_line =
            is_test.then(|| format!("its last line, {}, is a test, which may be false: `{last}`", line + 1));
        let is_shell = !wattle_recipe::shell::is_other_program(&text);
        last_line.or_else(|| (is_silent && is_shell).then(|| SILENT.to_owned()))
    }
}

/// The command that ended the script of this text; `line` is where, if bash knows it.
fn ended_by(text: &str, command: &str, line: Option<usize>) -> Option<String> {
    let first = command.lines().next()?.trim();
    // A script in quotes (`sh -c '...'`) stands on several lines; that of a heredoc is its own.
    let is_whole = command.trim_end().lines().count() == 1 || first.contains("<<");
    let named = |shown: &str| format!("{}`{shown}`", if is_whole { "" } else { "the command that begins with " });
    if let Some(line) = line {
        let own = text.lines().nth(line.checked_sub(1)?).unwrap_or_default().trim();
        // Of a pipe, bash names a part, and any of them may be what failed. A command of several lines is known by its last.
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
    use super::ended_by;

    #[test]
    fn the_line_of_bash_counts_where_it_has_one() {
        let text = "#!/bin/bash\nset -e\ncp a b\ncp a b\nls x | grep y\n(\n  cp c d\n)\n";
        for (command, line, told) in [
            ("cp a b", Some(4), "`cp a b` in line 4 ended it"),
            ("cp a b", None, "`cp a b` ended it"),
            ("grep y", Some(5), "`ls x | grep y` in line 5 ended it"),
            ("( cp c d )", Some(8), "`( cp c d )` in line 8 ended it"),
            ("cp c d", None, "`cp c d` in line 7 ended it"),
            ("sh -c '\n  cp e f\n'", Some(9), "the command that begins with `sh -c '` in line 9 ended it"),
            ("sh <<END\ncp e f\nEND\n", Some(9), "`sh <<END` in line 9 ended it"),
        ] {
            assert_eq!(ended_by(text, command, line).as_deref(), Some(told));
        }
    }
}
