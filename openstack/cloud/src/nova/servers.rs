//! Creation, state and deletion of servers.

use std::time::SystemTime;

use serde_json::{Map, Value, json};

use super::{Booted, Nova, Others, unknown};
use crate::cinder::Cinder;
use crate::neutron::Neutron;
use crate::reply::Refusal;
use crate::world::{Asked, Common};

/// Keys accepted when a server is created.
const MADE_WITH: [&str; 23] = [
    "name",
    "flavorRef",
    "imageRef",
    "networks",
    "user_data",
    "metadata",
    "key_name",
    "security_groups",
    "availability_zone",
    "block_device_mapping_v2",
    "config_drive",
    "tags",
    "description",
    "adminPass",
    "personality",
    "accessIPv4",
    "accessIPv6",
    "OS-DCF:diskConfig",
    "min_count",
    "max_count",
    "return_reservation_id",
    "host",
    "hostname",
];

#[derive(Debug)]
pub(super) struct Server {
    pub(super) value: Value,
    /// Its next state, and when it takes effect.
    turn: Option<(SystemTime, &'static str)>,
    /// Ports that Nova created for it. They are deleted with it.
    own_ports: Vec<String>,
    /// Volumes that are deleted with it.
    own_volumes: Vec<String>,
    user_data: Option<String>,
    /// Its host, once it has one.
    pub(super) host: Option<&'static str>,
    /// How many times its disk has been created.
    disk: u32,
    /// How many times a start or reboot was requested.
    boots: u32,
    /// The flavor before a resize.
    pub(super) former: Option<Value>,
    /// The actions on it.
    pub(super) history: Vec<Value>,
}

/// The keys of servers that a later microversion introduced.
const SINCE: [((u16, u16), &str); 3] = [((2, 9), "locked"), ((2, 19), "description"), ((2, 26), "tags")];

impl Server {
    /// The server as it appears in a list with details, in this microversion.
    pub(super) fn shown(&self, neutron: &Neutron, version: (u16, u16)) -> Value {
        let mut value = self.value.clone();
        if let Some(server) = value.as_object_mut() {
            server.retain(|key, _| SINCE.iter().all(|(since, later)| later != key || *since <= version));
        }
        let id = value["id"].as_str().unwrap_or_default();
        value["addresses"] = neutron.addresses_of(id);
        value
    }

    pub(super) fn status(&self) -> &str {
        self.value["status"].as_str().unwrap_or_default()
    }

    /// Sets the status now, and the status that it turns to at the given time.
    pub(super) fn turn(&mut self, status: &str, then: &'static str, at: SystemTime) {
        self.value["status"] = status.into();
        self.turn = Some((at, then));
    }

    /// Schedules its deletion.
    pub(super) fn go(&mut self, at: SystemTime) {
        self.value["OS-EXT-STS:task_state"] = "deleting".into();
        self.turn = Some((at, "DELETED"));
    }

    /// Soft-deletes it, so that it can be restored.
    pub(super) fn keep(&mut self) {
        self.value["status"] = "SOFT_DELETED".into();
        self.turn = None;
    }

    /// Creates its disk again.
    pub(super) fn renew(&mut self) {
        self.disk += 1;
    }

    /// Boots it again.
    pub(super) fn boot(&mut self) {
        self.boots += 1;
    }

    pub(super) fn set_user_data(&mut self, data: &Value) {
        self.user_data = data.as_str().map(str::to_owned);
    }

    pub(super) fn pass(&mut self, common: &Common) {
        if let Some((at, then)) = self.turn
            && at <= common.now
        {
            self.turn = None;
            self.value["status"] = then.into();
            self.value["OS-EXT-STS:task_state"] = Value::Null;
            if then == "ACTIVE" && self.value["OS-SRV-USG:launched_at"].is_null() {
                self.value["OS-SRV-USG:launched_at"] = common.stamp().into();
            }
        }
    }

    pub(super) fn is_gone(&self) -> bool {
        self.status() == "DELETED"
    }

    /// Deletes its own ports and volumes, and releases the others.
    pub(super) fn leave(self, neutron: &mut Neutron, cinder: &mut Cinder) {
        let id = self.value["id"].as_str().unwrap_or_default();
        neutron.leave(id, &self.own_ports);
        for volume in self.value["os-extended-volumes:volumes_attached"].as_array().into_iter().flatten() {
            let volume = volume["id"].as_str().unwrap_or_default();
            cinder.detach(volume, id);
            if self.own_volumes.iter().any(|own| own == volume) {
                cinder.vanish("volumes", volume);
            }
        }
    }

