//! The entries of a stack, from the operator's view.

use wattle::model::Name;
use wattle::names::{did_you_mean, meant};
pub(super) use wattle::shown::one_line;
use wattle::values::text;

use crate::report::{self, StackSnapshot};
use crate::space::{Content, Space, Written};

use super::error::CommandError;
use super::paint::{Cell, Tone, said};

/// The names of all entries at or below `path`, as [`report::entries`] returns them.
pub(super) async fn list(space: &Space, snapshot: &StackSnapshot, path: &str) -> Result<Vec<Name>, CommandError> {
    let names = report::entries(space, snapshot, path).await?;
    if names.is_empty() && !path.is_empty() {
        return Err(unknown(space, snapshot, path).await);
    }
    Ok(names)
}

/// The path without leading and trailing slashes.
pub(super) fn tidy(path: &str) -> &str {
    path.trim_matches('/')
}

/// The error that there is nothing at `path`, with suggestions.
pub(super) async fn unknown(space: &Space, snapshot: &StackSnapshot, path: &str) -> CommandError {
    let stack = space.layout().stack();
    let mut failure = CommandError::usage(format!("the stack `{stack}` has no entry `{path}`"));
    let all = report::entries(space, snapshot, "").await.unwrap_or_default();
    let depth = path.split('/').count();
    let mut candidates: Vec<String> =
        all.iter().map(|name| name.split('/').take(depth).collect::<Vec<_>>().join("/")).collect();
    candidates.dedup();
    if let Some(meant) = meant(path, candidates.iter().map(String::as_str)) {
        failure = failure.help(meant);
    } else if let Some(longer) = all.iter().find(|name| name.rsplit('/').next() == path.rsplit('/').next()) {
        failure = failure.help(did_you_mean(longer));
    } else if all.is_empty() {
        failure = failure.note("it has none at all");
    }
    failure.help("`wattle ls` lists them all")
}

/// The content of an entry, on one line.
pub(super) fn summary(written: Option<&Written>) -> Cell {
    let Some(written) = written else { return ("(not written)".into(), Tone::Faint) };
    match &written.content {
        Content::Value(value) => (said(&text(value)), Tone::Plain),
        Content::Sealed(_) => ("(secret)".into(), Tone::Waiting),
        Content::Failure(failure) => {
            let before = match written.good() {
                Some(good) => format!(", revision {}: {}", good.revision, summary(Some(good)).0),
                None => String::new(),
            };
            (format!("(failed{before}) {}", said(&failure.to_string())), Tone::Bad)
        }
    }
}

/// The content of an entry, for programs.
pub(super) fn json(written: Option<&Written>) -> serde_json::Value {
    use serde_json::json;
    let Some(written) = written else { return json!({ "state": "empty" }) };
    match &written.content {
        Content::Value(value) => json!({ "state": "value", "revision": written.revision, "value": value }),
        Content::Sealed(_) => json!({ "state": "secret", "revision": written.revision }),
        Content::Failure(failure) => {
            let mut object = json!({ "state": "failure", "revision": written.revision, "failure": failure });
            if let Some(good) = written.good() {
                object["before"] = json(Some(good));
            }
            object
        }
    }
}
