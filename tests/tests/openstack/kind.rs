//! The kind of a request: the path without names, and the action.

/// The path of a request, after the version and the project, with `*` in place of names.
pub(crate) fn without_names(path: &str) -> String {
    // A name follows a collection, except in a detailed list. The same applies to subresources.
    let is_name = |at: usize, part: &str| at >= 2 && at.is_multiple_of(2) && part != "detail";
    let parts = path.split('/').enumerate().map(|(at, part)| if is_name(at, part) { "*" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// The name of an action in a request. Empty if the path is not that of an action.
pub(crate) fn action<'a>(path: &str, body: &'a str) -> &'a str {
    body.split('"').nth(1).filter(|_| path.ends_with("/action")).unwrap_or_default()
}