    /// The last lines of the console: one for each boot.
    pub(super) fn console(&self, lines: Option<usize>) -> String {
        let name = self.value["name"].as_str().unwrap_or_default();
        let first = self.boots.saturating_sub(lines.and_then(|lines| u32::try_from(lines).ok()).unwrap_or(u32::MAX));
        (first..self.boots).map(|boot| format!("{name} boots, {boot} times before\r\n")).collect()
    }

    pub(super) fn booted(&self, neutron: &Neutron) -> Option<Booted> {
        let is_up = matches!(self.status(), "ACTIVE" | "VERIFY_RESIZE");
        let text = |key: &str| self.value[key].as_str().unwrap_or_default().to_owned();
        let metadata = self.value["metadata"].as_object().into_iter().flatten();
        let metadata =
            metadata.map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned())).collect();
        is_up.then(|| Booted {
            id: text("id"),
            name: text("name"),
            disk: self.disk,
            user_data: self.user_data.clone(),
            boots: self.boots,
            metadata,
            ports: neutron.joined(&text("id")),
        })
    }
}

impl Nova {
    pub(super) fn make(
        &mut self,
        common: &mut Common,
        others: &mut Others<'_>,
        asked: &Asked<'_>,
    ) -> Result<Value, Refusal> {
        let body = &asked.body["server"];
        let Some(given) = body.as_object() else {
            return Err(Refusal::bad("Invalid input for field/attribute server."));
        };
        if let Some(key) = given.keys().find(|key| !MADE_WITH.contains(&key.as_str())) {
            return Err(unknown(key));
        }
        needs(given, asked)?;
        common.quota("instances", self.servers.len()).map_err(|(_, message)| Refusal::new(403, message))?;
        let flavor = self.flavor(body["flavorRef"].as_str().unwrap_or_default())?.clone();
        let image = body["imageRef"].as_str().filter(|image| !image.is_empty());
        if let Some(image) = image
            && others.glance.image(image).is_none()
        {
            return Err(Refusal::bad(format!("Can not find requested image {image}")));
        }
        if let Some(key) = body["key_name"].as_str()
            && !self.keypairs.contains_key(key)
        {
            return Err(Refusal::bad(format!("Invalid key_name provided: {key}.")));
        }
        let chosen = self.chosen(common, asked.body)?.map(|host| (host.name, host.zone()));
        let id = common.ids.uuid();
        let own_ports = join(common, others, &id, body)?;
        let (attached, own_volumes) = take_volumes(common, others, &id, body)?;
        if image.is_none() && attached.is_empty() {
            others.neutron.leave(&id, &own_ports);
            return Err(Refusal::bad("Invalid image provided: Image ref is missing and no bootable volume."));
        }
        self.become_member(asked.body, &id)?;
        let kept =
            |key: &str, default: Value| given.get(key).filter(|value| !value.is_null()).cloned().unwrap_or(default);
        let value = json!({
            "id": id, "name": body["name"], "status": "BUILD", "OS-EXT-STS:task_state": "spawning", "OS-EXT-STS:vm_state": "building",
            "flavor": flavor, "image": image.map_or_else(|| "".into(), |image| json!({ "id": image })), "metadata": kept("metadata", json!({})),
            "key_name": kept("key_name", Value::Null), "tags": kept("tags", json!([])), "description": kept("description", Value::Null),
            "OS-EXT-AZ:availability_zone": "", "config_drive": "", "progress": 0,
            "os-extended-volumes:volumes_attached": attached, "security_groups": kept("security_groups", json!([{ "name": "default" }])),
            "tenant_id": common.project, "user_id": common.setting.user, "created": common.stamp(), "updated": common.stamp(),
            "OS-SRV-USG:launched_at": Value::Null, "accessIPv4": "", "accessIPv6": "", "hostId": "", "links": [],
            "OS-DCF:diskConfig": "MANUAL", "locked": false,
        });
        let mut server = Server {
            value,
            turn: None,
            own_ports,
            own_volumes,
            user_data: None,
            host: None,
            disk: 1,
            boots: 1,
            former: None,
            history: Vec::new(),
        };
        server.note(common, "create", false);
        server.set_user_data(&body["user_data"]);
        let (host, why) = match chosen {
            Ok(host) if !common.breaks => (Some(host), String::new()),
            Ok(_) => (None, "There are not enough hosts available.".to_owned()),
            Err(why) => (None, why),
        };
        let then = if host.is_none() { "ERROR" } else { "ACTIVE" };
        match host {
            Some((name, zone)) => server.stand(common, name, zone),
            None => {
                server.value["fault"] = json!({ "code": 500, "message": format!("No valid host was found. {why}") });
            }
        }
        server.turn("BUILD", then, common.now + common.setting.takes);
        self.servers.insert(id.clone(), server);
        Ok(
            json!({ "id": id, "adminPass": "made-up", "links": [], "OS-DCF:diskConfig": "MANUAL", "security_groups": [{ "name": "default" }] }),
        )
    }

