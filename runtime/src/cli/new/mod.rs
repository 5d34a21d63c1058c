//! `wattle new`: creates a crate with a blueprint to start from.
//!
//! The crate's files are in `files`, exactly as they are written except for placeholders: `BLUEPRINT`,
//! `BLUEPRINT-PACKAGE`, and wattle's dependency in the manifest.

mod name;

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use wattle_hot::import::Dependency;

use super::console::Console;
use super::crates::{self, Around};
use super::error::{CommandError, Exit};
use name::Name;

const FILES: [(&str, &str); 7] = [
    (".gitignore", include_str!("files/gitignore")),
    ("Cargo.toml", include_str!("files/Cargo.toml.in")),
    ("README.md", include_str!("files/README.md")),
    ("recipes/greeter.sh", include_str!("files/recipes/greeter.sh")),
    ("src/lib.rs", include_str!("files/src/lib.rs")),
    ("src/main.rs", include_str!("files/src/main.rs")),
    ("tests/blueprint.rs", include_str!("files/tests/blueprint.rs")),
];

pub(super) fn command() -> Command {
    Command::new("new")
        .about("Create a crate with a blueprint to start from")
        .arg(
            Arg::new("path")
                .value_name("NAME")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("Name of the crate and of its new folder; in a path, the last part is the name"),
        )
        .args(crates::wattle())
}

pub(super) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let folder: &PathBuf = matches.get_one("path").expect("INVARIANT: it is required");
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = Name::read(name)?;
    crates::must_be_empty(folder).map_err(|failure| failure.help("choose another name"))?;
    let place = crates::place(matches)?;
    let mut files = files(&name, &place.wattle);
    crates::write(folder, &files)?;
    let built = crates::stand_in(&place, folder)?;
    match crates::settle(folder, &mut files)? {
        Around::Nothing => crates::take_versions(&place, folder, &mut files)?,
        Around::Member(manifest) => {
            console.err.write(&format!("note: it is a member of the workspace `{}`\n", manifest.display()))?;
        }
        Around::Apart(manifest) => {
            crates::take_versions(&place, folder, &mut files)?;
            console.err.write(&format!(
                "note: it is a workspace of its own, because `{}` is another one; to join that, name the crate in its \
                 `members` and remove `[workspace]` and `Cargo.lock` here\n",
                manifest.display()
            ))?;
        }
    }
    console.err.write(&built.unwrap_or_default())?;
    console.out.write(&crates::shown(folder, &files))?;
    console.out.write(&format!(
        "next: `cd {} && cargo run` emits it; `wattle up out/{}` then brings it up on this machine\n",
        wattle::shown::path(folder.display()),
        name.function
    ))?;
    Ok(Exit::Fine)
}

/// The crate's files, by their paths.
fn files(name: &Name, wattle: &Dependency) -> Vec<(String, String)> {
    let written = FILES.iter().map(|(path, text)| {
        let text = text.replace("BLUEPRINT-PACKAGE", &name.package).replace("BLUEPRINT", &name.function);
        let text = text.replace("{ WATTLE }", &format!("{{ {} }}", wattle.on("dsl")));
        let text = text.replace("{ CATALOG }", &format!("{{ {} }}", wattle.on("catalog")));
        ((*path).to_owned(), text)
    });
    written.collect()
}
