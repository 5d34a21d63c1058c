//! `wattle place`: places the servers of a template, all of them together.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};
use wattle::check::{Diagnostic, has_errors};
use wattle::cli::{Copied, is_json, write_files};
use wattle::diagram::FILE_NAME;
use wattle::lower::{Lowering, Seed};
use wattle::manners::{exit_codes, read, read_bytes, reason};
use wattle::plan::SETTINGS;
use wattle::view;
use wattle_heat::files::join;
use wattle_hot::model::is_extended;
use wattle_place::template::Placed;

use super::given::{self, Given};
use crate::cli::args;
use crate::cli::console::Console;
use crate::cli::error::{CommandError, Exit};
use crate::cli::placement::{self, Beside, Described, Template};

pub(in crate::cli) fn command() -> Command {
    Command::new("place")
        .about("Choose hosts for all servers of a template together, and write the template with these places")
        .args(given::args())
        .arg(placement::hosts().required(true))
        .arg(placement::flavors())
        .arg(placement::admin())
        .arg(
            Arg::new("out")
                .long("out")
                .short('o')
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Folder for the template and the files that it names. Defaults to `placed`, beside the template"),
        )
        .arg(args::format(&["plain", "json"]).help("Output format"))
        .arg(wattle::cli::messages("message-format").help("Format of errors and warnings"))
        .after_help(args::section(&[
            (
                "Places",
                "  With --admin, each server gets `availability_zone: ZONE:HOST`, which Nova accepts only from
  administrators. Without it, each server gets its zone, and server groups keep servers apart or
  together as policies say; anything that these groups cannot guarantee is a warning.",
            ),
            (
                "Policies",
                "  Server groups, and `wattle.placement` in the metadata of any resource of the template:
    wattle.placement:
      policies:
      - {apart: [db, web], by: rack}
      - {near: [web, cache], within: rack, preferred: 20}
      - {together: [a, b]}
      - {zone: az1, servers: [db]}
      - {license: windows, servers: [ad]}
      wires:
      - {between: [web, db], bandwidth: 200 Mbit/s}",
            ),
            (
                "Exit codes",
                &exit_codes(&[
                    (Exit::Fine, "the template was written; there may be warnings"),
                    (
                        Exit::Failed,
                        "something is wrong with the template or the hosts, or there is no room; nothing was written",
                    ),
                    (Exit::Usage, "wrong usage"),
                    (Exit::Files, "files could not be written; existing files are intact"),
                ]),
            ),
        ]))
}

pub(in crate::cli) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let mut given = Given::read(matches)?;
    let format = *matches.get_one("message-format").expect("INVARIANT: the argument has a default");
    let wrong = given.diagnostics(true, Lowering::default());
    if has_errors(&wrong) {
        return report(&given, &wrong, format, console);
    }
    let beside = beside(&given)?;
    let described =
        Described::read(matches, |path, what| given.further(path, what))?.expect("INVARIANT: it is required");
    let template = Template {
        loaded: &given.loaded,
        text: &|file| given.text(file).map(ToString::to_string),
        beside: &beside,
        runs: &BTreeMap::new(),
        moves: false,
    };
    let placed = match described.place(&template, matches) {
        Ok(placed) => placed,
        Err(wrong) => return report(&given, &wrong, format, console),
    };
    let own = folder(&given.loaded.template.file);
    let directory = matches.get_one("out").cloned().unwrap_or_else(|| Path::new(&own).join("placed"));
    let files = files(&given, &own, &placed, &beside)?;
    is_elsewhere(&directory, &own)?;
    keeps_what_was_read(&directory, &files, &given)?;
    let tree = write_files(&directory, &files)?;
    console.err.write(&given.render(&placed.warnings, format, &console.err.options()))?;
    if is_json(matches) {
        let out = [("out".to_owned(), directory.display().to_string().into())];
        let said: Map<String, Value> = out.into_iter().chain(placement::as_json(&placed)).collect();
        console.out.write(&format!("{:#}\n", Value::from(said)))?;
    } else {
        let shown = placement::places(&placed.servers, &console.out);
        console.out.write(&format!("{shown}\n{tree}"))?;
        console.err.write(&placement::said(&placed))?;
    }
    Ok(Exit::Fine)
}

/// The facts in an extended template's software, or in the seed beside an emitted template.
fn beside(given: &Given) -> Result<Beside, CommandError> {
    if is_extended(&given.loaded.template) {
        return Ok(Beside::of_model(given.model()));
    }
    let path = Path::new(&folder(&given.loaded.template.file)).join("seed.yaml");
    if !given.is_emitted || !path.is_file() {
        return Ok(Beside::default());
    }
    let cannot = |why: String| CommandError::usage(format!("cannot read `{}`: {why}", path.display()));
    let text = read(&path).map_err(|error| cannot(reason(&error)))?;
    let seed = Seed::read(&text).map_err(|error| cannot(error.to_string()))?;
    Ok(Beside::of(&seed))
}

