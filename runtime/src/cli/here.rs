//! Finds the topology on this machine that a command refers to: one that is up in a directory, here, or elsewhere.
//!
//! "Here" is the directory in which the command runs, and each directory of its `out`. Commands that only read may use
//! the only topology that is up elsewhere. Commands that end something require its name.

use std::path::Path;

use wattle::shown;

use crate::local::{self, Folder, NotOurs};

use super::error::CommandError;

/// A topology that is up.
#[derive(Debug)]
pub(super) enum Found {
    /// In the given directory, or here.
    Here(Folder),
    /// Somewhere else.
    Elsewhere(Folder),
}

/// The topology that runs in `dir`.
pub(super) fn running_in(dir: &Path) -> Result<Folder, CommandError> {
    let folder = Folder::of(dir);
    if folder.is_running() {
        return own(folder);
    }
    if !dir.is_dir() {
        return Err(CommandError::usage(format!("there is no folder `{}`", dir.display())));
    }
    // Whether another user's `up` is running cannot be found out.
    if let Some(failure) = of_another_user(&folder) {
        return Err(failure);
    }
    if was_killed(&folder) {
        return Err(killed(&folder));
    }
    Err(CommandError::new(format!("`{}` is not up", dir.display()))
        .help(format!("start it: `wattle up {}`", shown::path(dir.display()))))
}

/// Whether something is up in `dir`, or was left behind there by an `up` that was killed.
pub(super) fn is_left(dir: &Path) -> bool {
    let folder = Folder::of(dir);
    folder.is_running() || was_killed(&folder)
}

/// The topology that runs here, or otherwise the user's only running one; `None` if nothing is up.
pub(super) fn running() -> Result<Option<Found>, CommandError> {
    let (here, elsewhere) = all();
    for (folders, found) in [(here, Found::Here as fn(Folder) -> Found), (elsewhere, Found::Elsewhere)] {
        let running = folders.iter().filter(|folder| folder.is_running()).cloned();
        if let Some(folder) = only(running.collect())? {
            return own(folder).map(found).map(Some);
        }
        if let Some(failure) = folders.iter().find_map(of_another_user) {
            return Err(failure);
        }
        if let Some(folder) = folders.iter().find(|folder| was_killed(folder)) {
            return Err(killed(folder));
        }
    }
    Ok(None)
}

/// What can be ended here: a running topology, or the remains of a killed `up`.
pub(super) fn to_end() -> Result<Folder, CommandError> {
    let is_meant = |folder: &Folder| folder.is_running() || was_killed(folder);
    let (here, elsewhere) = all();
    if let Some(folder) = only(here.iter().filter(|folder| is_meant(folder)).cloned().collect())? {
        return own(folder);
    }
    if let Some(failure) = here.iter().find_map(of_another_user) {
        return Err(failure);
    }
    let elsewhere: Vec<Folder> = elsewhere.into_iter().filter(is_meant).collect();
    if elsewhere.is_empty() {
        return Err(nothing());
    }
    let failure = CommandError::usage("nothing is up here");
    Err(elsewhere.iter().fold(failure, |failure, folder| {
        let name = folder.name().display();
        let what = if folder.is_running() { "is up" } else { "was killed, and has left processes running" };
        failure.note(format!("`{name}` {what}")).help(format!("end it: `wattle down {}`", shown::path(name)))
    }))
}

/// All folders in which something may be up, here and elsewhere.
fn all() -> (Vec<Folder>, Vec<Folder>) {
    let mut here = local::below(Path::new("."));
    let announced = local::announced();
    let others = announced.into_iter().filter(|folder| here.iter().all(|known| known.servers() != folder.servers()));
    let (more, elsewhere): (Vec<Folder>, Vec<Folder>) = others.partition(is_here);
    here.extend(more);
    (here, elsewhere)
}

/// Whether it belongs to this directory or to one in its `out`, wherever its state is.
fn is_here(folder: &Folder) -> bool {
    let (Ok(here), Ok(directory)) = (Path::new(".").canonicalize(), folder.directory().canonicalize()) else {
        return false;
    };
    directory == here || directory.parent().is_some_and(|parent| parent == here.join("out"))
}

fn was_killed(folder: &Folder) -> bool {
    local::left_behind(folder) > 0
}

fn killed(folder: &Folder) -> CommandError {
    let name = folder.name().display();
    let left = match local::left_behind(folder) {
        1 => "1 process".to_owned(),
        many => format!("{many} processes"),
    };
    CommandError::new(format!("the `up` of `{name}` was killed, and has left {left} running"))
        .help(format!("end what is left: `wattle down {}`", shown::path(&name)))
        .help(format!("or continue it: `wattle up {}`", shown::path(name)))
}

/// The error that nothing is up.
pub(super) fn nothing() -> CommandError {
    CommandError::usage("this user has nothing up on this machine").help("start it: `wattle up DIR`")
}

/// Returns the folder if this user's `up` created its content.
pub(super) fn own(folder: Folder) -> Result<Folder, CommandError> {
    match folder.judge() {
        Ok(()) => Ok(folder),
        Err(why) => Err(not_ours(&folder, &why)),
    }
}

/// The error for a user who has no access to another user's topology.
fn of_another_user(folder: &Folder) -> Option<CommandError> {
    match folder.judge() {
        Err(why @ NotOurs::OtherUser(_)) => Some(not_ours(folder, &why)),
        Ok(()) | Err(_) => None,
    }
}

/// The error about an untrusted folder, with advice.
pub(super) fn not_ours(folder: &Folder, why: &NotOurs) -> CommandError {
    let (directory, state) = (shown::path(folder.directory().display()), shown::path(folder.state().display()));
    let failure = CommandError::usage(why.to_string());
    match why {
        NotOurs::OtherUser(_) => {
            failure.help("run the command as the user who ran `wattle up`, or keep the state elsewhere: `--state PATH`")
        }
        NotOurs::Open(path) => {
            failure.help(format!("remove their access: `chmod go-w {}`", shown::path(path.display())))
        }
        NotOurs::Unknown { .. } => failure,
        NotOurs::Link(_) | NotOurs::OtherKind(_) => failure
            .note("`wattle up` makes no such thing, and uses no folder that contains one")
            .help(format!("start from scratch: `rm -r {state}`")),
        NotOurs::NoMark(_) => failure
            .note("its keys, values and addresses would be mistaken for your own")
            .help(format!("if someone else made it, start without it: `rm -r {state}`"))
            .help(format!(
                "if it is yours (copied, restored or from an earlier version), say so: `wattle up {directory} --state \
                 {state}`"
            )),
    }
}

/// Returns the only folder, if there is exactly one.
fn only(folders: Vec<Folder>) -> Result<Option<Folder>, CommandError> {
    if folders.len() < 2 {
        return Ok(folders.into_iter().next());
    }
    let several = CommandError::usage("several topologies are up");
    Err(folders
        .iter()
        .fold(several, |failure, folder| failure.note(format!("`{}`", folder.name().display())))
        .help("name the folder of the one you mean; `wattle COMMAND --help` says where"))
}
