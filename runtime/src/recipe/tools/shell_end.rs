//! Which line ended a shell recipe that failed.
//!
//! A test that is false under `set -e` ends a recipe without a word. Bash says where: it reads a file before the recipe that has
//! it note its last command at the end. A recipe that sets a trap of its own for its end keeps that, and nothing is noted.
//! Other shells say nothing; of theirs, the last line alone can be told, if that is a test.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::recipe::directory::{Directory, write};
use crate::recipe::environment::Environment;

/// What bash reads first. `BASH_COMMAND` is the command as it is written, with no variable's value in it.
const TRAP: &str = r#"unset BASH_ENV
trap 'printf "%s\n%s\n" "${BASH_LINENO[0]-0}" "$BASH_COMMAND" >"$WATTLE_RUN_DIR"/run/ended 2>/dev/null' EXIT
"#;

/// Where bash notes how a recipe ended.
#[derive(Debug)]
pub(super) struct End {
    noted: Option<PathBuf>,
}

impl End {
    /// Has `program`, or the one that `env` finds by the name `option`, note it, if that is bash.
    pub(super) fn of(
        program: &Path,
        option: Option<&OsStr>,
        directory: &Directory,
        environment: &mut Environment,
    ) -> Self {
        let name = program.file_name();
        let name = if name == Some(OsStr::new("env")) { option } else { name };
        if name != Some(OsStr::new("bash")) {
            return Self { noted: None };
        }
        let first = directory.tool().join("first.bash");
        let is_made = fs::create_dir_all(directory.tool()).and_then(|()| write(&first, TRAP)).is_ok();
        if is_made {
            environment.set("BASH_ENV", first);
        }
        Self { noted: is_made.then(|| directory.ended()) }
    }

    /// What ended `script`, which failed, as far as that can be told.
    pub(super) fn tell(&self, script: &Path) -> Option<String> {
        let text = fs::read_to_string(script).ok()?;
        if let Some(noted) = &self.noted {
            let noted = fs::read_to_string(noted).ok()?;
            let (_, command) = noted.trim_end().split_once('\n')?;
            let first = command.lines().next()?.trim();
            let mut lines = text.lines().enumerate().filter(|(_, line)| line.contains(first));
            return Some(match (lines.next(), lines.next()) {
                (Some((line, _)), None) => format!("`{first}` in line {} ended it", line + 1),
                _ => format!("`{first}` ended it"),
            });
        }
        let is_code = |line: &str| !line.is_empty() && !line.starts_with('#');
        let (line, last) = text.lines().map(str::trim).enumerate().filter(|(_, line)| is_code(line)).last()?;
        let is_test = last.starts_with("[ ") || last.starts_with("test ") || last.contains("&&");
        is_test.then(|| format!("its last line, {}, is a test, which may be false: `{last}`", line + 1))
    }
}
