//! The actions on a server, as listed by `GET /servers/ID/os-instance-actions`.

use serde_json::{Value, json};
use wattle_openstack::Method;

use super::servers::Server;
use crate::world::{Asked, Common};

/// Nova's name for the requested action, if it is one that the list records.
pub(super) fn action(asked: &Asked<'_>, parts: &[&str]) -> Option<String> {
    match (asked.method, parts) {
        (Method::Post, [_, "action"]) => {
            let action = asked.body.as_object()?.keys().next()?;
            let is_listed = !matches!(&**action, "os-getConsoleOutput" | "addSecurityGroup" | "removeSecurityGroup");
            is_listed.then(|| action.strip_prefix("os-").unwrap_or(action).to_owned())
        }
        (Method::Post, [_, "os-interface"]) => Some("attach_interface".into()),
        (Method::Delete, [_, "os-interface", _]) => Some("detach_interface".into()),
        (Method::Post, [_, "os-volume_attachments"]) => Some("attach_volume".into()),
        (Method::Delete, [_, "os-volume_attachments", _]) => Some("detach_volume".into()),
        _ => None,
    }
}

impl Server {
    /// Adds an action, which has failed or not.
    pub(super) fn note(&mut self, common: &Common, action: &str, has_failed: bool) {
        let request = format!("req-00000000-0000-4000-8000-{:012}", self.history.len());
        let message = if has_failed { "Error".into() } else { Value::Null };
        self.history.push(json!({
            "action": action, "instance_uuid": self.value["id"], "request_id": request, "message": message,
            "project_id": common.project, "user_id": common.setting.user, "start_time": common.stamp(),
        }));
    }

    /// All actions, the newest one first.
    pub(super) fn actions(&self) -> Vec<&Value> {
        self.history.iter().rev().collect()
    }
}
