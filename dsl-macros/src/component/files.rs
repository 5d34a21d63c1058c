//! Files of the author's crate. Only this module of the macros reads files.

use std::io;
use std::path::{Path, PathBuf};

use wattle_recipe::refused::Refusal;
use wattle_words::names::{did_you_mean, nearest};

/// The maximum depth of folders; a link to a parent folder would never end.
const DEPTH: usize = 16;

/// The author's crate.
pub(crate) struct Crate {
    root: PathBuf,
}

/// A file that was read.
pub(crate) struct Read {
    /// Relative to the crate.
    pub(crate) path: String,
    pub(crate) content: Vec<u8>,
}

impl Read {
    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.content).ok()
    }
}

impl Crate {
    /// The crate that is being compiled; `None` outside of cargo.
    pub(crate) fn current() -> Option<Self> {
        std::env::var_os("CARGO_MANIFEST_DIR").map(|root| Self { root: root.into() })
    }

    /// Whether there is a folder at `path`.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.root.join(path).is_dir()
    }

    /// Whether there is a file or folder at `path`.
    pub(crate) fn exists(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }

    /// Reads one file. `what` is its name in messages: `recipe`.
    pub(crate) fn file(&self, what: &str, path: &str) -> Result<Read, Refusal> {
        let path = inside(what, path)?;
        let place = self.root.join(&path);
        match std::fs::metadata(&place) {
            Ok(metadata) if metadata.is_dir() => {
                let message = format!("the {what} `{path}` is a folder");
                Err(Refusal { message, help: "name a file in it".into() })
            }
            Ok(metadata) => read(&place, &metadata, what, path),
            Err(error) => Err(self.missing(what, &path, &error)),
        }
    }

    /// Reads a file, or all files of a folder and its subfolders, sorted; hidden ones are left out.
    pub(crate) fn files(&self, what: &str, path: &str) -> Result<Vec<Read>, Refusal> {
        let path = inside(what, path)?;
        let place = self.root.join(&path);
        match std::fs::metadata(&place) {
            Ok(metadata) if metadata.is_dir() => {
                let mut files = Vec::new();
                self.folder(what, &path, DEPTH, &mut files)?;
                if files.is_empty() {
                    let message = format!("the {what} `{path}` is an empty folder");
                    return Err(Refusal { message, help: "hidden files are left out".into() });
                }
                Ok(files)
            }
            Ok(metadata) => Ok(vec![read(&place, &metadata, what, path)?]),
            Err(error) => Err(self.missing(what, &path, &error)),
        }
    }

    fn folder(&self, what: &str, path: &str, depth: usize, into: &mut Vec<Read>) -> Result<(), Refusal> {
        if depth == 0 {
            let message = format!("the {what} `{path}` is nested too deeply");
            return Err(Refusal {
                message,
                help: format!("at most {DEPTH} levels of folders are read; does a link lead back to an outer folder?"),
            });
        }
        for name in entries(&self.root.join(path)) {
            let inner = format!("{path}/{name}");
            let place = self.root.join(&inner);
            match std::fs::metadata(&place) {
                Ok(metadata) if metadata.is_dir() => self.folder(what, &inner, depth - 1, into)?,
                Ok(metadata) => into.push(read(&place, &metadata, what, inner)?),
                Err(error) => return Err(unread(what, &inner, &error)),
            }
        }
        Ok(())
    }

    /// Why nothing exists at `path`, with the nearest name for its first missing part.
    fn missing(&self, what: &str, path: &str, error: &io::Error) -> Refusal {
        if error.kind() != io::ErrorKind::NotFound && error.kind() != io::ErrorKind::NotADirectory {
            return unread(what, path, error);
        }
        let message = format!("the {what} `{path}` does not exist");
        let mut known = PathBuf::new();
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next_if(|part| self.root.join(known.join(part)).exists()) {
            known.push(part);
        }
        let folder = known.to_str().map(|known| known.replace('\\', "/")).unwrap_or_default();
        let here = if folder.is_empty() { "next to `Cargo.toml`".into() } else { format!("in `{folder}`") };
        let part = parts.next().unwrap_or_default();
        let rest = parts.fold(String::new(), |rest, part| rest + "/" + part);
        let beside = entries(&self.root.join(&known));
        let join =
            |name: &str| if folder.is_empty() { format!("{name}{rest}") } else { format!("{folder}/{name}{rest}") };
        let in_folder =
            || beside.iter().map(|name| join(&format!("{name}/{part}"))).find(|path| self.root.join(path).exists());
        let help = match nearest(part, beside.iter().map(String::as_str)) {
            Some(nearest) if self.root.join(join(nearest)).exists() => did_you_mean(join(nearest)),
            Some(nearest) => format!("there is no `{part}` {here}; there is `{nearest}`"),
            None => in_folder()
                .map_or_else(|| format!("there is no `{part}` {here}; paths are relative to the crate"), did_you_mean),
        };
        Refusal { message, help }
    }
}

