//! The common part of the commands that write a crate.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Arg, ArgMatches};
use wattle::manners::{read, reason};
use wattle::names::count;
use wattle_hot::import::Dependency;

use super::error::CommandError;

/// The options for the crate's dependency on wattle.
pub(super) fn wattle() -> [Arg; 2] {
    let wattle = Arg::new("wattle").long("wattle").value_name("VERSION|URL|DIR").help(
        "Where the crate finds wattle: a version, the URL of a git repository, or a local folder with the repository. \
         Defaults to the version of this program",
    );
    let registry = Arg::new("registry")
        .long("registry")
        .value_name("NAME")
        .help("Registry with that version, by its name in Cargo's configuration");
    [wattle, registry]
}

/// The crate's dependency on wattle.
pub(super) struct Place {
    /// The dependency in its manifest.
    pub(super) wattle: Dependency,
    /// The repository that replaces it on this machine, if no dependency was given.
    pub(super) here: Option<PathBuf>,
    /// Whether no dependency was given, so that it is the version of this program.
    is_default: bool,
}

/// Reads the values of [`wattle`].
pub(super) fn place(matches: &ArgMatches) -> Result<Place, CommandError> {
    let registry = matches.get_one::<String>("registry");
    let given = matches.get_one::<String>("wattle");
    if let Some(registry) = registry {
        let is_name =
            !registry.is_empty() && registry.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        if !is_name {
            return Err(CommandError::usage(format!("`{registry}` is not the name of a registry"))
                .help("Cargo's configuration defines the names: `[registries.NAME]`"));
        }
    }
    let of_version = |version: &str| match registry {
        Some(registry) => Dependency::Registry { registry: registry.clone(), version: version.to_owned() },
        None => Dependency::Version(version.to_owned()),
    };
    let Some(given) = given else {
        let here = repository().filter(|_| registry.is_none());
        return Ok(Place { wattle: of_version(env!("CARGO_PKG_VERSION")), here, is_default: registry.is_none() });
    };
    let wattle = asked(given, of_version)?;
    if let (Some(registry), Dependency::Path(_) | Dependency::Git(_)) = (registry, &wattle) {
        return Err(CommandError::usage(format!(
            "the registry `{registry}` holds versions, and `{given}` is not a version"
        )));
    }
    Ok(Place { wattle, here: None, is_default: false })
}

fn asked(given: &str, of_version: impl Fn(&str) -> Dependency) -> Result<Dependency, CommandError> {
    let folder = Path::new(given);
    if folder.is_dir() {
        let folder =
            folder.canonicalize().map_err(|error| CommandError::usage(format!("`{given}`: {}", reason(&error))))?;
        if is_repository(&folder) {
            return Ok(Dependency::Path(folder.display().to_string()));
        }
        return Err(CommandError::usage(format!(
            "`{given}` is not wattle's repository: it has no `dsl` and no `catalog`"
        )));
    }
    if given.contains("://") {
        return Ok(Dependency::Git(given.to_owned()));
    }
    if given.starts_with(|first: char| first.is_ascii_digit()) {
        return Ok(of_version(given));
    }
    let error = CommandError::usage(format!(
        "`{given}` is not a folder, a URL (with `://`), or a version (which begins with a digit)"
    ));
    Err(match given.split_once(':') {
        // The form that `git clone` takes.
        Some((host, path)) if host.contains('@') => error.help(format!("write the URL as `ssh://{host}/{path}`")),
        _ => error,
    })
}

/// Makes Cargo build a crate on this machine with the repository of this program, and reports that. This affects no
/// other machine: the manifest names a version, which is all that others get, because git ignores the file written
/// here.
pub(super) fn stand_in(place: &Place, folder: &Path) -> Result<Option<String>, CommandError> {
    let Some(here) = &place.here else { return Ok(place.is_default.then(published)) };
    let on = Dependency::Path(here.display().to_string());
    let text = format!(
        "# On this machine, Cargo builds the crate with the wattle in this folder. Git ignores this file, so wherever else\n\
         # the crate is built, Cargo takes the version of wattle that Cargo.toml names.\n\
         [patch.crates-io]\nwattle = {{ {} }}\nwattle-catalog = {{ {} }}\n",
        on.on("dsl"),
        on.on("catalog"),
    );
    write(folder, &[(".cargo/config.toml".into(), text), (".cargo/.gitignore".into(), "*\n".into())])?;
    Ok(Some(format!(
        "note: on this machine the crate is built with the wattle in `{}`, as `.cargo/config.toml` says; git ignores \
         that file\n",
        here.display()
    )))
}

