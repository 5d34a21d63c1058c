//! `wattle lsp`: the language server for templates.

use std::path::PathBuf;

use clap::{ArgMatches, Command};
use wattle::manners::reason;
use wattle_lsp::{Server, serve_stdio};

use super::console::Console;
use super::error::{CommandError, Exit};
use super::template::Disk;
use super::{args, parameters};

pub(super) fn command() -> Command {
    Command::new("lsp")
        .about("Answer what an editor asks about Heat templates, as a language server")
        .arg(
            parameters::environments()
                .help("Use this environment for all templates; may be repeated, later ones override earlier ones"),
        )
        .arg(args::flag("stdio", "Accepted for editors that pass it; standard input and output are always used"))
        .after_help(args::section(&[(
            "What an editor gets",
            "  what `wattle check` reports, as you type; parameters without a value are not reported
  hover, completion, definitions, references, renaming, and an outline",
        )]))
}

pub(super) fn run(matches: &ArgMatches, _: &mut Console) -> Result<Exit, CommandError> {
    let mut environments = Vec::new();
    for path in matches.get_many::<PathBuf>("environment").into_iter().flatten() {
        let refused = |error| CommandError::usage(format!("cannot read `{}`: {}", path.display(), reason(&error)));
        environments.push(path.canonicalize().map_err(refused)?.display().to_string());
    }
    let in_order = serve_stdio(&mut Server::new(&Disk, environments));
    Ok(if in_order { Exit::Fine } else { Exit::Failed })
}
