//! The actions on a server, as listed by Nova. Only this list shows that an action has failed, or that a disk was
//! created again.

use serde_json::Value;
use wattle_model::Name;

use crate::driver::encoded;
use crate::session::Call;
use crate::{Fault, Method, Session};

/// Returns the call that lists a server's actions, newest first.
pub(crate) fn call(server: &str) -> Call {
    Call::new("compute", Method::Get, format!("/servers/{}/os-instance-actions", encoded(server)))
}

/// The key of the list.
pub(crate) const KEY: &str = "instanceActions";

/// The id of the request that last rebuilt a server, which creates its disk again; `None` if it was never rebuilt.
///
/// # Errors
/// Nova's list cannot be read.
pub async fn last_rebuild(session: &Session, server: &str) -> Result<Option<Name>, Fault> {
    let actions = session.list(call(server), KEY).await?;
    let rebuild = actions.iter().find(|done| done["action"] == "rebuild");
    Ok(rebuild.and_then(|done| done["request_id"].as_str()).map(Name::from))
}

/// Whether an action has failed.
pub(crate) fn has_failed(done: &Value) -> bool {
    done["message"] == "Error"
}
