//! The entries of a stack, from the operator's view.

use std::collections::HashMap;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use wattle::model::{Name, Type};
use wattle::values;
use wattle_agent_core::time::Time;

use crate::space::{
    Content, Failure, FailureKind, Held, Revision, SERVER, ServerPlan, Space, SpaceError, ValueSource, Written,
};

use super::{StackSnapshot, bounded, natural};

/// The largest number of concurrent requests.
const AT_ONCE: usize = 64;

/// The names of all entries at, above or below `path` (`SERVER[/COMPONENT[/OUTPUT]]`, or empty for all), with
/// components in their order.
///
/// # Errors
/// The entries cannot be read.
pub async fn entries(space: &Space, snapshot: &StackSnapshot, path: &str) -> Result<Vec<Name>, SpaceError> {
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
                let standing = snapshot.servers.get(server.as_str());
                // A server's own attributes come first, because its components depend on them.
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

/// A placeholder for an unreadable entry.
fn senseless(of: Revision, entry: &Name, message: String) -> Written {
    let component = entry.rsplit_once('/').map_or(&**entry, |(component, _)| component).into();
    let (log, through, at) = (Vec::new(), Vec::new(), Time::default());
    let failure = Failure { component, kind: FailureKind::Type, message, log, at, through };
    Written::new(&of, Content::Failure(failure))
}

/// A placeholder for a value that does not fit its type, without quoting it.
fn unfit(of: Revision, entry: &Name, why: &str) -> Written {
    let server = entry.split('/').next().unwrap_or(entry);
    let message = format!(
        "what is there does not fit its type: {why}; apart from the operator, only `{server}` can have written it"
    );
    senseless(of, entry, message)
}

/// The reason why `content` is not of the declared type, without quoting it. A failure is of every type.
fn refuse(ty: &Type, content: &Content) -> Option<String> {
    match content {
        Content::Value(_) if ty.is_secret() => Some(format!("expected {ty}, found something that is not encrypted")),
        Content::Value(value) => values::refuse_unseen(ty, value),
        Content::Sealed(_) if !ty.is_secret() => Some(format!("expected {ty}, found something encrypted")),
        Content::Sealed(_) | Content::Failure(_) => None,
    }
}

/// Filters what was `found` in `entry` for the operator: only what fits the type that the `plan` of its server
/// declares. Anything else is replaced by a failure that does not quote it.
///
/// # Errors
/// The entry could not be read.
pub fn judged(
    plan: Option<&ServerPlan>,
    entry: &Name,
    found: Result<Written, SpaceError>,
) -> Result<Written, SpaceError> {
    let now = || plan.map_or(Revision { space: None, number: 0 }, ServerPlan::of);
    let mut written = match found {
        // What one server writes must not affect another's entries.
        Err(SpaceError::Malformed { .. }) => {
            let message = "its server has written something that is not a value".to_owned();
            return Ok(senseless(now(), entry, message));
        }
        Err(SpaceError::Untrusted { reason, .. }) => {
            return Ok(senseless(now(), entry, format!("what is there is not trusted: {reason}")));
        }
        found => found?,
    };
    if let Some(ty) = plan.and_then(|plan| plan.output(entry)).map(|output| &output.declared.ty) {
        if let Some(why) = refuse(ty, &written.content) {
            return Ok(unfit(written.of(), entry, &why));
        }
        let is_good = |before: &Written| before.good().is_some() && refuse(ty, &before.content).is_none();
        written.before = written.before.filter(|before| is_good(before));
    }
    if let Content::Failure(failure) = &mut written.content {
        bounded::failure(failure);
    }
    Ok(written)
}

/// The content of an entry, [filtered for the operator](judged). `None` if it is empty.
///
/// # Errors
/// The entry cannot be read.
pub async fn content(space: &Space, plan: Option<&ServerPlan>, entry: &Name) -> Result<Option<Written>, SpaceError> {
    let found = space.peek(entry).await.transpose();
    found.map(|found| judged(plan, entry, found)).transpose()
}

/// The types of the inputs that are wired to servers' own attributes, which have no declared type, by entry.
fn read_as(snapshot: &StackSnapshot) -> HashMap<&Name, Vec<&Type>> {
    let mut types: HashMap<&Name, Vec<&Type>> = HashMap::new();
    let plans = snapshot.servers.values().filter_map(|standing| standing.plan.as_deref());
    for input in plans.flat_map(|plan| plan.components.values()).flat_map(|component| component.inputs.values()) {
        if let ValueSource::Leaf(Held::Entry(entry)) = &input.from
            && is_attribute(entry)
        {
            types.entry(entry).or_default().push(&input.ty);
        }
    }
    types
}

fn is_attribute(entry: &str) -> bool {
    entry.split('/').nth(1) == Some(SERVER)
}

/// The content of each entry, filtered for the operator: values [of the declared type](judged), and failures attributed
/// to their reporters. An attribute of a server is shown if some component would accept it.
///
/// # Errors
/// An entry cannot be read.
pub async fn contents(
    space: &Space,
    snapshot: &StackSnapshot,
    names: &[Name],
) -> Result<Vec<Option<Written>>, SpaceError> {
    let read_as = if names.iter().any(|name| is_attribute(name)) { read_as(snapshot) } else { HashMap::new() };
    let look = |name: &Name| {
        let name = name.clone();
        let types = read_as.get(&name);
        async move {
            match content(space, snapshot.plan_of(&name), &name).await {
                Ok(written) => Ok(written.map(|written| attributed(snapshot, types, &name, written))),
                // It has left the model in the meantime.
                Err(SpaceError::Unknown { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        }
    };
    stream::iter(names).map(look).buffered(AT_ONCE).try_collect().await
}

/// Puts one [content](content) into the context of other reports, as [`contents`] does.
pub fn in_context(snapshot: &StackSnapshot, entry: &Name, written: Written) -> Written {
    let read_as = if is_attribute(entry) { read_as(snapshot) } else { HashMap::new() };
    attributed(snapshot, read_as.get(entry), entry, written)
}

fn attributed(snapshot: &StackSnapshot, types: Option<&Vec<&Type>>, entry: &Name, mut written: Written) -> Written {
    let mut refused = types.into_iter().flatten().map(|ty| match &written.content {
        Content::Value(value) => values::refuse_unseen(ty, value),
        Content::Sealed(_) | Content::Failure(_) => None,
    });
    if let Some(Some(why)) = refused.next()
        && refused.all(|why| why.is_some())
    {
        return unfit(written.of(), entry, &why);
    }
    if let Content::Failure(failure) = &written.content
        && let Some((component, _)) = entry.rsplit_once('/')
    {
        written.content = Content::Failure(snapshot.own_words(&component.into(), failure));
    }
    written
}
