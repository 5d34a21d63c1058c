//! Where something was written.

use std::borrow::Cow;
use std::panic::Location;

use serde::{Deserialize, Serialize};

/// A place in the author's source: in a Rust file, or in the YAML file that a model was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Source {
    /// The file, by the path that the compiler was given.
    pub file: Cow<'static, str>,
    /// The line, from 1. 0 if the place is unknown.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl Source {
    /// A place.
    pub const fn new(file: &'static str, line: u32, column: u32) -> Self {
        Self { file: Cow::Borrowed(file), line, column }
    }

    /// The caller of the innermost function that is not `#[track_caller]`.
    #[track_caller]
    pub fn caller() -> Self {
        Location::caller().into()
    }

    /// Whether the place is known.
    pub fn is_known(&self) -> bool {
        self.line > 0
    }

    /// The place in a form that is the same on every machine, for files that leave this one. The compiler gets the author's
    /// own files relative to their workspace, but crates elsewhere by absolute paths. Of these, only the crate's folder and
    /// the path within it remain.
    pub fn portable(&self) -> String {
        format!("{}:{}:{}", within(&self.file), self.line, self.column)
    }
}

/// Folders of a crate that can contain its source.
const SOURCES: [&str; 4] = ["/src/", "/tests/", "/examples/", "/benches/"];

/// The part of a path that is the same on every machine.
fn within(file: &str) -> &str {
    if !file.starts_with('/') {
        return file;
    }
    let Some(at) = SOURCES.iter().filter_map(|folder| file.rfind(folder)).max() else {
        return file.rsplit('/').next().unwrap_or(file);
    };
    let folder = file[..at].rfind('/').map_or(0, |slash| slash + 1);
    file[folder..].trim_start_matches('/')
}

impl From<&'static Location<'static>> for Source {
    fn from(at: &'static Location<'static>) -> Self {
        Self::new(at.file(), at.line(), at.column())
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn a_path_of_this_machine_begins_with_its_crate() {
        for (file, portable) in [
            ("src/lib.rs", "src/lib.rs"),
            ("catalog/src/parts/nfs.rs", "catalog/src/parts/nfs.rs"),
            ("/home/me/wattle/catalog/src/parts/nfs.rs", "catalog/src/parts/nfs.rs"),
            ("/home/me/.cargo/registry/src/index-1/parts-0.1.0/src/nfs.rs", "parts-0.1.0/src/nfs.rs"),
            ("/src/shop/tests/x.rs", "shop/tests/x.rs"),
            ("/home/me/shop/main.rs", "main.rs"),
            ("/src/main.rs", "src/main.rs"),
            ("", ""),
        ] {
            assert_eq!(within(file), portable);
        }
    }
}