    pub(super) fn flavor(&self, id: &str) -> Result<&Value, Refusal> {
        let found = self.flavors.iter().find(|flavor| flavor["id"] == *id);
        found.ok_or_else(|| Refusal::bad(format!("Flavor {id} could not be found.")))
    }
}

fn needs(given: &Map<String, Value>, asked: &Asked<'_>) -> Result<(), Refusal> {
    if let Some(missing) = ["name", "flavorRef"].into_iter().find(|key| !given.contains_key(*key)) {
        return Err(Refusal::bad(format!(
            "Invalid input for field/attribute server. '{missing}' is a required property"
        )));
    }
    if given.contains_key("tags") && asked.version < (2, 52) {
        return Err(unknown("tags"));
    }
    if given.contains_key("host") && asked.version < (2, 74) {
        return Err(unknown("host"));
    }
    // From version 2.37 on, networks are required.
    if !given.contains_key("networks") && asked.version >= (2, 37) {
        return Err(Refusal::bad("Invalid input for field/attribute server. 'networks' is a required property"));
    }
    let is_long = |data: &Value| data.as_str().is_some_and(|data| data.len() > 65_535);
    if given.get("user_data").is_some_and(is_long) {
        return Err(Refusal::bad("Invalid input for field/attribute user_data. It is too long"));
    }
    Ok(())
}

/// The error message if the server specifies no network and the project has several.
pub(super) const AMBIGUOUS: &str = "Multiple possible networks found, use a Network ID to be more specific.";

/// The server's ports: the given ones, and a new one for each given network.
fn join(common: &mut Common, others: &mut Others<'_>, id: &str, body: &Value) -> Result<Vec<String>, Refusal> {
    let mut own = Vec::new();
    let networks = match &body["networks"] {
        Value::Array(networks) => networks.clone(),
        Value::String(word) if word == "none" => Vec::new(),
        _ => match &*others.neutron.internal() {
            [] => Vec::new(),
            [only] => vec![json!({ "uuid": only })],
            _ => return Err(Refusal::new(409, AMBIGUOUS)),
        },
    };
    for network in &networks {
        let joined = match network["port"].as_str() {
            Some(port) => others.neutron.bind(port, id),
            None => others.neutron.port_for(common, id, network, &body["security_groups"]).map(|port| own.push(port)),
        };
        if let Err(refusal) = joined {
            others.neutron.leave(id, &own);
            return Err(refusal);
        }
    }
    Ok(own)
}

/// Attaches the server's volumes. Returns them, and those of them that are deleted with it.
fn take_volumes(
    common: &mut Common,
    others: &mut Others<'_>,
    id: &str,
    body: &Value,
) -> Result<(Vec<Value>, Vec<String>), Refusal> {
    let (mut attached, mut own) = (Vec::new(), Vec::new());
    for (number, device) in body["block_device_mapping_v2"].as_array().into_iter().flatten().enumerate() {
        let uuid = device["uuid"].as_str().unwrap_or_default();
        let volume = match (device["source_type"].as_str(), device["destination_type"].as_str()) {
            (Some("volume"), _) => uuid.to_owned(),
            (Some(source @ ("image" | "blank")), Some("volume")) => {
                let image = (source == "image").then_some(uuid);
                others.cinder.of_server(
                    common,
                    others.glance,
                    &json!({ "size": device["volume_size"], "imageRef": image }),
                )?
            }
            _ => continue,
        };
        let attachment = common.ids.uuid();
        others.cinder.attach(&volume, id, &super::attachments::device(number), &attachment)?;
        let goes = device["delete_on_termination"] == true;
        if goes {
            own.push(volume.clone());
        }
        attached.push(json!({ "id": volume, "delete_on_termination": goes }));
    }
    Ok((attached, own))
}
