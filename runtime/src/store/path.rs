//! The paths that a store accepts, which are ZooKeeper's.

use std::borrow::Cow;

use super::StoreError;

/// The maximum number of characters shown of a path.
const SHOWN: usize = 240;

/// Refuses paths that `PathUtils.validatePath` of ZooKeeper refuses, and the node at the top.
///
/// # Errors
/// [`StoreError::Illegal`].
pub(crate) fn check_path(path: &str) -> Result<(), StoreError> {
    let refuse = |reason| Err(StoreError::Illegal { path: path.to_owned(), reason });
    let Some(names) = path.strip_prefix('/') else { return refuse("a path begins with `/`") };
    if names.is_empty() {
        return refuse("the node at the top is the store's own");
    }
    for name in names.split('/') {
        match name {
            "" => return refuse("a name in it is empty"),
            "." | ".." => return refuse("it is relative"),
            _ => {}
        }
        if name.chars().any(
            |c| matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..='\u{10ffff}'),
        ) {
            return refuse("ZooKeeper does not accept one of its characters");
        }
    }
    Ok(())
}

/// Shortens a path for messages. Other people's paths may be as long as a request.
pub(crate) fn short(path: &str) -> Cow<'_, str> {
    match path.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}… ({} bytes)", &path[..end], path.len())),
        None => Cow::Borrowed(path),
    }
}

/// The path of the parent. `None` for a node at the top.
pub(crate) fn parent(path: &str) -> Option<&str> {
    path.rfind('/').filter(|at| *at > 0).map(|at| &path[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_zookeeper_takes_is_taken() {
        for path in ["/a", "/a/b", "/a b/ü/…", "/...", "/.a", "/a.", "/-_!~'\"\\"] {
            assert!(check_path(path).is_ok(), "{path}");
        }
        let control = ["/a\0", "/a\nb", "/\u{85}"];
        let beyond = ["/\u{e000}", "/\u{ffff}", "/\u{10000}"];
        for path in ["", "a", "/", "//a", "/a/", "/a//b", "/.", "/a/../b"].into_iter().chain(control).chain(beyond) {
            assert!(matches!(check_path(path), Err(StoreError::Illegal { .. })), "{path:?}");
        }
    }

    #[test]
    fn a_long_path_is_shown_in_part() {
        assert_eq!(short("/a/b"), "/a/b");
        let long = format!("/{}", "ü".repeat(500_000));
        let shown = short(&long);
        assert!(shown.ends_with("ü… (1000001 bytes)") && shown.chars().count() < 270, "{shown}");
    }

    #[test]
    fn parents() {
        assert_eq!(parent("/a/b/c"), Some("/a/b"));
        assert_eq!(parent("/a"), None);
    }
}
