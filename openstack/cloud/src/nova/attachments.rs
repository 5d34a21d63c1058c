//! Ports and volumes of an existing server.

use serde_json::{Value, json};
use wattle_openstack::Method;

use super::{Nova, Others};
use crate::reply::{Answer, Refusal, empty, json};
use crate::world::{Asked, Common};

/// The guest's device name for the volume with this number.
pub(super) fn device(number: usize) -> String {
    let letter = u8::try_from(number % 25).unwrap_or(0) + b'b';
    format!("/dev/vd{}", char::from(letter))
}

impl Nova {
    pub(super) fn of_ports(
        &mut self,
        common: &mut Common,
        others: &mut Others<'_>,
        id: &str,
        asked: &Asked<'_>,
        parts: &[&str],
    ) -> Answer {
        self.server(id)?;
        let shown = |port: &Value| json!({ "port_id": port["id"], "net_id": port["network_id"], "mac_addr": port["mac_address"], "fixed_ips": port["fixed_ips"], "port_state": port["status"] });
        match (asked.method, parts) {
            (Method::Get, []) => {
                let attached: Vec<Value> = others.neutron.ports_of(id).map(shown).collect();
                Ok(json(200, &json!({ "interfaceAttachments": attached })))
            }
            (Method::Post, []) => {
                let wanted = &asked.body["interfaceAttachment"];
                let port = if let Some(port) = wanted["port_id"].as_str() {
                    others.neutron.bind(port, id)?;
                    port.to_owned()
                } else {
                    let network = match (wanted["net_id"].as_str(), others.neutron.internal().as_slice()) {
                        (Some(network), _) => network.to_owned(),
                        (None, [only]) => only.clone(),
                        (None, _) => {
                            return Err(Refusal::bad(super::servers::AMBIGUOUS));
                        }
                    };
                    let address = &wanted["fixed_ips"][0]["ip_address"];
                    let wanted = json!({ "uuid": network, "fixed_ip": address });
                    others.neutron.port_for(common, id, &wanted, &Value::Null)?
                };
                let port = others.neutron.ports_of(id).find(|known| known["id"] == *port).map(shown);
                Ok(json(200, &json!({ "interfaceAttachment": port })))
            }
            (Method::Delete, [port]) => {
                others.neutron.unbind(port, id)?;
                Ok(empty(202))
            }
            _ => Err(Refusal::new(405, "Method Not Allowed")),
        }
    }

    pub(super) fn of_volumes(
        &mut self,
        common: &mut Common,
        others: &mut Others<'_>,
        id: &str,
        asked: &Asked<'_>,
        parts: &[&str],
    ) -> Answer {
        let server = self.server(id)?;
        let attached = server.value["os-extended-volumes:volumes_attached"].as_array().cloned().unwrap_or_default();
        let shown = |number: usize, volume: &Value| json!({ "id": volume["id"], "volumeId": volume["id"], "serverId": id, "device": device(number), "delete_on_termination": volume["delete_on_termination"] });
        let missing = |volume: &str| Refusal::missing(format!("volume_id not found: {volume}"));
        match (asked.method, parts) {
            (Method::Get, []) => {
                let all: Vec<Value> =
                    attached.iter().enumerate().map(|(number, volume)| shown(number, volume)).collect();
                Ok(json(200, &json!({ "volumeAttachments": all })))
            }
            (Method::Get, [volume]) => {
                let found = attached.iter().enumerate().find(|(_, known)| known["id"] == **volume);
                let (number, known) = found.ok_or_else(|| missing(volume))?;
                Ok(json(200, &json!({ "volumeAttachment": shown(number, known) })))
            }
            (Method::Post, []) => {
                if !matches!(server.status(), "ACTIVE" | "SHUTOFF") {
                    return Err(Refusal::conflict(format!(
                        "Cannot 'attach_volume' instance {id} while it is in vm_state {}",
                        server.status().to_lowercase()
                    )));
                }
                let volume = asked.body["volumeAttachment"]["volumeId"].as_str().unwrap_or_default();
                let attachment = common.ids.uuid();
                others.cinder.attach(volume, id, &device(attached.len()), &attachment)?;
                others.cinder.attach_slowly(common, volume);
                let added = json!({ "id": volume, "delete_on_termination": false });
                let answer = shown(attached.len(), &added);
                let mut all = attached;
                all.push(added);
                server.value["os-extended-volumes:volumes_attached"] = all.into();
                Ok(json(200, &json!({ "volumeAttachment": answer })))
            }
            (Method::Delete, [volume]) => {
                if !attached.iter().any(|known| known["id"] == **volume) {
                    return Err(missing(volume));
                }
                let rest: Vec<Value> = attached.into_iter().filter(|known| known["id"] != **volume).collect();
                server.value["os-extended-volumes:volumes_attached"] = rest.into();
                others.cinder.detach_slowly(common, volume, id);
                Ok(empty(202))
            }
            _ => Err(Refusal::new(405, "Method Not Allowed")),
        }
    }
}
