//! Volumes. Source: Block Storage API v3.

use std::time::SystemTime;

use indexmap::IndexMap;
use serde_json::{Value, json};
use wattle_openstack::Method;

use crate::glance::Glance;
use crate::listing;
use crate::reply::{Answer, Refusal, empty, json};
use crate::world::{Asked, Common};

/// The next state of a volume, and when it takes effect.
type Turn = (SystemTime, &'static str);

#[derive(Debug, Default)]
pub(crate) struct Cinder {
    volumes: IndexMap<String, (Value, Option<Turn>)>,
    /// Attachments that take effect at a volume's next turn.
    coming: IndexMap<String, Value>,
}

/// The type of volumes that specify none.
const DEFAULT_TYPE: &str = "__DEFAULT__";

/// Keys accepted when a volume is created.
const MADE_WITH: [&str; 14] = [
    "size",
    "name",
    "description",
    "availability_zone",
    "volume_type",
    "imageRef",
    "snapshot_id",
    "source_volid",
    "metadata",
    "multiattach",
    "consistencygroup_id",
    "backup_id",
    "scheduler_hints",
    "group_id",
];

impl Cinder {
    /// Applies the changes of state that are due.
    pub(crate) fn pass(&mut self, common: &Common) {
        for (volume, turn) in self.volumes.values_mut() {
            if let Some((at, state)) = turn
                && *at <= common.now
            {
                volume["status"] = (*state).into();
                *turn = None;
                if let Some(attachments) = volume["id"].as_str().and_then(|id| self.coming.shift_remove(id)) {
                    volume["attachments"] = attachments;
                }
            }
        }
        self.volumes.retain(|_, (volume, _)| volume["status"] != "deleted");
    }

    pub(crate) fn vanish(&mut self, collection: &str, id: &str) {
        if collection == "volumes" {
            self.volumes.shift_remove(id);
        }
    }

    /// Attaches a volume to a server. From then on, it is unavailable to other servers.
    pub(crate) fn attach(&mut self, id: &str, server: &str, device: &str, attachment: &str) -> Result<(), Refusal> {
        let Some((volume, _)) = self.volumes.get_mut(id) else {
            return Err(Refusal::missing(format!("Volume {id} could not be found.")));
        };
        if volume["status"] != "available" {
            let state = volume["status"].as_str().unwrap_or_default();
            return Err(Refusal::bad(format!(
                "Invalid input received: Invalid volume: Volume {id} status must be available or downloading to reserve, but the current status is {state}. (HTTP 400)"
            )));
        }
        volume["status"] = "in-use".into();
        volume["attachments"] =
            json!([{ "server_id": server, "volume_id": id, "id": id, "device": device, "attachment_id": attachment }]);
        Ok(())
    }

    /// Delays the last attachment. Until it is complete, the volume is attached to no server.
    pub(crate) fn attach_slowly(&mut self, common: &Common, id: &str) {
        if let Some((volume, turn)) = self.volumes.get_mut(id)
            && !common.setting.attaches.is_zero()
        {
            volume["status"] = "reserved".into();
            self.coming.insert(id.to_owned(), std::mem::replace(&mut volume["attachments"], json!([])));
            *turn = Some((common.now + common.setting.attaches, "in-use"));
        }
    }

    /// Starts detaching a volume from a server. Detaching takes time.
    pub(crate) fn detach_slowly(&mut self, common: &Common, id: &str, server: &str) {
        if common.setting.attaches.is_zero() {
            return self.detach(id, server);
        }
        if let Some((volume, turn)) = self.volumes.get_mut(id)
            && volume["attachments"][0]["server_id"] == *server
        {
            volume["status"] = "detaching".into();
            self.coming.insert(id.to_owned(), json!([]));
            *turn = Some((common.now + common.setting.attaches, "available"));
        }
    }

    /// Detaches a volume from a server.
    pub(crate) fn detach(&mut self, id: &str, server: &str) {
        if let Some((volume, _)) = self.volumes.get_mut(id)
            && volume["attachments"][0]["server_id"] == *server
        {
            volume["status"] = "available".into();
            volume["attachments"] = json!([]);
        }
    }

    /// Creates a volume together with a server.
    pub(crate) fn of_server(&mut self, common: &mut Common, glance: &Glance, body: &Value) -> Result<String, Refusal> {
        let volume = self.make(common, glance, body)?;
        let id = volume["id"].as_str().unwrap_or_default().to_owned();
        if let Some((volume, turn)) = self.volumes.get_mut(&id) {
            volume["status"] = "available".into();
            *turn = None;
        }
        Ok(id)
    }

    pub(crate) fn answer(&mut self, common: &mut Common, glance: &Glance, asked: &Asked<'_>) -> Answer {
        // The first part is the project.
        let parts = asked.route.parts();
        let missing = |id: &str| Refusal::missing(format!("Volume {id} could not be found."));
        match (asked.method, parts.get(1..).unwrap_or_default()) {
            (Method::Get, ["volumes"] | ["volumes", "detail"]) => {
                let volumes = self.volumes.values().map(|(volume, _)| volume);
                let volumes = volumes.filter(|volume| is_asked_for(volume, asked)).cloned().collect();
                Ok(json(200, &listing::page("volumes", volumes, asked.route, asked.url, common.setting.page)?))
            }
            (Method::Post, ["volumes"]) => {
                let volume = self.make(common, glance, &asked.body["volume"])?;
                Ok(json(202, &json!({ "volume": volume })))
            }
            (Method::Get, ["volumes", id]) => match self.volumes.get(*id) {
                Some((volume, _)) => Ok(json(200, &json!({ "volume": volume }))),
                None => Err(missing(id)),
            },
            (Method::Put, ["volumes", id]) => {
                let (volume, _) = self.volumes.get_mut(*id).ok_or_else(|| missing(id))?;
                for (key, value) in asked.body["volume"].as_object().into_iter().flatten() {
                    if !matches!(key.as_str(), "name" | "description" | "metadata") {
                        return Err(unknown(key, value));
                    }
                    volume[key] = value.clone();
                }
                Ok(json(200, &json!({ "volume": volume })))
            }
            (Method::Put, ["volumes", id, "metadata"]) => {
                let (volume, _) = self.volumes.get_mut(*id).ok_or_else(|| missing(id))?;
                volume["metadata"] = asked.body["metadata"].clone();
                Ok(json(200, &json!({ "metadata": volume["metadata"] })))
            }
            (Method::Post, ["volumes", id, "metadata"]) => {
                let (volume, _) = self.volumes.get_mut(*id).ok_or_else(|| missing(id))?;
                for (key, value) in asked.body["metadata"].as_object().into_iter().flatten() {
                    volume["metadata"][key] = value.clone();
                }
                Ok(json(200, &json!({ "metadata": volume["metadata"] })))
            }
            (Method::Delete, ["volumes", id]) => {
                let (volume, turn) = self.volumes.get_mut(*id).ok_or_else(|| missing(id))?;
                if !matches!(volume["status"].as_str(), Some("available" | "error" | "error_deleting" | "in-use-error"))
                {
                    return Err(Refusal::bad(
                        "Invalid volume: Volume status must be available or error or error_restoring or error_extending or error_managing and must not be migrating, attached, belong to a group, have snapshots, awaiting a transfer, or be disassociated from snapshots after volume transfer.",
                    ));
                }
                volume["status"] = "deleting".into();
                *turn = Some((common.now + common.setting.takes, "deleted"));
                Ok(empty(202))
            }
            (Method::Post, ["volumes", id, "action"]) => self.act(common, id, asked),
            (Method::Get, ["limits"]) => {
                let used: u64 = self.volumes.values().filter_map(|(volume, _)| volume["size"].as_u64()).sum();
                let absolute = json!({
                    "maxTotalVolumes": common.most(), "totalVolumesUsed": self.volumes.len(),
                    "maxTotalVolumeGigabytes": -1, "totalGigabytesUsed": used,
                });
                Ok(json(200, &json!({ "limits": { "rate": [], "absolute": absolute } })))
            }
            (Method::Get, ["types", "default"]) => {
                Ok(json(200, &json!({ "volume_type": { "id": "1", "name": DEFAULT_TYPE, "is_public": true } })))
            }
            (_, ["volumes", ..]) => Err(Refusal::new(405, "Method Not Allowed")),
            _ => Err(Refusal::missing("The resource could not be found.")),
        }
    }

    fn act(&mut self, common: &Common, id: &str, asked: &Asked<'_>) -> Answer {
        let (volume, turn) =
            self.volumes.get_mut(id).ok_or_else(|| Refusal::missing(format!("Volume {id} could not be found.")))?;
        if let Some(wanted) = asked.body.get("os-retype") {
            let state = volume["status"].as_str().unwrap_or_default().to_owned();
            if !matches!(state.as_str(), "available" | "in-use") {
                return Err(Refusal::bad(format!(
                    "Invalid volume: Volume {id} status must be available or in-use, but current status is: {state}."
                )));
            }
            volume["volume_type"] = wanted["new_type"].clone();
            volume["status"] = "retyping".into();
            *turn = Some((common.now + common.setting.takes, if state == "in-use" { "in-use" } else { "available" }));
            return Ok(empty(202));
        }
        let Some(wanted) = asked.body.get("os-extend") else {
            return Err(Refusal::bad("There is no such action here."));
        };
        let (size, now) = (wanted["new_size"].as_u64().unwrap_or(0), volume["size"].as_u64().unwrap_or(0));
        if size <= now {
            return Err(Refusal::bad(format!(
                "Invalid input received: New size for extend must be greater than current size. (current: {now}, extended: {size})."
            )));
        }
        let state = volume["status"].as_str().unwrap_or_default();
        if state == "in-use" && asked.version < (3, 42) || !matches!(state, "available" | "in-use") {
            return Err(Refusal::bad(format!(
                "Invalid volume: Volume {id} status must be ['available'] to extend, currently {state}."
            )));
        }
        let back = if state == "in-use" { "in-use" } else { "available" };
        volume["size"] = size.into();
        volume["status"] = "extending".into();
        *turn = Some((common.now + common.setting.takes, back));
        Ok(empty(202))
    }

    fn make(&mut self, common: &mut Common, glance: &Glance, body: &Value) -> Result<Value, Refusal> {
        let Some(given) = body.as_object() else {
            return Err(Refusal::bad("Invalid input for field/attribute volume."));
        };
        if let Some((key, value)) = given.iter().find(|(key, _)| !MADE_WITH.contains(&key.as_str())) {
            return Err(unknown(key, value));
        }
        let size = match &given.get("size").unwrap_or(&Value::Null) {
            Value::Number(size) => size.as_u64(),
            Value::String(size) => size.parse().ok(),
            _ => None,
        };
        let size = size.filter(|size| *size > 0).ok_or_else(|| {
            Refusal::bad(format!(
                "Invalid input for field/attribute size. Value: {}. Must be a positive integer.",
                body["size"]
            ))
        })?;
        if let Some(image) = body["imageRef"].as_str()
            && glance.image(image).is_none()
        {
            return Err(Refusal::bad(format!("Invalid image identifier or unable to access requested image: {image}")));
        }
        common.quota("gigabytes", self.volumes.len()).map_err(|(_, message)| Refusal::new(413, message))?;
        let id = common.ids.uuid();
        let kept =
            |key: &str, default: Value| given.get(key).filter(|value| !value.is_null()).cloned().unwrap_or(default);
        let volume = json!({
            "id": id, "name": kept("name", Value::Null), "description": kept("description", Value::Null), "size": size,
            "status": "creating", "availability_zone": kept("availability_zone", "nova".into()),
            "volume_type": kept("volume_type", DEFAULT_TYPE.into()), "metadata": kept("metadata", json!({})), "attachments": [],
            "bootable": if body["imageRef"].is_string() { "true" } else { "false" }, "encrypted": false, "multiattach": false,
            "snapshot_id": kept("snapshot_id", Value::Null), "source_volid": kept("source_volid", Value::Null),
            "created_at": common.stamp(), "updated_at": Value::Null, "links": [],
        });
        let state = if common.breaks { "error" } else { "available" };
        self.volumes.insert(id, (volume.clone(), Some((common.now + common.setting.takes, state))));
        Ok(volume)
    }
}

/// Whether a volume matches the query. Cinder reads the `metadata` of a query as a map: `?metadata={'key':'value'}`.
fn is_asked_for(volume: &Value, asked: &Asked<'_>) -> bool {
    let Some(wanted) = asked.route.asked("metadata") else { return listing::is_asked_for(volume, asked.route) };
    let wanted: Value = serde_json::from_str(&wanted.replace('\'', "\"")).unwrap_or_default();
    wanted
        .as_object()
        .is_some_and(|wanted| wanted.iter().all(|(key, value)| volume["metadata"].get(key) == Some(value)))
}

fn unknown(key: &str, value: &Value) -> Refusal {
    Refusal::bad(format!("Additional properties are not allowed ('{key}' was unexpected): {value}"))
}
