//! `wattle import`: converts a template to a Rust crate.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use wattle::check::{Severity, has_errors};
use wattle::lower::Lowering;
use wattle::shown;
use wattle::view::{self, Format};
use wattle_hot::import::{Options, import};
use wattle_hot::model::is_extended;

use super::given::{self, Given};
use crate::cli::console::Console;
use crate::cli::crates::Around;
use crate::cli::error::{CommandError, Exit};
use crate::cli::{args, crates};

pub(in crate::cli) fn command() -> Command {
    let out = Arg::new("out")
        .long("out")
        .short('o')
        .value_name("DIR")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help(
            "Folder of the new crate, which is named after the folder, or after the template if the folder is `crate`",
        );
    Command::new("import")
        .about("Write a Rust crate that emits what a template says")
        .args(given::args())
        .arg(out)
        .args(crates::wattle())
        .arg(args::flag("keep-software", "Keep software deployments as they are, although a component says the same"))
        .arg(args::flag("force", "Write into a folder that already has files, and overwrite those of the same names"))
}

pub(in crate::cli) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let given = Given::read(matches)?;
    let out: &PathBuf = matches.get_one("out").expect("INVARIANT: it is required");
    if is_extended(&given.loaded.template) {
        let failure =
            CommandError::usage("this is an extended template, whose software cannot be written as a crate yet");
        return Err(failure.help("`wattle lower` writes the part for Heat and the part for the data space"));
    }
    let mut diagnostics = given.diagnostics(true, Lowering::default());
    // Heat's warnings do not concern the crate.
    diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    if has_errors(&diagnostics) {
        let mut text = given.render(&diagnostics, Format::Full, &console.err.options());
        text += &format!("{}; nothing was written\n", view::summary(&diagnostics).unwrap_or_default());
        console.err.write(&text)?;
        return Ok(Exit::Failed);
    }
    if !matches.get_flag("force") {
        crates::must_be_empty(out)
            .map_err(|failure| failure.help("choose another with `--out`, or overwrite them with `--force`"))?;
    }
    // A folder called `crate` says nothing about its content.
    let own = out.file_name().filter(|name| *name != "crate");
    let name = own.or_else(|| Path::new(&*given.loaded.template.file).file_stem());
    let name = name.and_then(|name| name.to_str()).unwrap_or("imported");
    let place = crates::place(matches)?;
    let mut options = Options::new(name, place.wattle.clone());
    options.components = !matches.get_flag("keep-software");
    let mut imported = import(&given.loaded, &options).map_err(|unsupported| {
        let failure = CommandError::new(format!("{}: {}", unsupported.at, unsupported.text));
        failure.note("nothing was written")
    })?;
    crates::write(out, &imported.files)?;
    let built = crates::stand_in(&place, out)?;
    if !matches!(crates::settle(out, &mut imported.files)?, Around::Member(_)) {
        crates::take_versions(&place, out, &mut imported.files)?;
    }
    console.err.write(&built.unwrap_or_default())?;
    console.err.write(&imported.notes.iter().map(ToString::to_string).collect::<String>())?;
    console.out.write(&crates::shown(out, &imported.files))?;
    console.out.write(&format!("next: `cd {} && cargo run` emits the template\n", shown::path(out.display())))?;
    Ok(Exit::Fine)
}
