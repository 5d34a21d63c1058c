//! The data that a server of the cloud finds when it boots: its identity, from its user data, and OpenStack's metadata.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use wattle_cloud::Booted;

use crate::local::agent::Knows;
use crate::local::folder::write_whole;
use crate::local::servers::{make_home, write_json};

/// The path at which the user data writes the server's identity.
const IDENTITY: &str = "/etc/wattle/identity.json";

/// The data of a server.
#[derive(Debug, PartialEq)]
pub(super) struct Guest {
    identity: String,
    meta_data: Value,
    network_data: Value,
}

#[derive(Deserialize)]
struct CloudConfig {
    #[serde(default)]
    write_files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    #[serde(default)]
    content: String,
}

impl Guest {
    /// Extracts the data of a server.
    ///
    /// # Errors
    /// The reason why it has no agent.
    pub(super) fn of(server: &Booted) -> Result<Self, String> {
        let data = server.user_data.as_deref().ok_or("it has no user data")?;
        let data = STANDARD.decode(data).map_err(|error| format!("its user data is not base64: {error}"))?;
        let text = String::from_utf8(data).map_err(|_| "its user data is not text")?;
        if text.lines().next().map(str::trim_end) != Some("#cloud-config") {
            return Err("its user data does not begin with `#cloud-config`".into());
        }
        // The message must not quote the faulty text: the identity in it is secret.
        let unreadable = |error: serde_yaml::Error| {
            let at = error.location().map(|at| format!(" at line {} column {}", at.line(), at.column()));
            format!("its user data cannot be read{}: expected a list of files at `write_files`", at.unwrap_or_default())
        };
        let config: CloudConfig = serde_yaml::from_str(&text).map_err(unreadable)?;
        let identity = config.write_files.into_iter().find(|file| file.path == IDENTITY);
        let identity = identity.ok_or_else(|| format!("its user data writes no `{IDENTITY}`"))?.content;
        Ok(Self { identity, meta_data: meta_data(server), network_data: network_data(server) })
    }

    /// Writes it to the server's folder.
    ///
    /// # Errors
    /// The file system refuses access.
    pub(super) fn write(&self, home: &Path) -> io::Result<()> {
        make_home(home)?;
        let (_, metadata) = Knows::Metadata.place();
        let metadata = home.join(metadata);
        DirBuilder::new().recursive(true).mode(0o700).create(&metadata)?;
        write_whole(&home.join("identity.json"), self.identity.as_bytes(), 0o600)?;
        write_json(&metadata.join("meta_data.json"), &self.meta_data)?;
        write_json(&metadata.join("network_data.json"), &self.network_data)
    }
}

/// The metadata, as described in Nova's documentation, "Metadata".
fn meta_data(server: &Booted) -> Value {
    let meta: serde_json::Map<String, Value> =
        server.metadata.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
    json!({ "uuid": server.id, "name": server.name, "hostname": server.name, "meta": meta, "availability_zone": "nova" })
}

/// The network data, likewise. Addresses are given as for networks without DHCP.
fn network_data(server: &Booted) -> Value {
    let (mut links, mut networks) = (Vec::new(), Vec::new());
    for port in &server.ports {
        let link = format!("tap{}", port.id.get(..11).unwrap_or(&port.id));
        for address in &port.addresses {
            let kind = if address.contains(':') { "ipv6" } else { "ipv4" };
            let id = format!("network{}", networks.len());
            networks.push(
                json!({ "id": id, "type": kind, "link": link, "ip_address": address, "network_id": port.network }),
            );
        }
        links.push(json!({ "id": link, "vif_id": port.id, "type": "ovs", "ethernet_mac_address": port.mac }));
    }
    json!({ "links": links, "networks": networks, "services": [] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_cloud::Joined;

    fn server(user_data: Option<&str>) -> Booted {
        Booted {
            id: "8c1f".into(),
            name: "web".into(),
            disk: 1,
            boots: 1,
            user_data: user_data.map(|data| STANDARD.encode(data)),
            metadata: vec![("role".into(), "front".into())],
            ports: vec![Joined {
                id: "11112222-3333-4444".into(),
                network: "c3f2".into(),
                mac: "fa:16:3e:00:00:01".into(),
                addresses: vec!["127.9.0.1".into(), "fd00::5".into()],
                floating: Vec::new(),
            }],
        }
    }

    #[test]
    fn who_it_is_stands_in_its_user_data() {
        let data = "#cloud-config\nwrite_files:\n  - path: /etc/other\n    content: no\n  - path: /etc/wattle/identity.json\n    permissions: \"0600\"\n    content: |\n      {\"server\": \"web\"}\n";
        let guest = Guest::of(&server(Some(data))).unwrap();
        assert_eq!(guest.identity, "{\"server\": \"web\"}\n");
        assert_eq!((&guest.meta_data["uuid"], &guest.meta_data["meta"]["role"]), (&json!("8c1f"), &json!("front")));
        let networks = &guest.network_data["networks"];
        assert_eq!((&networks[0]["ip_address"], &networks[0]["type"]), (&json!("127.9.0.1"), &json!("ipv4")));
        assert_eq!((&networks[1]["network_id"], &networks[1]["type"]), (&json!("c3f2"), &json!("ipv6")));
        assert_eq!(networks[1]["link"], guest.network_data["links"][0]["id"]);
    }

    #[test]
    fn what_asks_for_no_agent_is_reported() {
        let why = |data| Guest::of(&server(data)).unwrap_err();
        assert_eq!(why(None), "it has no user data");
        assert_eq!(why(Some("#!/bin/sh\n")), "its user data does not begin with `#cloud-config`");
        let odd = why(Some("#cloud-config\nwrite_files: hunter2\n"));
        assert_eq!(odd, "its user data cannot be read at line 2 column 14: expected a list of files at `write_files`");
        let other = "#cloud-config\nwrite_files: [{path: /etc/motd, content: hi}]\n";
        assert_eq!(why(Some(other)), "its user data writes no `/etc/wattle/identity.json`");
    }
}
