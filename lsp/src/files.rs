//! The files around a document: those open in the editor, and otherwise those that its caller reads.

use std::collections::BTreeMap;
use std::sync::Arc;

use lsp_types::Uri;
use wattle_heat::files::{Files, Missing, join};

/// Texts of open documents, by their paths.
pub(crate) type Open = BTreeMap<String, Arc<str>>;

/// Files from the view of a document in `folder`. Unsaved text takes precedence over stored files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near<'f> {
    /// The folder of the document; `None` if it has not been saved.
    pub(crate) folder: Option<&'f str>,
    pub(crate) open: &'f Open,
    pub(crate) stored: &'f dyn Files,
}

impl Near<'_> {
    /// The full path of what the document refers to as `path`.
    pub(crate) fn whole(&self, path: &str) -> Option<String> {
        if path.starts_with('/') || path.contains("://") {
            return Some(path.to_owned());
        }
        self.folder.map(|folder| join(&format!("{folder}/"), path))
    }
}

impl Files for Near<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, Missing> {
        let path = self.whole(path).ok_or_else(|| Missing("this template is not saved in any folder yet".into()))?;
        match self.open.get(&path) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => self.stored.read(&path),
        }
    }

    fn exists(&self, path: &str) -> bool {
        self.whole(path).is_some_and(|path| self.open.contains_key(&path) || self.stored.exists(&path))
    }

    fn leads_out(&self, path: &str, folder: &str) -> bool {
        match (self.whole(path), self.whole(folder)) {
            (Some(path), Some(folder)) => self.stored.leads_out(&path, &folder),
            _ => false,
        }
    }
}

/// The path of a file, if `uri` is one.
pub(crate) fn path(uri: &Uri) -> Option<String> {
    let is_file = uri.scheme().is_some_and(|scheme| scheme.as_str().eq_ignore_ascii_case("file"));
    let path = uri.path().as_estr().decode().into_string().ok()?;
    (is_file && path.starts_with('/')).then(|| path.into_owned())
}

/// The address of the file at an absolute path.
pub(crate) fn uri(path: &str) -> Option<Uri> {
    let mut uri = "file://".to_owned();
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_paths_and_back() {
        let path_of = |text: &str| path(&text.parse().expect("an address"));
        assert_eq!(path_of("file:///a%20b/%C3%A4.yaml").as_deref(), Some("/a b/ä.yaml"));
        assert_eq!(path_of("untitled:Untitled-1"), None);
        assert_eq!(uri("/a b/ä.yaml").expect("an address").as_str(), "file:///a%20b/%C3%A4.yaml");
    }

    #[test]
    fn what_is_open_comes_first() {
        let open = Open::from([("/site/a.sh".to_owned(), "new".into())]);
        let stored =
            BTreeMap::from([("/site/a.sh".to_owned(), b"old".to_vec()), ("/b.sh".to_owned(), b"other".to_vec())]);
        let near = Near { folder: Some("/site"), open: &open, stored: &stored };
        assert_eq!(near.read("a.sh"), Ok(b"new".to_vec()));
        assert_eq!(near.read("../b.sh"), Ok(b"other".to_vec()));
        assert!(Near { folder: None, ..near }.read("a.sh").is_err());
    }
}
