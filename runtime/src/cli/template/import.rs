//! `wattle import`: a template as a crate of Rust.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use wattle::check::{Severity, has_errors};
use wattle::lower::Lowering;
use wattle::manners::reason;
use wattle::view::{self, Format};
use wattle_hot::import::{Dependency, Imported, Note, Options, import};
use wattle_hot::model::is_extended;

use super::given::{self, Given};
use crate::cli::args;
use crate::cli::console::Console;
use crate::cli::failure::{Exit, Failure};

pub(in crate::cli) fn command() -> Command {
    let out = Arg::new("out")
        .long("out")
        .short('o')
        .value_name("DIR")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help("The folder of the new crate, which is called as the folder is; as the template, if that is `crate`");
    let wattle = Arg::new("wattle")
        .long("wattle")
        .value_name("DIR|VERSION")
        .help("Where the crate finds wattle: its repository, or a version; the repository that this program is of, without it");
    Command::new("import")
        .about("Write a crate of Rust that emits what a template says")
        .args(given::args())
        .arg(out)
        .arg(wattle)
        .arg(args::flag("keep-software", "Leave software deployments as they are, though a component says the same"))
        .arg(args::flag("force", "Write into a folder that has files already, over those of the same names"))
}

pub(in crate::cli) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
    let given = Given::read(matches)?;
    let out: &PathBuf = matches.get_one("out").expect("INVARIANT: it is required");
    if is_extended(&given.loaded.template) {
        let failure = Failure::usage("this is an extended template, whose software has no form in a crate yet");
        return Err(failure.help("`wattle lower` writes what Heat and the data space get of it"));
    }
    let mut findings = given.findings(true, Lowering::default());
    // What Heat only warns of is no matter of the crate.
    findings.retain(|finding| finding.severity == Severity::Error);
    if has_errors(&findings) {
        let mut text = given.render(&findings, Format::Full, &console.err.options());
        text += &format!("{}; nothing was written\n", view::summary(&findings).unwrap_or_default());
        console.err.write(&text)?;
        return Ok(Exit::Failed);
    }
    if !matches.get_flag("force") && fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
        let failure = Failure::usage(format!("the folder `{}` has files already", out.display()));
        return Err(failure
            .note("nothing was written")
            .help("choose another with `--out`, or write over them with `--force`"));
    }
    // A folder that is called `crate` says nothing of what is in it.
    let own = out.file_name().filter(|name| *name != "crate");
    let name = own.or_else(|| Path::new(&*given.loaded.template.file).file_stem());
    let name = name.and_then(|name| name.to_str()).unwrap_or("imported");
    let mut options = Options::new(name, dependency(matches.get_one::<String>("wattle"))?);
    options.alone = is_within_workspace(out);
    options.components = !matches.get_flag("keep-software");
    let imported = import(&given.loaded, &options).map_err(|unsupported| {
        let failure = Failure::new(format!("{}: {}", unsupported.at, unsupported.text));
        failure.note("nothing was written")
    })?;
    write(out, &imported)?;
    console.err.write(&told(&imported.notes))?;
    console.out.write(&shown(out, &imported))?;
    Ok(Exit::Fine)
}

/// Where the crate finds wattle.
fn dependency(given: Option<&String>) -> Result<Dependency, Failure> {
    let is_repository =
        |folder: &Path| ["dsl", "catalog"].iter().all(|part| folder.join(part).join("Cargo.toml").exists());
    let Some(given) = given else {
        let program = std::env::current_exe().ok();
        let around = program.iter().flat_map(|program| program.ancestors().skip(1));
        // Else where it was built, if that is still there.
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
        let found = around.chain(built).find(|folder| is_repository(folder));
        return Ok(match found {
            Some(folder) => Dependency::Path(folder.display().to_string()),
            None => Dependency::Version(env!("CARGO_PKG_VERSION").into()),
        });
    };
    let folder = Path::new(given);
    if folder.is_dir() {
        let folder = folder.canonicalize().map_err(|error| Failure::usage(format!("`{given}`: {}", reason(&error))))?;
        if is_repository(&folder) {
            return Ok(Dependency::Path(folder.display().to_string()));
        }
        return Err(Failure::usage(format!("`{given}` is not wattle's repository: it has no `dsl` and no `catalog`")));
    }
    if given.starts_with(|first: char| first.is_ascii_digit()) {
        return Ok(Dependency::Version(given.clone()));
    }
    Err(Failure::usage(format!("there is no folder `{given}`, and a version begins with a digit")))
}

/// Whether Cargo finds a workspace around the folder.
fn is_within_workspace(folder: &Path) -> bool {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    folder.ancestors().skip(1).any(|folder| {
        fs::read_to_string(folder.join("Cargo.toml"))
            .is_ok_and(|text| text.lines().any(|line| line.trim() == "[workspace]"))
    })
}

fn write(out: &Path, imported: &Imported) -> Result<(), Failure> {
    for (name, text) in &imported.files {
        let path = out.join(name);
        let folder = path.parent().unwrap_or(out);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| Failure::files(format!("cannot write `{}`: {}", path.display(), reason(&error))))?;
    }
    Ok(())
}

fn told(notes: &[Note]) -> String {
    notes.iter().map(|note| format!("note: {}: {}\n", note.at, note.text)).collect()
}

/// The files, and what to type next.
fn shown(out: &Path, imported: &Imported) -> String {
    let mut text = format!("{}\n", out.display());
    for (n, (name, content)) in imported.files.iter().enumerate() {
        let branch = if n + 1 == imported.files.len() { "└──" } else { "├──" };
        text += &format!("{branch} {name}  {} lines\n", content.lines().count());
    }
    text + &format!("next: `cd {} && cargo run` emits the template\n", out.display())
}
