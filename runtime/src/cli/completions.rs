//! `wattle completions`: completion scripts for shells.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::{Shell, generate};

use super::console::Console;
use super::error::{CommandError, Exit};
use super::{args, explain};

pub(super) fn command() -> Command {
    Command::new("completions")
        .about("Print a completion script for a shell")
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(value_parser!(Shell))
                .help("Shell to complete commands in"),
        )
        .after_help(args::section(&[(
            "Where to put it",
            "  wattle completions bash >~/.local/share/bash-completion/completions/wattle
  wattle completions fish >~/.config/fish/completions/wattle.fish
  wattle completions zsh  >DIR/_wattle     a DIR of $fpath",
        )]))
}

pub(super) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let shell: Shell = *matches.get_one("shell").expect("INVARIANT: it is required");
    let mut text = Vec::new();
    // The command itself accepts any word as a code, because its error message is better than clap's.
    let codes = PossibleValuesParser::new(explain::checks().into_iter().map(|check| check.code));
    let command = console
        .program
        .command_line()
        .mut_subcommand("explain", |explain| explain.mut_arg("code", |code| code.value_parser(codes)));
    generate(shell, &mut visible(&command), "wattle", &mut text);
    console.out.write(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Fine)
}

/// The same command without its hidden arguments, which a script would complete like the others.
fn visible(command: &Command) -> Command {
    let about = command.get_about().cloned().unwrap_or_default();
    // The program prints the script and ends, so the names may live as long as it does.
    Command::new(&*command.get_name().to_owned().leak())
        .about(about)
        .args(command.get_arguments().filter(|arg| !arg.is_hide_set()).cloned())
        .groups(command.get_groups().cloned())
        .subcommands(command.get_subcommands().map(visible))
        .disable_help_subcommand(command.is_disable_help_subcommand_set())
}
