//! `wattle man`: the manual pages.

use std::fs;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_mangen::generate_to;
use wattle::manners::reason;

use super::console::Console;
use super::error::{CommandError, Exit};

pub(super) fn command() -> Command {
    Command::new("man").about("Write the manual pages").arg(
        Arg::new("out")
            .long("out")
            .short('o')
            .value_name("DIR")
            .required(true)
            .value_parser(value_parser!(PathBuf))
            .help("Folder to write to, such as ~/.local/share/man/man1"),
    )
}

pub(super) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let folder: &PathBuf = matches.get_one("out").expect("INVARIANT: it is required");
    let failed = |error: std::io::Error| {
        CommandError::files(format!("cannot write into `{}`: {}", folder.display(), reason(&error)))
    };
    fs::create_dir_all(folder).map_err(failed)?;
    generate_to(console.program.command_line(), folder).map_err(failed)?;
    console.out.write(&format!("{}: `man {0}/wattle.1` shows the first\n", folder.display()))?;
    Ok(Exit::Fine)
}
