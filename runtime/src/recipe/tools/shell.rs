//! Shell recipes, and recipes in any language that their first line names.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use wattle::manners::open;
use wattle::model::IndexMap;

use super::Report;
use super::shell_end::End;
use crate::recipe::directory::Directory;
use crate::recipe::environment::Environment;
use crate::recipe::process::{Command, run};
use crate::recipe::{Broken, RecipeRun};
use crate::space::FailureKind;

const SHELL: &str = "/bin/sh";
/// The maximum number of bytes read of a first line; Linux reads 255.
const FIRST_LINE: u64 = 4096;
/// The maximum number of bytes read of a recipe's own explanation of its failure.
const WORDS: u64 = 4096;

/// Runs a script. It writes all its outputs as files.
pub(super) async fn go(job: &RecipeRun, directory: &Directory, mut environment: Environment) -> Result<Report, Broken> {
    let recipe = job.recipe()?;
    let script = directory.files().join(&**recipe);
    let interpreter = interpreter(&script)
        .map_err(|error| Broken::new(FailureKind::Start, format!("its recipe `{recipe}` cannot be read: {error}")))?;
    let (program, option) = interpreter.unwrap_or((SHELL.into(), None));
    environment.set_inputs(job, "");
    let end = End::of(program.as_ref(), option.as_deref(), directory, &mut environment);
    let command = Command {
        missing: format!("`{}`, which the first line of `{recipe}` names, is not installed", program.display()),
        program,
        arguments: option.into_iter().chain([script.clone().into()]).collect(),
        environment,
        at: directory.files(),
    };
    let ended = run(job, directory, command).await?;
    let good = ended.status.success();
    let is_silent = ended.log.iter().all(|line| line.trim().is_empty());
    let explained = || ended.status.code().and_then(|status| end.explain(&script, status, is_silent));
    let why = if good { None } else { own_words(&directory.why()).or_else(explained) };
    Ok(Report { good, why, outputs: IndexMap::default(), ended })
}

/// The recipe's explanation of its failure, if any.
fn own_words(path: &Path) -> Option<String> {
    let mut words = Vec::new();
    open(path).ok()?.take(WORDS).read_to_end(&mut words).ok()?;
    Some(String::from_utf8_lossy(&words).into_owned()).filter(|words| !words.trim().is_empty())
}

/// The interpreter in a script's first line, and the rest of the line, which is one argument (`execve(2)`). The script
/// itself need not be executable.
fn interpreter(script: &Path) -> std::io::Result<Option<(OsString, Option<OsString>)>> {
    let mut line = Vec::new();
    BufReader::new(fs::File::open(script)?.take(FIRST_LINE)).read_until(b'\n', &mut line)?;
    let line = String::from_utf8_lossy(&line);
    let Some(words) = line.strip_prefix("#!").map(str::trim) else { return Ok(None) };
    let (program, option) = match words.split_once([' ', '\t']) {
        Some((program, option)) => (program, Some(option.trim().into())),
        None => (words, None),
    };
    Ok((!program.is_empty()).then(|| (program.into(), option)))
}