/// Reads a file, and nothing that would never end: opening a pipe waits for another process to write to it.
fn read(place: &Path, metadata: &std::fs::Metadata, what: &str, path: String) -> Result<Read, Refusal> {
    if !metadata.is_file() {
        let message = format!("the {what} `{path}` is a pipe, a socket or a device, not a file");
        return Err(Refusal { message, help: "replace it by a file, or remove it".into() });
    }
    match std::fs::read(place) {
        Ok(content) => Ok(Read { path, content }),
        Err(error) => Err(unread(what, &path, &error)),
    }
}

fn unread(what: &str, path: &str, error: &io::Error) -> Refusal {
    Refusal { message: format!("the {what} `{path}` cannot be read: {error}"), help: String::new() }
}

/// The names in a folder, sorted, without hidden ones and those that are not UTF-8.
fn entries(folder: &Path) -> Vec<String> {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = found.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

/// `path` without `.` and `..`, if it stays in the crate.
fn inside(what: &str, path: &str) -> Result<String, Refusal> {
    let refuse = |why: &str| {
        let help = "a blueprint's files must be in its crate: put this one there, and name it relative to the crate";
        Err(Refusal { message: format!("the {what} `{path}` {why}"), help: help.into() })
    };
    if path.starts_with('/') || Path::new(path).is_absolute() {
        return refuse("is not relative to the crate");
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return refuse("is outside the crate");
                }
            }
            _ => parts.push(part),
        }
    }
    if parts.is_empty() {
        return Err(Refusal {
            message: format!("`{path}` does not name a {what}"),
            help: "write `recipe = \"recipes/db2.sh\"`".into(),
        });
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::{Crate, inside};

    /// In a separate thread: opening a pipe would block forever.
    #[test]
    fn pipes_are_refused_by_name_and_not_opened() {
        let root = std::env::temp_dir().join(format!("wattle-macros-{}", std::process::id()));
        std::fs::create_dir_all(root.join("recipes")).expect("a folder");
        let made = Command::new("mkfifo").arg(root.join("recipes/pipe")).status().expect("mkfifo runs");
        assert!(made.success());
        let (sender, receiver) = mpsc::channel();
        let own = Crate { root: root.clone() };
        std::thread::spawn(move || {
            let one = own.file("recipe", "recipes/pipe").err();
            let each = ["recipes/pipe", "recipes"].map(|path| own.files("file", path).err());
            sender.send(
                [one].into_iter().chain(each).map(|refusal| refusal.expect("refused").message).collect::<Vec<_>>(),
            )
        });
        let found = receiver.recv_timeout(Duration::from_secs(20));
        std::fs::remove_dir_all(root).expect("removed");
        let why = "is a pipe, a socket or a device, not a file";
        let expected = ["recipe", "file", "file"].map(|what| format!("the {what} `recipes/pipe` {why}"));
        assert_eq!(found.expect("nothing is waited for"), expected);
    }

    #[test]
    fn paths_stay_in_the_crate() {
        for (path, expected) in [
            ("recipes/db2.sh", Some("recipes/db2.sh")),
            ("./recipes//db2.sh", Some("recipes/db2.sh")),
            ("recipes/../db2.sh", Some("db2.sh")),
            ("../db2.sh", None),
            ("recipes/../../db2.sh", None),
            ("/etc/passwd", None),
            ("", None),
            (".", None),
        ] {
            assert_eq!(inside("recipe", path).ok().as_deref(), expected, "{path}");
        }
    }
}
