//! The kind of a request: the path without names, and the operation.

/// The path of a request, behind the version and the project, with `*` in the place of names.
pub(crate) fn without_names(path: &str) -> String {
    // Behind a collection is a name, unless it is a list with all details; so is what is behind what a thing has.
    let is_name = |at: usize, part: &str| at >= 2 && at.is_multiple_of(2) && part != "detail";
    let parts = path.split('/').enumerate().map(|(at, part)| if is_name(at, part) { "*" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// What is done to a thing by one of its actions; nothing if the path is another one.
pub(crate) fn action<'a>(path: &str, body: &'a str) -> &'a str {
    body.split('"').nth(1).filter(|_| path.ends_with("/action")).unwrap_or_default()
}
