//! Values of parameters on the command line: from environments, one by one, from files, and from commands.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use wattle::cli::{beside, environment};
use wattle::manners::{self, reason};

use crate::seed::Given;

use super::error::CommandError;

/// The options that set single values. A later one in this list overrides an earlier one.
pub(super) const OPTIONS: [&str; 3] = ["parameter", "parameter-file", "parameter-from"];

/// The option of [`handed`].
const HANDED: &str = "handed-parameter";

/// The exit codes of a shell for a command that cannot be run, and for one that is not found.
const CANNOT_RUN: [(i32, &str); 2] = [(126, "; a command in it cannot be run"), (127, "; there is no such command")];

/// The option for environment files, without its help.
pub(super) fn environments() -> Arg {
    Arg::new("environment")
        .long("environment")
        .short('e')
        .value_name("FILE")
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf))
}

/// The options for values of parameters.
pub(super) fn arguments() -> [Arg; 4] {
    [
        environments().help(
            "Read parameters from a Heat environment file; may be repeated, later files override earlier ones, and all \
                 override the `environment.yaml` in the folder",
        ),
        Arg::new("parameter").long("parameter").short('P').value_name("NAME=VALUE").action(ArgAction::Append).help(
            "Set a parameter; overrides environment files. Every user of the machine can see the value while the \
             command runs, so keep secrets in files",
        ),
        Arg::new("parameter-file")
            .long("parameter-file")
            .value_name("NAME=FILE")
            .action(ArgAction::Append)
            .help("Set a parameter to the content of a file, without the newline at its end; overrides -P"),
        Arg::new("parameter-from").long("parameter-from").value_name("NAME=COMMAND").action(ArgAction::Append).help(
            "Set a parameter to the line that a command of the shell prints, such as `vault kv get -field=password \
                 secret/db`; overrides all others",
        ),
    ]
}

/// The given parameters: from the environment file beside the seed, from further ones, and those that were [assigned].
pub(super) fn given(
    matches: &ArgMatches,
    directory: &Path,
    assigned: &[(String, String)],
) -> Result<Given, CommandError> {
    let beside = beside(directory);
    let files = beside.iter().chain(matches.get_many::<PathBuf>("environment").into_iter().flatten());
    let mut given = Given::new(environment(files)?);
    for (name, value) in assigned {
        given.assign(name.clone(), value.clone());
    }
    Ok(given)
}

/// The option by which an `up` passes the values that it has read to one in the background, because a pipe or a command
/// may yield them only once.
pub(super) fn handed() -> Arg {
    Arg::new(HANDED).long(HANDED).value_name("NAME=VALUE").action(ArgAction::Append).hide(true)
}

/// The arguments for the `up` in the background, with these values.
pub(super) fn hand_over(args: impl Iterator<Item = OsString>, assigned: &[(String, String)]) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.collect();
    let command = args.iter().skip(1).position(|arg| arg == "up").map_or(args.len(), |at| at + 2);
    let handed = assigned.iter().map(|(name, value)| format!("--{HANDED}={name}={value}").into());
    args.splice(command..command, handed);
    args
}

/// The values set one by one, as text. This runs commands, whose output may not be available a second time, so call it
/// once.
pub(super) fn assigned(matches: &ArgMatches) -> Result<Vec<(String, String)>, CommandError> {
    if let Ok(Some(handed)) = matches.try_get_many::<String>(HANDED) {
        let split = |one: &String| one.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        return Ok(handed.filter_map(split).collect());
    }
    let mut given = Vec::new();
    for assignment in matches.get_many::<String>("parameter").into_iter().flatten() {
        let (name, value) = assignment.split_once('=').ok_or_else(|| {
            CommandError::usage(format!("`{assignment}` is not NAME=VALUE")).help("write `--parameter NAME=VALUE`")
        })?;
        given.push((name.trim().to_owned(), value.to_owned()));
    }
    for assignment in matches.get_many::<String>("parameter-file").into_iter().flatten() {
        given.push(from_file(assignment)?);
    }
    for assignment in matches.get_many::<String>("parameter-from").into_iter().flatten() {
        given.push(from_command(assignment)?);
    }
    Ok(given)
}

