//! `wattle signal`: on a server, sends a signal to its waiters. It takes curl's options, because templates call it in
//! place of curl, which they use with Heat.

use std::io::{Read as _, stdin};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use wattle::manners::{read_bytes, reason};
use wattle::model::Value;

use super::args;
use super::console::Console;
use super::error::{CommandError, Exit};
use super::recipe::Agent;

/// The maximum size of a signal that is read, in bytes. This is more than an agent accepts.
const MOST: u64 = 1 << 20;

/// Flags of curl that have no effect here, with their short names.
const FLAGS: [(&str, char); 7] = [
    ("silent", 's'),
    ("show-error", 'S'),
    ("fail", 'f'),
    ("insecure", 'k'),
    ("include", 'i'),
    ("verbose", 'v'),
    ("location", 'L'),
];

/// Options of curl that take a value and have no effect here.
const OPTIONS: [(&str, Option<char>); 6] = [
    ("header", Some('H')),
    ("request", Some('X')),
    ("output", Some('o')),
    ("max-time", Some('m')),
    ("connect-timeout", None),
    ("retry", None),
];

pub(super) fn command() -> Command {
    let flags = FLAGS.map(|(name, short)| Arg::new(name).long(name).short(short).action(ArgAction::Count).hide(true));
    let options = OPTIONS.map(|(name, short)| {
        let option = Arg::new(name).long(name).value_name("VALUE").action(ArgAction::Append).hide(true);
        if let Some(short) = short { option.short(short) } else { option }
    });
    Command::new("signal")
        .about("On a server, report success or failure to a wait condition of a template")
        .arg(
            Arg::new("handle")
                .value_name("HANDLE")
                .required(true)
                .help("Handle of the wait condition, as in its `curl_cli`"),
        )
        .arg(
            Arg::new("data")
                .long("data-binary")
                .visible_alias("data")
                .alias("data-raw")
                .alias("data-ascii")
                .alias("json")
                .short('d')
                .value_name("JSON")
                .allow_hyphen_values(true)
                .help("Signal to send; @FILE reads it from a file, @- from standard input [default: a success]"),
        )
        .arg(
            Arg::new("state")
                .long("state")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .default_value("/var/lib/wattle")
                .help("Folder of the server's agent, which sends the signal; not needed within a recipe"),
        )
        .args(flags)
        .args(options)
        .after_help(args::section(&[
            (
                "Signalled",
                "  {\"status\": \"SUCCESS\"} or {\"status\": \"FAILURE\"}, and optionally \"reason\": text,
  \"data\": anything, and \"id\": a name. A later signal with the same id replaces the earlier one.
  The command returns once the data space has the signal.",
            ),
            (
                "In a template",
                "  Where wattle deploys without Heat, `wattle signal HANDLE` is the `curl_cli` of an
  OS::Heat::WaitConditionHandle: $curl_cli --data-binary '{\"status\": \"SUCCESS\"}' does the same as
  with Heat. Other options that describe curl's request are accepted and ignored.",
            ),
        ]))
}

pub(super) async fn run(matches: &ArgMatches, _: &mut Console) -> Result<Exit, CommandError> {
    let handle = matches.get_one::<String>("handle").expect("INVARIANT: it is required");
    let said = match matches.get_one::<String>("data") {
        Some(data) => said(data)?,
        None => Value::Null,
    };
    let state = matches.get_one::<PathBuf>("state").expect("INVARIANT: it has a default");
    Agent::of_recipe().unwrap_or_else(|| Agent::in_folder(state)).signal(handle, &said).await?;
    Ok(Exit::Fine)
}

/// The content of the signal, from curl's data argument. If it is empty, the signal is a success.
fn said(data: &str) -> Result<Value, CommandError> {
    let text = match data.strip_prefix('@') {
        Some("-") => {
            let mut text = Vec::new();
            stdin()
                .take(MOST)
                .read_to_end(&mut text)
                .map(|_| text)
                .map_err(|error| ("standard input".to_owned(), error))
        }
        Some(file) => read_bytes(Path::new(file)).map_err(|error| (format!("`{file}`"), error)),
        None => Ok(data.as_bytes().to_vec()),
    };
    let text = text.map_err(|(what, error)| CommandError::usage(format!("cannot read {what}: {}", reason(&error))))?;
    if text.trim_ascii().is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(&text).map_err(|error| {
        CommandError::usage(format!("the signal is not JSON: {error}"))
            .help("write `--data-binary '{\"status\": \"SUCCESS\"}'`, in single quotes")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_what_curl_takes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("said.json");
        std::fs::write(&file, "{\"status\": \"FAILURE\"}\n").unwrap();
        let file = format!("@{}", file.display());
        let success = r#"{"status": "SUCCESS"}"#;
        for (args, expected) in [
            (vec![], None),
            (vec!["--data-binary", success], Some(success)),
            (vec!["-s", "-S", "-f", "-X", "POST", "-H", "A: b", "-H", "C: d", "-d", success], Some(success)),
            (vec!["--silent", "--retry", "3", "-o", "/dev/null", "--data", success, "-i", "-k"], Some(success)),
            (vec!["--data-binary", ""], None),
            (vec!["--data-binary", &file], Some(r#"{"status": "FAILURE"}"#)),
        ] {
            let matches = command().try_get_matches_from(["signal", "1-2-ab"].iter().chain(&args)).unwrap();
            let given = matches.get_one::<String>("data").map_or(Value::Null, |data| said(data).unwrap());
            let expected = expected.map_or(Value::Null, |json| serde_json::from_str(json).unwrap());
            assert_eq!(given, expected, "{args:?}");
        }
        assert!(said("{status: SUCCESS}").unwrap_err().message.contains("not JSON"));
        assert!(said("@/nowhere").unwrap_err().message.contains("cannot read `/nowhere`"));
    }
}
