//! What a stack exports, with its values, once it is up.

use std::collections::HashMap;
use std::net::Ipv4Addr;

use indexmap::IndexMap;
use wattle::lower::Seed;
use wattle::model::{Name, Value};

use crate::space::{Content, Export, Source, Space};

use super::entries::{one_line, plain};
use super::paint::{Cell, Tone, table};

/// The exports, one a line; those of values that only OpenStack knows from `told`.
pub(super) async fn exports(space: &Space, told: &HashMap<Name, String>, color: bool) -> String {
    let store = space.store();
    let names = store.children(&space.layout().exports()).await.unwrap_or_default();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for name in names {
        let node = store.get(&space.layout().export(&name)).await.ok().flatten();
        let export: Option<Export> = node.and_then(|node| serde_json::from_slice(&node.data).ok());
        let Some(export) = export else { continue };
        let value = match &export.from {
            Some(source) => value(space, source, told).await,
            None => None,
        };
        let cell = match value {
            Some(text) => (one_line(&text), Tone::Good),
            None if export.ty.is_secret() => ("(secret)".into(), Tone::Waiting),
            None => ("(not known here)".into(), Tone::Faint),
        };
        rows.push(vec![(format!("  {name}"), Tone::Plain), cell]);
    }
    table(&rows, color, usize::MAX / 2)
}

async fn value(space: &Space, source: &Source, told: &HashMap<Name, String>) -> Option<String> {
    match source {
        Source::Value(value) => Some(plain(value)),
        Source::Entry(entry) => match space.peek(entry).await.ok()??.content {
            Content::Value(value) => Some(plain(&value)),
            Content::Sealed(_) => Some("(secret)".into()),
            Content::Failure(_) => None,
        },
        Source::UserData(key) => told.get(key).cloned(),
        Source::Text(parts) => {
            let mut text = String::new();
            for part in parts {
                text.push_str(&Box::pin(value(space, part, told)).await?);
            }
            Some(text)
        }
        Source::List(parts) => {
            let mut items = Vec::new();
            for part in parts {
                items.push(Box::pin(value(space, part, told)).await?);
            }
            Some(items.join(", "))
        }
        Source::Map(parts) => {
            let mut items = Vec::new();
            for (name, part) in parts {
                items.push(format!("{name}={}", Box::pin(value(space, part, told)).await?));
            }
            Some(items.join(", "))
        }
        Source::Function { name, argument } => {
            let argument = Box::pin(typed(space, argument, told)).await?;
            wattle_heat::evaluate::apply(name, &argument).ok().as_ref().map(plain)
        }
        Source::Sealed(_) | Source::Foreign { .. } => None,
    }
}

/// The value with its type: what a function is given.
async fn typed(space: &Space, source: &Source, told: &HashMap<Name, String>) -> Option<Value> {
    match source {
        Source::Value(value) => Some(value.clone()),
        Source::Entry(entry) => match space.peek(entry).await.ok()??.content {
            Content::Value(value) => Some(value),
            Content::Sealed(_) | Content::Failure(_) => None,
        },
        Source::List(parts) => {
            let mut items = Vec::new();
            for part in parts {
                items.push(Box::pin(typed(space, part, told)).await?);
            }
            Some(Value::List(items))
        }
        Source::Map(parts) => {
            let mut items = IndexMap::new();
            for (name, part) in parts {
                items.insert(name.clone(), Box::pin(typed(space, part, told)).await?);
            }
            Some(Value::Map(items))
        }
        Source::Function { name, argument } => {
            let argument = Box::pin(typed(space, argument, told)).await?;
            wattle_heat::evaluate::apply(name, &argument).ok()
        }
        other => value(space, other, told).await.map(Value::from),
    }
}

/// The addresses of the servers.
pub(super) fn addresses(seed: &Seed, addresses: &IndexMap<Name, Ipv4Addr>, color: bool) -> String {
    const SHOWN: usize = 12;
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for name in seed.servers.keys().take(SHOWN) {
        if let Some(address) = addresses.get(name) {
            rows.push(vec![(format!("  {name}"), Tone::Plain), (address.to_string(), Tone::Plain)]);
        }
    }
    let mut text = table(&rows, color, usize::MAX / 2);
    if seed.servers.len() > SHOWN {
        text.extend([format!("  and {} more\n", seed.servers.len() - SHOWN)]);
    }
    text
}
