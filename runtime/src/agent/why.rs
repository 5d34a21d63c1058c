//! Root causes: why awaited entries and components are missing.

use wattle::model::Name;
use wattle_agent_core::machine::{Cause, Search, Sighting};

use crate::space::{Revision, SERVER, Space, SpaceError};
use crate::store::StoreError;

/// Explains why the `awaited` entries (`SERVER/COMPONENT/OUTPUT`) or components (`SERVER/COMPONENT`), each in its
/// revision, are missing. Follows all chains of waits, and returns the end of each chain once, the nearest first.
///
/// # Errors
/// The data space cannot be read.
pub(super) async fn root_causes(space: &Space, awaited: &[(Name, Revision)]) -> Result<Vec<Cause>, SpaceError> {
    let mut search = Search::new(awaited);
    while let Some(component) = search.looks_at() {
        let sighting = look(space, &component).await?;
        search.sees(component, sighting);
    }
    Ok(search.causes())
}

async fn look(space: &Space, full: &Name) -> Result<Sighting, SpaceError> {
    let server: Name = full.split('/').next().unwrap_or(full).into();
    let is_alive = match space.alive(&server).await {
        // The node exists, whatever its content. The names in a server's list of waits need not be valid.
        Err(
            SpaceError::Store(StoreError::Denied { .. } | StoreError::Illegal { .. }) | SpaceError::Malformed { .. },
        ) => true,
        alive => alive?.is_some(),
    };
    let of_server = full.ends_with(&format!("/{SERVER}"));
    let status = match if of_server { Ok(None) } else { space.status(full).await } {
        // Malformed nodes contribute nothing, and must not hide others.
        Err(SpaceError::Malformed { .. } | SpaceError::Store(StoreError::Illegal { .. })) => None,
        status => status?,
    };
    let is_known = status.is_some() || (of_server && !matches!(space.server_status(&server).await, Ok(None)));
    Ok(Sighting { is_alive, is_known, status })
}
