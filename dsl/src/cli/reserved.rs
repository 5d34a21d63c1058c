//! Files that no template may bring along: those whose names other commands would mistake for their own, existing keys, and
//! files outside of its folder.

use std::io;
use std::path::Path;

use crate::manners::read_bytes;

/// The files of `seed apply` and `up`: keys, credentials, secrets, and the identification of an `up`.
const KEPT: [&str; 6] =
    ["operator.key", "operator.key.next", "credentials.yaml", "secrets.json", "identity.json", "up.json"];

/// Whether a file at `path`, below an output folder, would be mistaken for a key or for the state of an `up`. This holds
/// for any file system, including those that do not distinguish `A` from `a`.
pub fn is_reserved(path: &str) -> bool {
    let is_state = |part: &str| part.get(..7).is_some_and(|begin| begin.eq_ignore_ascii_case(".wattle"));
    let is_kept = |name: &str| KEPT.iter().any(|kept| kept.eq_ignore_ascii_case(name));
    let mut parts = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
    parts.clone().any(is_state) || parts.next_back().is_some_and(is_kept)
}

/// Reads the file at `path` that a template in `folder` names, to pass it on. The files may not belong to the person who
/// wrote the template. So this function refuses files that are named like a key, links to keys, and links that lead out of
/// the folder.
///
/// # Errors
/// The same as [`read_bytes`], and why the file is not read.
pub fn read_brought(folder: &Path, path: &str) -> io::Result<Vec<u8>> {
    let file = folder.join(path);
    if is_reserved(path) || is_reserved_file(&file) {
        return Err(io::Error::other("it is a key, or a file that `wattle up` keeps, which no template may contain"));
    }
    let bytes = read_bytes(&file)?;
    if leads_out(&file, folder) {
        return Err(io::Error::other(
            "a link leads to it out of the folder of the template: put the file itself there",
        ));
    }
    Ok(bytes)
}

/// Whether the file is [reserved](is_reserved) by its name, after following links.
pub fn is_reserved_file(file: &Path) -> bool {
    let really = std::fs::canonicalize(file);
    really.is_ok_and(|really| really.file_name().is_some_and(|name| is_reserved(&name.to_string_lossy())))
}

/// Whether links lead from the file at `path` to a target that is not below `folder`.
pub fn leads_out(path: &Path, folder: &Path) -> bool {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let really = path.canonicalize().ok().zip(folder.canonicalize().ok());
    really.is_some_and(|(path, folder)| !path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::{is_reserved, read_brought};

    #[test]
    fn what_is_read_for_others_is_no_key_and_stands_where_the_template_does() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("in/sub")).unwrap();
        for file in ["in/operator.key", "in/sub/a.txt", "secret"] {
            std::fs::write(at(file), file).unwrap();
        }
        for (to, link) in [("../secret", "in/out.txt"), ("operator.key", "in/own.txt"), ("sub/a.txt", "in/b.txt")] {
            std::os::unix::fs::symlink(to, at(link)).unwrap();
        }
        let read = |path: &str| read_brought(&at("in"), path).map_err(|error| error.to_string());
        assert_eq!(read("sub/a.txt").unwrap(), read("b.txt").unwrap());
        for key in ["operator.key", "./operator.key", "own.txt", "sub/../operator.key"] {
            assert!(read(key).unwrap_err().contains("which no template may contain"), "{key}");
        }
        for out in ["out.txt", "../secret"] {
            assert!(read(out).unwrap_err().contains("out of the folder of the template"), "{out}");
        }
    }

    #[test]
    fn a_key_is_known_by_its_name_in_any_spelling() {
        let kept = [
            "operator.key",
            "./operator.key",
            "operator.key.next",
            "x/../operator.key",
            "x/Credentials.YAML",
            "up.json",
            "operator.key/.",
        ];
        for path in kept.into_iter().chain([".wattle/space", "x/.WATTLE/servers/db/agent/journal", ".wattle-old/x"]) {
            assert!(is_reserved(path), "{path}");
        }
        for path in ["", "x.sh", "operator.key.pub", "credentials.yaml/x", "wattle/x", "a.wattle", ".gitignore"] {
            assert!(!is_reserved(path), "{path}");
        }
    }
}
