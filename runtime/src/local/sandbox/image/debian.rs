//! An image of Debian, or of this machine's distribution if debootstrap supports it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;
use wattle::manners::read;

use crate::local::error::UpError;
use crate::local::sandbox::refuse;
use crate::local::sandbox::tools::{Tools, found};

use super::apt::{self, PackageSource};
use super::cache::Place;

/// Packages that Debian's cloud images also have, and that recipes expect.
const PACKAGES: &str = "ca-certificates,curl,iproute2,netbase,procps,python3";
/// The releases of Debian for a machine that runs something else, newest first.
const RELEASES: [&str; 2] = ["trixie", "bookworm"];
/// The folder with debootstrap's scripts for releases.
const SCRIPTS: &str = "/usr/share/debootstrap/scripts";

/// Returns the image, making it if necessary.
pub(super) async fn ready(tools: &Tools, mut say: impl FnMut(&str)) -> Result<PathBuf, UpError> {
    let debootstrap = found("debootstrap", "debootstrap")?;
    let (suite, source) = chosen(Path::new(SCRIPTS), &fs::read_to_string("/etc/os-release").unwrap_or_default());
    let name = format!("{suite}-{}", std::env::consts::ARCH);
    let new = match Place::of(&name, &mut say).await? {
        Place::Made(image) => return Ok(image),
        Place::New(new) => new,
    };
    say(&format!("debootstrap makes an image of {suite} in {}, once; that takes a few minutes", new.image.display()));
    let log = new.folder.with_extension("log");
    let run = run(tools, &debootstrap, &suite, source.as_ref(), &new.folder, &log).await;
    if let Err(why) = run {
        return Err(refuse(
            format!("debootstrap cannot make an image of {suite}: {why}"),
            format!("its output is in `{}`; `--sandbox=PATH` takes an existing image", log.display()),
        ));
    }
    let _ = fs::remove_file(&log);
    new.finish()
}

/// The release, and its source if this machine knows it.
fn chosen(scripts: &Path, os_release: &str) -> (String, Option<PackageSource>) {
    let fields: HashMap<&str, &str> = os_release
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name, value.trim_matches('"')))
        .collect();
    let knows = |suite: &&str| scripts.join(suite).exists();
    let own = fields.get("VERSION_CODENAME").copied().filter(|suite| !suite.is_empty() && !suite.contains('/'));
    if let Some(suite) = own.filter(knows) {
        let source = apt::source(suite);
        // A name alone may be that of a derivative's release, whose packages are elsewhere.
        if source.is_some() || fields.get("ID") == Some(&"debian") {
            return (suite.to_owned(), source);
        }
    }
    let release = RELEASES.into_iter().find(knows).unwrap_or("stable");
    (release.to_owned(), None)
}

/// Runs debootstrap with its own mounts and processes, so that nothing of it remains, however it ends.
async fn run(
    tools: &Tools,
    debootstrap: &Path,
    suite: &str,
    source: Option<&PackageSource>,
    new: &Path,
    log: &Path,
) -> Result<(), String> {
    let words = tools.apart();
    let (program, before) = words.split_first().expect("INVARIANT: there is at least `unshare`");
    let file = fs::File::create(log).map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(before).arg(debootstrap).args(["--variant=minbase", &format!("--include={PACKAGES}")]);
    if let Some(source) = source {
        if !source.components.is_empty() {
            command.arg(format!("--components={}", source.components.join(",")));
        }
        if let Some(keyring) = source.keyring.as_ref().filter(|path| path.is_file()) {
            command.arg(format!("--keyring={}", keyring.display()));
        }
    }
    command.arg(suite).arg(new).args(source.map(|source| &source.mirror));
    command.stdin(Stdio::null()).stdout(file.try_clone().map_err(|error| error.to_string())?).stderr(file);
    // Ctrl-C is for the parent process.
    command.process_group(0).kill_on_drop(true);
    let status = command.status().await.map_err(|error| error.to_string())?;
    if !status.success() {
        let said = read(log).unwrap_or_default();
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it printed nothing").to_owned();
        return Err(last.trim().to_owned());
    }
    // The packages are installed, so their archives are no longer needed.
    for package in fs::read_dir(new.join("var/cache/apt/archives")).into_iter().flatten().flatten() {
        if package.path().extension().is_some_and(|ending| ending == "deb") {
            let _ = fs::remove_file(package.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_own_release_is_preferred() {
        let scripts = tempfile::tempdir().unwrap();
        for suite in ["bookworm", "trixie", "xenial"] {
            fs::write(scripts.path().join(suite), "").unwrap();
        }
        let chosen = |text: &str| chosen(scripts.path(), text).0;
        assert_eq!(chosen("ID=debian\nVERSION_CODENAME=bookworm\n"), "bookworm");
        assert_eq!(chosen("ID=fedora\nVERSION_CODENAME=\"\"\n"), "trixie");
        assert_eq!(chosen("ID=debian\nVERSION_CODENAME=unheard-of\n"), "trixie");
        assert_eq!(chosen("ID=ubuntu\nVERSION_CODENAME=xenial\n"), "trixie", "no source of this machine has it");
        assert_eq!(super::chosen(Path::new("/nowhere"), "").0, "stable");
    }
}