/// Ends with an error report.
fn report(
    given: &Given,
    wrong: &[Diagnostic],
    format: view::Format,
    console: &mut Console,
) -> Result<Exit, CommandError> {
    let mut text = given.render(wrong, format, &console.err.options());
    if format != view::Format::Json
        && let Some(summary) = view::summary(wrong)
    {
        text += &format!("{summary}; nothing was written\n");
    }
    console.err.write(&text)?;
    Ok(Exit::Failed)
}

/// The folder of a file in the form used by the paths in it, with a trailing slash. Empty for the current directory.
fn folder(file: &str) -> String {
    let folder = join(file, ".");
    if folder.is_empty() || folder.ends_with('/') { folder } else { folder + "/" }
}

/// The placed template with all files that it names, and the files that `emit` wrote beside it.
fn files(given: &Given, own: &str, placed: &Placed, beside: &Beside) -> Result<Vec<Copied>, CommandError> {
    let name = |path: &str| {
        let name = path.strip_prefix(own).filter(|name| !name.split('/').any(|part| matches!(part, "" | "..")));
        name.map(str::to_owned).ok_or_else(|| {
            CommandError::usage(format!("the template names `{path}`, which is not in its folder"))
                .note("nothing was written")
                .help("put it there, so that it is copied beside the placed template")
        })
    };
    let root = &*given.loaded.template.file;
    let changed = |path: &str| placed.files.iter().find(|(file, _)| file == path).map(|(_, text)| text.as_bytes());
    let mut all = Vec::new();
    let text = given.text(root).map_or(&[][..], |text| text.as_bytes());
    let first = if root.starts_with('<') { "template.yaml" } else { root.rsplit('/').next().unwrap_or(root) };
    let bytes = changed(root).unwrap_or(text).to_vec();
    all.push(Copied { name: first.to_owned(), content: "the template, with places".into(), bytes });
    let library = &given.loaded.library;
    for (path, text) in library.contents.iter().filter(|(path, _)| *path != root) {
        let Ok(text) = text else { continue };
        let content =
            if changed(path).is_some() { "a nested template, with places" } else { "what the template names" };
        let bytes = changed(path).unwrap_or(text.as_bytes()).to_vec();
        all.push(Copied { name: name(path)?, content: content.into(), bytes });
    }
    for (path, bytes) in library.recipes.iter().filter(|(path, _)| !library.contents.contains_key(*path)) {
        let Ok(bytes) = bytes else { continue };
        all.push(Copied { name: name(path)?, content: "a recipe's file".into(), bytes: bytes.clone() });
    }
    if given.is_emitted {
        for (file, content) in [
            ("environment.yaml", "its parameters"),
            ("seed.yaml", "the seed"),
            (FILE_NAME, "the diagram, with places"),
            (SETTINGS, "the settings"),
        ] {
            let path = Path::new(own).join(file);
            if path.is_file() && !all.iter().any(|known| known.name == file) {
                let mut bytes = read_bytes(&path).map_err(|error| {
                    CommandError::usage(format!("cannot read `{}`: {}", path.display(), reason(&error)))
                })?;
                if file == FILE_NAME
                    && let Ok(text) = std::str::from_utf8(&bytes)
                    && let Some(drawn) = placement::drawn(text, placed, beside)
                {
                    bytes = drawn.into_bytes();
                }
                all.push(Copied { name: file.to_owned(), content: content.into(), bytes });
            }
        }
    }
    Ok(all)
}

/// Refuses to overwrite an input of the placement, because it may be the only copy.
fn keeps_what_was_read(directory: &Path, files: &[Copied], given: &Given) -> Result<(), CommandError> {
    let real = |path: &Path| path.canonicalize().ok();
    let library = &given.loaded.library;
    let names = given.names().chain(library.contents.keys()).chain(library.recipes.keys());
    let sources: HashSet<PathBuf> = names.filter_map(|name| real(Path::new(name))).collect();
    let mut paths = files.iter().map(|file| directory.join(&file.name));
    match paths.find(|path| real(path).is_some_and(|path| sources.contains(&path))) {
        Some(path) => Err(CommandError::usage(format!("`{}` would be overwritten, but it was read", path.display()))
            .note("nothing was written")
            .help("choose another place: `--out DIR`")),
        None => Ok(()),
    }
}

/// Refuses the template's own folder, because an already placed template would be taken for its author's own.
fn is_elsewhere(directory: &Path, own: &str) -> Result<(), CommandError> {
    let own = if own.is_empty() { Path::new(".") } else { Path::new(own) };
    match (directory.canonicalize(), own.canonicalize()) {
        (Ok(directory), Ok(own)) if directory == own => {
            Err(CommandError::usage(format!("the template itself is in `{}`", directory.display()))
                .note("nothing was written")
                .help("choose another place: `--out DIR`"))
        }
        _ => Ok(()),
    }
}
