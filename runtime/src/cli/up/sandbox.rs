//! `wattle up --sandbox`, and the notice without it.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, value_parser};
use wattle::lower::Seed;
use wattle::shown;

use crate::cli::console::Console;
use crate::cli::error::CommandError;
use crate::cli::signals::Signals;
use crate::local::{Folder, Image, Record};

use super::record;

/// The value of the option without an argument. A folder with that name is `./debian`.
const DEBIAN: &str = "debian";

/// The help about it.
pub(super) const HELP: (&str, &str) = (
    "What recipes do to this machine",
    "  Recipes really run here, as the user who runs `up`. As root, they install packages, and write
  where they like, and all of that stays. With `--sandbox`, each server has a root file system of
  its own instead: an image, and over it a layer for its changes. Nothing of that is left when `up`
  has ended, not even what recipes keep in WATTLE_STATE_DIR; only logs, addresses and secrets stay
  in DIR/.wattle. Servers also see no processes but their own. A sandbox needs root, util-linux, and
  a kernel with overlayfs and namespaces. It does not protect you from malicious recipes.

  --sandbox        an image of Debian (that of this machine, if it runs Debian), which debootstrap
                   makes once, in ~/.cache/wattle/images; delete it there to have it made again
  --sandbox=PATH   a folder with a root file system, which is only read, or with an OCI image
                   layout, such as `skopeo copy docker://debian:trixie oci:PATH` makes",
);

pub(super) fn option() -> Arg {
    Arg::new("sandbox")
        .long("sandbox")
        .value_name("IMAGE")
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value(DEBIAN)
        .value_parser(value_parser!(PathBuf))
        .help("Give each server a root file system of its own, so that recipes change nothing on this machine")
}

/// The requested image.
pub(super) fn wanted(matches: &ArgMatches) -> Option<Image> {
    let path = matches.get_one::<PathBuf>("sandbox")?;
    Some(if path.as_os_str() == DEBIAN { Image::Debian } else { Image::At(path.clone()) })
}

/// The folder with the image, once it is ready.
pub(super) async fn ready(image: &Image, console: &mut Console) -> Result<PathBuf, CommandError> {
    let mut signals = Signals::listen()?;
    let say = |text: &str| {
        // An absent reader does not abort the image.
        let _ = console.err.write(&format!("{text}\n"));
    };
    tokio::select! {
        image = image.ready(say) => Ok(image?),
        () = signals.end() => Err(CommandError::new("interrupted before anything was started")),
    }
}

/// Refuses to move a running topology into sandboxes.
pub(super) fn must_be_alike(folder: &Folder, image: Option<&Image>) -> Result<(), CommandError> {
    let record = record(folder)?;
    if image.is_none() || record.sandbox.is_some() || record.stack.is_empty() {
        return Ok(());
    }
    let directory = shown::path(folder.directory().display());
    Err(CommandError::usage(format!("{} is already up, and not in a sandbox", record.stack))
        .help(format!("end it first: `wattle down {directory}`")))
}

/// A one-line warning about what the recipes of a topology without sandboxes do to this machine.
pub(super) fn warning(record: &Record, seed: &Seed) -> Option<String> {
    if record.sandbox.is_some() || seed.declarations.is_empty() {
        return None;
    }
    Some(format!("{} (with `--sandbox`, each server gets its own file system instead)", on_this_machine()))
}

/// What recipes do to this machine.
pub(in crate::cli) fn on_this_machine() -> &'static str {
    if rustix::process::geteuid().is_root() {
        "recipes run as root on this machine, and may install packages; what they change stays"
    } else {
        "recipes run as you on this machine; what they change stays"
    }
}
