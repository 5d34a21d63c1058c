//! The exports of a stack with their values, as far as these are known and may be shown.

use std::collections::HashMap;

use wattle::model::{Name, Tree, Value};
use wattle::values;

use crate::space::{Content, Held, ServerPlan, Space, ValueSource};

use super::content;

/// The value of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Exported {
    /// The value as text, with secret parts left out, and its revision if part of it has failed since.
    Value(String, Option<u64>),
    /// A secret.
    Secret,
    /// A value that cannot be known here, or is not known yet.
    Unknown,
}

/// The exports in the order of their names. Values that only OpenStack knows come from `known`.
pub(crate) async fn exports(space: &Space, known: &HashMap<Name, String>) -> Vec<(Name, Exported)> {
    let names = space.store().children(&space.layout().exports()).await.unwrap_or_default();
    let mut exports = Vec::new();
    let mut plans: Plans = HashMap::new();
    for name in names {
        let Some(export) = space.export(&name).await.ok().flatten() else { continue };
        let value = match &export.from {
            Some(source) => value(space, source, known, &mut plans).await,
            None => None,
        };
        let exported = match value {
            Some((text, former)) => Exported::Value(text, former),
            None if export.ty.is_secret() => Exported::Secret,
            None => Exported::Unknown,
        };
        exports.push((name.into(), exported));
    }
    exports
}

/// The plans of servers that have been read.
type Plans = HashMap<Name, Option<ServerPlan>>;

/// The value as text, as far as it may be shown, and its revision if part of it has failed since.
async fn value(
    space: &Space,
    source: &ValueSource,
    known: &HashMap<Name, String>,
    plans: &mut Plans,
) -> Option<(String, Option<u64>)> {
    let mut entries: HashMap<&Name, Shown> = HashMap::new();
    let mut former: Option<u64> = None;
    for entry in source.leaves().filter_map(Held::entry) {
        let server = Name::from(entry.split('/').next()?);
        if !plans.contains_key(&server) {
            plans.insert(server.clone(), space.plan(&server).await.ok()?);
        }
        let written = content(space, plans[&server].as_ref(), entry).await.ok()??;
        let is_former = matches!(written.content, Content::Failure(_));
        let good = written.into_good()?;
        if is_former {
            former = Some(former.map_or(good.revision, |former| former.min(good.revision)));
        }
        let shown = match good.content {
            Content::Value(value) => value.into(),
            Content::Sealed(_) => Shown::Leaf(Secret),
            Content::Failure(_) => return None,
        };
        entries.insert(entry, shown);
    }
    let leaf = |held: &Held| match held {
        Held::Entry(entry) => entries.get(entry).cloned(),
        Held::UserData(key) => known.get(key).map(|text| text.as_str().into()),
        Held::Sealed(_) | Held::Foreign { .. } => None,
    };
    let shown = source.rebuild(&mut |part| match part {
        ValueSource::Leaf(held) => leaf(held).map(Some).ok_or(()),
        ValueSource::Function { .. } => {
            let mut apply = |name: &str, argument: &Value| wattle_heat::evaluate::apply(name, argument).map_err(drop);
            part.resolve(&mut |held| leaf(held).ok_or(()), &mut apply).map(Some)
        }
        _ => Ok(None),
    });
    Some((text(&shown.ok()?)?, former))
}

/// What is known about an export.
type Shown = Tree<Secret>;

/// A secret, which is not shown.
#[derive(Clone)]
struct Secret;

fn text(shown: &Shown) -> Option<String> {
    let all = |parts: &[Shown], between: &str| Some(parts.iter().map(text).collect::<Option<Vec<_>>>()?.join(between));
    match shown {
        Shown::Constant(value) => Some(values::text(value)),
        Shown::Leaf(Secret) => Some("(secret)".into()),
        Shown::Text(parts) => all(parts, ""),
        Shown::List(parts) => all(parts, ", "),
        Shown::Map(parts) => {
            let parts = parts.iter().map(|(name, part)| Some(format!("{name}={}", text(part)?)));
            Some(parts.collect::<Option<Vec<_>>>()?.join(", "))
        }
        // It is a function of a secret.
        Shown::Function { .. } => None,
    }
}
