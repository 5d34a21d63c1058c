//! The names of data spaces: the time of creation and a random part.
//!
//! INVARIANT: of two data spaces of a stack in one store, the later one sorts after the earlier one, whatever the
//! operators' clocks say. Revisions are compared by these names. The node above all stacks keeps the last name, even
//! after its stack is gone.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wattle::model::Name;
use wattle_agent_core::hex;
use wattle_agent_core::time::Time;

use crate::space::{ROOT, parse_json, to_json};
use crate::store::{Access, Op, Store, StoreError, Version};

use super::SeedError;

/// The contents of the node above all stacks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Top {
    /// A data space name that no later name sorts before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    space: Option<Name>,
}

/// Reads the contents of the node and its version. `None` if there is no node. Contents that no operator has signed are
/// ignored and replaced.
async fn top(store: &Arc<dyn Store>) -> Result<Option<(Top, Version)>, SeedError> {
    let Some(node) = store.get(ROOT).await? else { return Ok(None) };
    Ok(Some((parse_json(ROOT, &node.data)?.unwrap_or_default(), node.version)))
}

/// Generates a name for a data space that is created `now`, even if the clock was set back.
pub(super) async fn new(store: &Arc<dyn Store>, now: Time) -> Result<Name, SeedError> {
    let last = top(store).await?.and_then(|(top, _)| top.space);
    Ok(behind(last.as_ref(), now))
}

fn behind(last: Option<&Name>, now: Time) -> Name {
    let named = |time: Time| -> Name { format!("{time:.9}-{}", chance()).into() };
    let name = named(now);
    let Some(last) = last.filter(|last| **last >= name) else { return name };
    let time = last.rsplit_once('-').and_then(|(time, _)| time.parse::<Time>().ok());
    let next = time.map(|time| named(time + Duration::from_nanos(1)));
    // A name sorts after each of its own prefixes.
    next.filter(|next| next > last).unwrap_or_else(|| format!("{last}-{}", chance()).into())
}

/// Eight random digits, for uniqueness.
pub(super) fn chance() -> String {
    let mut chance = [0; 4];
    getrandom::fill(&mut chance).expect("INVARIANT: the system has random numbers once it has booted");
    hex(&chance)
}

/// The operation that keeps `name` as the last name. `None` if a later one is kept already.
pub(super) async fn keep(store: &Arc<dyn Store>, name: Option<&Name>) -> Result<Option<Op>, SeedError> {
    let (path, data) = (ROOT.to_owned(), to_json(&Top { space: name.cloned() }));
    Ok(match top(store).await? {
        None => Some(Op::Create { path, data, access: Access::new() }),
        Some((top, _)) if top.space.as_ref() >= name => None,
        Some((_, version)) => Some(Op::Set { path, data, expected: Some(version) }),
    })
}

/// Whether the error means that another operator has kept a name since.
pub(super) fn is_late(error: &StoreError) -> bool {
    matches!(error, StoreError::Conflict { path } | StoreError::Exists { path } if path == ROOT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_name_sorts_behind_whatever_the_clock_says() {
        let at = |text: &str| text.parse::<Time>().unwrap();
        let now = at("2026-03-01T12:00:00Z");
        let mut last = behind(None, now);
        assert!(last.starts_with("2026-03-01T12:00:00.000000000Z-"), "{last}");
        for clock in [now, at("2026-02-28T00:00:00Z"), at("1970-01-01T00:00:00Z"), at("2026-03-01T12:00:01Z"), now] {
            let next = behind(Some(&last), clock);
            assert!(next > last, "{next} after {last}");
            last = next;
        }
        assert!(last.starts_with("2026-03-01T12:00:01.000000001Z-"), "{last}");
        let odd: Name = "zzz".into();
        assert!(behind(Some(&odd), now) > odd);
    }
}