/// The note if nothing overrides the version in the manifest.
fn published() -> String {
    format!(
        "note: the crate takes wattle {} from crates.io; if that does not have it, repeat this with `--wattle URL`, with \
         the URL of a git repository of wattle\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// The directory in which this program was built. Releases omit it, because they are reproducible.
const BUILT: Option<&str> = match option_env!("WATTLE_RELEASE") {
    Some(_) => None,
    None => Some(env!("CARGO_MANIFEST_DIR")),
};

/// The repository of this program.
fn repository() -> Option<PathBuf> {
    let program = std::env::current_exe().ok();
    let around = program.iter().flat_map(|program| program.ancestors().skip(1));
    // Otherwise the place where it was built, if that still exists.
    around
        .chain(BUILT.and_then(|built| Path::new(built).parent()))
        .find(|folder| is_repository(folder))
        .map(Path::to_owned)
}

fn is_repository(folder: &Path) -> bool {
    ["dsl", "catalog"].iter().all(|part| folder.join(part).join("Cargo.toml").exists())
}

/// How the new crate relates to the workspace that surrounds it.
pub(super) enum Around {
    /// There is no workspace, or none that applies to the crate.
    Nothing,
    /// The workspace with this manifest has it as a member, because a pattern in its `members` matches.
    Member(PathBuf),
    /// The workspace with this manifest does not have it as a member, so the crate is a workspace of its own.
    Apart(PathBuf),
}

/// Makes the crate in `folder`, whose `files` have been written, a workspace of its own if Cargo would otherwise take
/// it for a forgotten member of the surrounding one. In a workspace of which it is a member, that would be an error.
pub(super) fn settle(folder: &Path, files: &mut [(String, String)]) -> Result<Around, CommandError> {
    let Some(around) = workspace_around(folder) else { return Ok(Around::Nothing) };
    match (workspace_of(folder), around.parent().and_then(|around| around.canonicalize().ok())) {
        (Some(root), Some(around_it)) if root == around_it => return Ok(Around::Member(around)),
        (Some(_), _) => return Ok(Around::Nothing),
        (None, _) => {}
    }
    if let Some(manifest) = files.iter_mut().find(|(name, _)| name == "Cargo.toml") {
        manifest.1 += "\n[workspace]\n";
        write(folder, std::slice::from_ref(manifest))?;
    }
    Ok(Around::Apart(around))
}

/// The folder of the workspace to which Cargo assigns the crate. `None` if Cargo refuses the crate as it is, or is not
/// installed.
fn workspace_of(folder: &Path) -> Option<PathBuf> {
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"]);
    let said = cargo.arg(folder.join("Cargo.toml")).stdin(Stdio::null()).output().ok()?;
    let said: serde_json::Value = serde_json::from_slice(&said.stdout).ok()?;
    Path::new(said["workspace_root"].as_str()?).canonicalize().ok()
}

/// The manifest of the workspace that Cargo finds around the folder.
fn workspace_around(folder: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    folder.ancestors().skip(1).map(|folder| folder.join("Cargo.toml")).find(|manifest| {
        let is_table = |line: &str| line.starts_with("[workspace]") || line.starts_with("[workspace.");
        read(manifest).is_ok_and(|text| text.lines().any(|line| is_table(line.trim())))
    })
}

/// Refuses a folder that contains files.
pub(super) fn must_be_empty(folder: &Path) -> Result<(), CommandError> {
    if folder.is_dir() && fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none()) || !folder.exists() {
        return Ok(());
    }
    let what = if folder.is_dir() { "the folder" } else { "the file" };
    let state = if folder.is_dir() { "already has files" } else { "already exists" };
    Err(CommandError::usage(format!("{what} `{}` {state}", folder.display())).note("nothing was written"))
}

/// Copies the versions of dependencies that wattle is tested with, and adds the file to `files`.
pub(super) fn take_versions(
    place: &Place,
    folder: &Path,
    files: &mut Vec<(String, String)>,
) -> Result<(), CommandError> {
    let repository = match &place.wattle {
        Dependency::Path(repository) => Some(Path::new(repository)),
        _ => place.here.as_deref(),
    };
    let Some(Ok(versions)) = repository.map(|repository| read(&repository.join("Cargo.lock"))) else { return Ok(()) };
    let lock = ("Cargo.lock".to_owned(), versions);
    write(folder, std::slice::from_ref(&lock))?;
    files.push(lock);
    files.sort();
    Ok(())
}

/// Writes files below a folder, creating parent folders.
pub(super) fn write(out: &Path, files: &[(String, String)]) -> Result<(), CommandError> {
    for (name, text) in files {
        let path = out.join(name);
        let folder = path.parent().unwrap_or(out);
        // The creator of the folder may have put links in it.
        let parts = Path::new(name).ancestors().filter(|part| !part.as_os_str().is_empty());
        if let Some(link) = parts.map(|part| out.join(part)).find(|part| part.is_symlink()) {
            let failure =
                CommandError::files(format!("cannot write `{}`: `{}` is a link", path.display(), link.display()));
            return Err(failure.help("remove the link, or choose another folder"));
        }
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| CommandError::files(format!("cannot write `{}`: {}", path.display(), reason(&error))))?;
    }
    Ok(())
}

/// The files as a tree.
pub(super) fn shown(out: &Path, files: &[(String, String)]) -> String {
    let mut text = format!("{}\n", out.display());
    for (n, (name, content)) in files.iter().enumerate() {
        let branch = if n + 1 == files.len() { "└──" } else { "├──" };
        let about = match &**name {
            "Cargo.lock" => "the versions that wattle is tested with".to_owned(),
            _ => count(content.lines().count(), "line"),
        };
        text += &format!("{branch} {name}  {about}\n");
    }
    text
}