/// Reads the value of a parameter from a file.
fn from_file(assignment: &str) -> Result<(String, String), CommandError> {
    let Some((name, file)) = assignment.split_once('=') else {
        return Err(
            CommandError::usage(format!("`{assignment}` is not NAME=FILE")).help("write `--parameter-file NAME=FILE`")
        );
    };
    let refuse = |why: &str| CommandError::usage(format!("cannot read the value of `{name}` from `{file}`: {why}"));
    let text = read_value(Path::new(file)).map_err(|error| refuse(&reason(&error)))?;
    let value = text.strip_suffix('\n').unwrap_or(&text);
    if value.is_empty() {
        // A pipe is also empty if it was read before.
        return Err(refuse("it is empty").help(format!("`--parameter {name}=` gives an empty value")));
    }
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// Reads a file, or a pipe that a shell has opened in its place (`<(...)`), which has a writer at its other end.
fn read_value(file: &Path) -> std::io::Result<String> {
    if !["/dev/fd", "/proc/self/fd"].iter().any(|open| file.starts_with(open)) {
        return manners::read(file);
    }
    let file = File::open(file)?;
    if file.metadata()?.file_type().is_char_device() {
        return Err(std::io::Error::other("it is a device, not a file"));
    }
    manners::text(manners::whole(file)?)
}

/// Reads the value of a parameter from a command. No message shows the command or its output, because either may
/// contain a secret.
fn from_command(assignment: &str) -> Result<(String, String), CommandError> {
    let named = assignment.split_once('=').map(|(name, command)| (name.trim(), command));
    let Some((name, command)) = named.filter(|(name, command)| !name.is_empty() && !command.trim().is_empty()) else {
        // Without a name in front, it may be a command that contains a secret.
        return Err(CommandError::usage("`--parameter-from` is given something that is not NAME=COMMAND")
            .help("write `--parameter-from NAME=COMMAND`, in quotes: `--parameter-from password='pass show db'`"));
    };
    let refuse = |why: String| CommandError::new(format!("cannot get the value of `{name}` from its command: {why}"));
    let text = printed(command).map_err(refuse)?;
    let value = text.trim_end_matches('\n');
    match value.lines().count() {
        0 => Err(refuse("it prints nothing".to_owned()).help(format!("`--parameter {name}=` gives an empty value"))),
        1 => Ok((name.to_owned(), value.to_owned())),
        lines => Err(refuse(format!("it prints {lines} lines, and a value is one"))
            .help("have it print the value alone: `vault kv get -field=FIELD ...`, `openstack ... -f value -c COLUMN`")
            .help(format!("if the value does have several lines, like a key: `--parameter-file {name}=<(COMMAND)`"))),
    }
}

/// Runs a shell command, and returns its output. It has no input, and its standard error is passed through.
fn printed(command: &str) -> Result<String, String> {
    let spawned = Command::new("sh").args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| format!("`sh` cannot be run: {}", reason(&error)))?;
    let output = child.stdout.take().expect("INVARIANT: it is piped");
    let bytes = manners::whole(File::from(OwnedFd::from(output)));
    if bytes.is_err() {
        let _ = child.kill();
    }
    let status = child.wait().map_err(|error| reason(&error))?;
    let bytes = bytes.map_err(|error| reason(&error))?;
    if !status.success() {
        return Err(ended(status));
    }
    manners::text(bytes).map_err(|error| reason(&error))
}

/// Describes how a failed command ended.
fn ended(status: ExitStatus) -> String {
    let Some(code) = status.code() else {
        return format!("it was ended by signal {}", status.signal().unwrap_or_default());
    };
    let why = CANNOT_RUN.iter().find(|(known, _)| *known == code).map_or("", |(_, why)| why);
    format!("it ended with exit code {code}{why}")
}
