//! Entries of this server: what they hold, and how outputs come into them.

use wattle_agent_core::outputs::same;
use wattle_agent_core::record::RevisionId;

use crate::space::{Content, SpaceError};

use super::shared::Shared;

/// What `entry` of this server holds of the revision already. Afterwards writing it takes one request.
pub(super) async fn peek(shared: &Shared, revision: &RevisionId, entry: &str) -> Option<Content> {
    match shared.insist(|| shared.space.peek(entry)).await {
        Ok(written) => written.filter(|written| written.revision == revision.number).map(|written| written.content),
        Err(error) => {
            tracing::debug!("`{entry}` cannot be looked at before it is written: {error}");
            None
        }
    }
}

/// Publishes `content`, unless the entry holds something of this revision: what stands there stays.
pub(super) async fn publish(
    shared: &Shared,
    revision: &RevisionId,
    entry: &str,
    content: &Content,
    there: Option<&Content>,
) {
    let there = match there {
        Some(there) => Ok(Some(there.clone())),
        None => shared.insist(|| shared.space.write(entry, revision.number, content)).await,
    };
    match there {
        Ok(None) => {}
        Ok(Some(there)) if same(&there, content, &shared.vault) => {}
        Ok(Some(_)) => tracing::warn!(
            revision = revision.number,
            "`{entry}` holds another value already, which stays until the next revision (`wattle seed apply --again`)"
        ),
        Err(SpaceError::Superseded { newer, .. }) => {
            tracing::debug!(revision = revision.number, newer, "`{entry}` belongs to a newer revision");
        }
        Err(error) => shared.board.trouble(entry, Some(format!("cannot publish `{entry}`: {error}"))),
    }
}
