//! The entries of a stack, as an operator sees them.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use wattle::model::{Name, Value};
use wattle::names::nearest;

use crate::report::{Picture, natural};
use crate::space::{Content, Space, SpaceError, Written};

use super::failure::Failure;

/// Requests that are under way at the same time.
const AT_ONCE: usize = 64;

/// The names of all entries at or below `path` (`SERVER[/COMPONENT[/OUTPUT]]`, or empty for all), components in their
/// order.
pub(super) async fn list(space: &Space, picture: &Picture, path: &str) -> Result<Vec<Name>, Failure> {
    let store = space.store();
    let root = space.layout().entries();
    let mut servers = store.children(&root).await?;
    servers.sort_by(|a, b| natural(a, b));
    let wanted = servers.into_iter().filter(|server| within(server, path));
    let groups = stream::iter(wanted).map(|server| {
        let root = &root;
        async move {
            let mut components = store.children(&format!("{root}/{server}")).await?;
            let order = |name: &String| {
                let standing = picture.servers.get(server.as_str());
                // A server's own attributes come first: its components begin with them.
                standing.and_then(|standing| standing.components.get_index_of(name.as_str())).map_or(0, |at| at + 1)
            };
            components.sort_by_key(order);
            let mut names = Vec::new();
            for component in components {
                for output in store.children(&format!("{root}/{server}/{component}")).await? {
                    names.push(Name::from(format!("{server}/{component}/{output}")));
                }
            }
            Ok::<_, Failure>(names)
        }
    });
    let groups: Vec<Vec<Name>> = groups.buffered(AT_ONCE).try_collect().await?;
    let names = groups.into_iter().flatten().filter(|name| within(name, path)).collect::<Vec<_>>();
    if names.is_empty() && !path.is_empty() {
        return Err(unknown(space, picture, path).await);
    }
    Ok(names)
}

/// Whether `name` is at, above or below `path`.
fn within(name: &str, path: &str) -> bool {
    let below = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    path.is_empty() || below(name, path) || below(path, name)
}

/// What each entry holds.
pub(super) async fn contents(space: &Space, names: &[Name]) -> Result<Vec<Option<Written>>, Failure> {
    let peek = |name: &Name| {
        let name = name.clone();
        async move {
            match space.peek(&name).await {
                // It left the model meanwhile.
                Err(SpaceError::Unknown { .. }) => Ok(None),
                other => other,
            }
        }
    };
    Ok(stream::iter(names).map(peek).buffered(AT_ONCE).try_collect().await?)
}

/// The path without slashes around it.
pub(super) fn tidy(path: &str) -> &str {
    path.trim_matches('/')
}

/// That there is nothing at `path`, and what may have been meant.
pub(super) async fn unknown(space: &Space, picture: &Picture, path: &str) -> Failure {
    let stack = space.layout().stack();
    let mut failure = Failure::usage(format!("the stack `{stack}` has no entry `{path}`"));
    let all = Box::pin(list(space, picture, "")).await.unwrap_or_default();
    let depth = path.split('/').count();
    let mut candidates: Vec<String> =
        all.iter().map(|name| name.split('/').take(depth).collect::<Vec<_>>().join("/")).collect();
    candidates.dedup();
    if let Some(near) = nearest(path, candidates.iter().map(String::as_str)) {
        failure = failure.help(format!("did you mean `{near}`?"));
    } else if all.is_empty() {
        failure = failure.note("it has none at all");
    }
    failure.help("`wattle ls` lists them all")
}

/// A value as a command prints it: text as it is, anything else as JSON.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What an entry holds, on one line; the second part is for [`super::paint`].
pub(super) fn summary(written: Option<&Written>) -> (String, Look) {
    match written.map(|written| &written.content) {
        None => ("(not written)".into(), Look::Empty),
        Some(Content::Value(value)) => (one_line(&plain(value)), Look::Value),
        Some(Content::Sealed(_)) => ("(secret)".into(), Look::Secret),
        Some(Content::Failure(failure)) => (format!("(failed) {}", one_line(&failure.to_string())), Look::Failure),
    }
}

/// What kind of thing an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Empty,
    Value,
    Secret,
    Failure,
}

/// Text with nothing in it that moves the cursor.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// What an entry holds, for programs.
pub(super) fn json(written: Option<&Written>) -> serde_json::Value {
    use serde_json::json;
    let Some(written) = written else { return json!({ "state": "empty" }) };
    match &written.content {
        Content::Value(value) => json!({ "state": "value", "revision": written.revision, "value": value }),
        Content::Sealed(_) => json!({ "state": "secret", "revision": written.revision }),
        Content::Failure(failure) => json!({ "state": "failure", "revision": written.revision, "failure": failure }),
    }
}
