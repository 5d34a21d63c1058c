//! Actions on servers: `POST /servers/ID/action`.

use serde_json::{Value, json};

use super::servers::Server;
use super::{Nova, Others};
use crate::reply::{Answer, Refusal, empty, json};
use crate::world::{Asked, Common};

/// Actions that only move a server from one of these states to another.
const TURNS: [(&str, &[&str], &str); 8] = [
    ("pause", &["ACTIVE"], "PAUSED"),
    ("unpause", &["PAUSED"], "ACTIVE"),
    ("suspend", &["ACTIVE"], "SUSPENDED"),
    ("resume", &["SUSPENDED"], "ACTIVE"),
    ("shelve", &["ACTIVE", "SHUTOFF", "PAUSED", "SUSPENDED"], "SHELVED_OFFLOADED"),
    ("unshelve", &["SHELVED", "SHELVED_OFFLOADED"], "ACTIVE"),
    ("rescue", &["ACTIVE", "SHUTOFF", "ERROR"], "RESCUE"),
    ("unrescue", &["RESCUE"], "ACTIVE"),
];

impl Nova {
    pub(super) fn act(&mut self, common: &mut Common, others: &mut Others<'_>, id: &str, asked: &Asked<'_>) -> Answer {
        let Some((action, said)) = asked.body.as_object().and_then(|body| body.iter().next()) else {
            return Err(Refusal::bad("There is no action in it."));
        };
        let then = common.now + common.setting.takes;
        let flavor = match action.as_str() {
            "resize" => Some(self.flavor(said["flavorRef"].as_str().unwrap_or_default())?.clone()),
            _ => None,
        };
        if action == "os-migrateLive" {
            self.migrate(common, id, said["host"].as_str())?;
            return Ok(empty(202));
        }
        let server = self.server(id)?;
        let status = server.status().to_owned();
        let needs = |allowed: &[&str]| {
            if allowed.contains(&status.as_str()) {
                return Ok(());
            }
            Err(Refusal::conflict(format!(
                "Cannot '{action}' instance {id} while it is in vm_state {}",
                status.to_lowercase()
            )))
        };
        if let Some((_, from, to)) = TURNS.iter().find(|(turn, ..)| turn == action) {
            needs(from)?;
            server.turn(&status, to, then);
            let is_rescue = action == "rescue";
            return Ok(if is_rescue { json(200, &json!({ "adminPass": "aPk7YSPKxmXb" })) } else { empty(202) });
        }
        match action.as_str() {
            "reboot" => {
                needs(&["ACTIVE", "SHUTOFF", "ERROR"])?;
                server.boot();
                server.turn("REBOOT", "ACTIVE", then);
                Ok(empty(202))
            }
            "os-start" => {
                needs(&["SHUTOFF"])?;
                server.boot();
                server.turn("SHUTOFF", "ACTIVE", then);
                Ok(empty(202))
            }
            "os-stop" => {
                needs(&["ACTIVE", "ERROR"])?;
                server.turn("ACTIVE", "SHUTOFF", then);
                Ok(empty(202))
            }
            "resize" => {
                needs(&["ACTIVE", "SHUTOFF"])?;
                let flavor = flavor.unwrap_or_default();
                if server.value["flavor"] == flavor {
                    return Err(Refusal::bad("When resizing, instances must change flavor!"));
                }
                server.former = Some(std::mem::replace(&mut server.value["flavor"], flavor));
                server.boot();
                server.turn("RESIZE", "VERIFY_RESIZE", then);
                Ok(empty(202))
            }
            "confirmResize" => {
                needs(&["VERIFY_RESIZE"])?;
                // The server looks the same until the hosts have finished. A second confirmation is refused.
                if server.former.take().is_none() {
                    return Err(Refusal::bad("Instance has not been resized."));
                }
                server.turn("VERIFY_RESIZE", "ACTIVE", then);
                Ok(empty(204))
            }
            "revertResize" => {
                needs(&["VERIFY_RESIZE"])?;
                if let Some(former) = server.former.take() {
                    server.value["flavor"] = former;
                }
                server.boot();
                server.turn("REVERT_RESIZE", "ACTIVE", then);
                Ok(empty(202))
            }
            "rebuild" => {
                needs(&["ACTIVE", "SHUTOFF", "ERROR"])?;
                rebuild(server, others, said, asked)?;
                server.turn("REBUILD", "ACTIVE", then);
                Ok(json(202, &json!({ "server": server.shown(others.neutron, asked.version) })))
            }
            "forceDelete" => {
                server.go(then);
                Ok(empty(202))
            }
            "addSecurityGroup" | "removeSecurityGroup" => {
                others.neutron.regroup(id, said["name"].as_str().unwrap_or_default(), action.starts_with("add"))?;
                Ok(empty(202))
            }
            "os-getConsoleOutput" => {
                let lines = said["length"].as_u64().and_then(|length| usize::try_from(length).ok());
                Ok(json(200, &json!({ "output": server.console(lines) })))
            }
            _ => Err(Refusal::bad(format!("There is no such action: {action}"))),
        }
    }
}

/// Rebuilds a server from another image.
fn rebuild(server: &mut Server, others: &Others<'_>, said: &Value, asked: &Asked<'_>) -> Result<(), Refusal> {
    let image = said["imageRef"].as_str().unwrap_or_default();
    if others.glance.image(image).is_none() {
        return Err(Refusal::bad(format!("Can not find requested image {image}")));
    }
    server.value["image"] = json!({ "id": image });
    for key in ["name", "metadata", "description"] {
        if let Some(value) = said.get(key) {
            server.value[key] = value.clone();
        }
    }
    if let Some(data) = said.get("user_data") {
        if asked.version < (2, 57) {
            return Err(super::unknown("user_data"));
        }
        server.set_user_data(data);
    }
    server.renew();
    Ok(())
}
