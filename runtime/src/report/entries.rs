//! The entries of a stack, as an operator sees them.

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use wattle::model::Name;
use wattle_agent_core::time::Time;

use crate::space::{Content, Failure, Kind, Space, SpaceError, Written};

use super::{Picture, natural};

/// The largest number of requests at the same time.
const AT_ONCE: usize = 64;

/// The names of all entries at, above or below `path` (`SERVER[/COMPONENT[/OUTPUT]]`, or empty for all), with
/// components in their order.
///
/// # Errors
/// If they cannot be read.
pub async fn entries(space: &Space, picture: &Picture, path: &str) -> Result<Vec<Name>, SpaceError> {
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
                // A server's own attributes come first, because its components begin with them.
                standing.and_then(|standing| standing.components.get_index_of(name.as_str())).map_or(0, |at| at + 1)
            };
            components.sort_by_key(order);
            let mut names = Vec::new();
            for component in components {
                for output in store.children(&format!("{root}/{server}/{component}")).await? {
                    names.push(Name::from(format!("{server}/{component}/{output}")));
                }
            }
            Ok::<_, SpaceError>(names)
        }
    });
    let groups: Vec<Vec<Name>> = groups.buffered(AT_ONCE).try_collect().await?;
    Ok(groups.into_iter().flatten().filter(|name| within(name, path)).collect())
}

/// Whether `name` is at, above or below `path`.
fn within(name: &str, path: &str) -> bool {
    let below = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    path.is_empty() || below(name, path) || below(path, name)
}

/// Stands for something in an entry that makes no sense.
fn senseless(entry: &Name, message: &str) -> Written {
    let component = entry.rsplit_once('/').map_or(&**entry, |(component, _)| component).into();
    let (log, through, at) = (Vec::new(), Vec::new(), Time::default());
    let failure = Failure { component, kind: Kind::Type, message: message.to_owned(), log, at, through };
    Written { revision: 0, space: None, before: None, content: Content::Failure(failure) }
}

/// The content of each entry.
///
/// # Errors
/// If one cannot be read.
pub async fn contents(space: &Space, names: &[Name]) -> Result<Vec<Option<Written>>, SpaceError> {
    let peek = |name: &Name| {
        let name = name.clone();
        async move {
            match space.peek(&name).await {
                // It has left the model in the meantime.
                Err(SpaceError::Unknown { .. }) => Ok(None),
                // What one server writes must not affect another's entries.
                Err(SpaceError::Malformed { .. }) => {
                    Ok(Some(senseless(&name, "its server has written something that is not a value")))
                }
                Err(SpaceError::Untrusted { reason, .. }) => {
                    Ok(Some(senseless(&name, &format!("what is there is not trusted: {reason}"))))
                }
                other => other,
            }
        }
    };
    stream::iter(names).map(peek).buffered(AT_ONCE).try_collect().await
}
