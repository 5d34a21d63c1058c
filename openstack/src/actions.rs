//! What was done to a server, as Nova lists it. Only this list shows that an action has failed, or that a disk was made again.

use serde_json::Value;
use wattle_model::Name;

use crate::driver::encoded;
use crate::session::Call;
use crate::{Fault, Method, Session};

/// The call that lists the actions of a server, the newest one first.
pub(crate) fn call(server: &str) -> Call {
    Call::new("compute", Method::Get, format!("/servers/{}/os-instance-actions", encoded(server)))
}

/// The key of the list.
pub(crate) const KEY: &str = "instanceActions";

/// The request that last rebuilt a server, which makes its disk again; `None` if there was none.
///
/// # Errors
/// Why that is not known.
pub async fn last_rebuild(session: &Session, server: &str) -> Result<Option<Name>, Fault> {
    let actions = session.list(call(server), KEY).await?;
    let rebuild = actions.iter().find(|done| done["action"] == "rebuild");
    Ok(rebuild.and_then(|done| done["request_id"].as_str()).map(Name::from))
}

/// Whether an action has failed.
pub(crate) fn has_failed(done: &Value) -> bool {
    done["message"] == "Error"
}
