//! The exports of a stack and the addresses of its servers, as shown once it is up.

use std::collections::HashMap;
use std::net::Ipv4Addr;

use wattle::lower::Seed;
use wattle::model::{IndexMap, Name};

use crate::report::{self, Exported};
use crate::space::Space;

use super::entries::one_line;
use super::paint::{Cell, Tone, table};

/// The exports, one on each line. Values that only OpenStack knows come from `user_data`.
pub(super) async fn exports(space: &Space, user_data: &HashMap<Name, String>, color: bool) -> String {
    let row = |(name, exported): (Name, Exported)| -> Vec<Cell> {
        let cell = match exported {
            Exported::Value(text, None) => (one_line(&text), Tone::Good),
            Exported::Value(text, Some(revision)) => {
                (format!("{} (of revision {revision})", one_line(&text)), Tone::Waiting)
            }
            Exported::Secret => ("(secret)".into(), Tone::Waiting),
            Exported::Unknown => ("(not known here)".into(), Tone::Faint),
        };
        vec![(format!("  {name}"), Tone::Plain), cell]
    };
    let rows: Vec<Vec<Cell>> = report::exports(space, user_data).await.into_iter().map(row).collect();
    table(&rows, color, usize::MAX / 2)
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
