//! The files that a template and its environments refer to.

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

/// A source of files. This crate does not read any itself.
pub trait Files: fmt::Debug {
    /// The content of the file at `path`. This is a path relative to the same folder as the root template's own name, with
    /// `..` only at the start, or an absolute path, or a URL.
    ///
    /// # Errors
    ///
    /// Why the file is not available.
    fn read(&self, path: &str) -> Result<Vec<u8>, Missing>;

    /// Whether there is a file or a folder at `path`.
    fn exists(&self, path: &str) -> bool {
        self.read(path).is_ok()
    }

    /// Whether links lead from `path` to something outside `folder`, which is also a path. An empty `folder` is the current
    /// one.
    fn leads_out(&self, _path: &str, _folder: &str) -> bool {
        false
    }
}

/// Why a file is not available: lowercase, one line, without the path.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct Missing(pub String);

/// No files at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<Vec<u8>, Missing> {
        Err(Missing("there is no such file".into()))
    }
}

/// Files in memory, by path.
impl Files for BTreeMap<String, Vec<u8>> {
    fn read(&self, path: &str) -> Result<Vec<u8>, Missing> {
        self.get(path).cloned().ok_or_else(|| Missing("there is no such file".into()))
    }
}

/// The path of the file that the file at `base` refers to as `path`, joined as `urllib.parse.urljoin` does it.
pub fn join(base: &str, path: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path);
    if path.contains("://") {
        return path.to_owned();
    }
    let folder = base.rfind('/').map_or("", |end| &base[..=end]);
    // Where the path of a URL begins.
    let root = folder.find("://").map_or(0, |at| folder[at + 3..].find('/').map_or(folder.len(), |end| at + 3 + end));
    let (host, folder) = folder.split_at(root);
    let joined = if path.starts_with('/') { path.to_owned() } else { format!("{folder}{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match parts.last() {
            Some(last) if part == ".." && *last != ".." => {
                parts.pop();
            }
            None if part == ".." && joined.starts_with('/') => {}
            _ => parts.push(part),
        }
    }
    let root = if joined.starts_with('/') { "/" } else { "" };
    format!("{host}{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_file_that_names_them() {
        for (base, path, expected) in [
            ("t.yaml", "a.sh", "a.sh"),
            ("dir/t.yaml", "a.sh", "dir/a.sh"),
            ("dir/t.yaml", "../a.sh", "a.sh"),
            ("dir/t.yaml", "../../a.sh", "../a.sh"),
            ("../t.yaml", "./x/../a.sh", "../a.sh"),
            ("dir/t.yaml", "/etc/a.sh", "/etc/a.sh"),
            ("/a/b/t.yaml", "../../../c", "/c"),
            ("t.yaml", "file:///etc/a", "/etc/a"),
            ("t.yaml", "http://h/a", "http://h/a"),
            ("http://h/x/t.yaml", "../a", "http://h/a"),
            ("http://h/x/t.yaml", "/a", "http://h/a"),
        ] {
            assert_eq!(join(base, path), expected, "{path} from {base}");
        }
    }
}
