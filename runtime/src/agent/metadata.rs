//! Data that OpenStack provides about a server, in its metadata service or config drive.
//!
//! Both provide `meta_data.json` (identity, name) and `network_data.json` (addresses by network). Their contents are
//! described in Nova's documentation, "Metadata". Heat uses the network names of the model, metadata uses IDs. The
//! server's user data maps one to the other.

mod source;

use std::net::IpAddr;
use std::process::Stdio;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use tokio::process::Command;
use tokio::sync::OnceCell;
use tokio::time::{self, Instant};
use wattle::lower::seed::SeedAttribute;
use wattle::model::{IndexMap, Name, Value};

use super::attributes::{Attributes, Fixed};

pub use source::Place;

use source::{MetaData, NetworkData};

/// How long to retry the metadata service, which may start after the server.
const PATIENCE: Duration = Duration::from_secs(30);

/// Attributes from OpenStack's metadata.
#[derive(Debug)]
pub struct Metadata {
    networks: IndexMap<Name, Name>,
    place: Option<Place>,
    patience: Duration,
    found: OnceCell<Fixed>,
}

impl Metadata {
    /// Reads the config drive if present, and the metadata service otherwise. `networks` holds the IDs of the server's
    /// networks by their names in the model.
    pub fn new(networks: IndexMap<Name, Name>) -> Self {
        Self { networks, place: None, patience: PATIENCE, found: OnceCell::new() }
    }

    /// Reads the metadata at `place`.
    pub fn at(networks: IndexMap<Name, Name>, place: Place) -> Self {
        Self { place: Some(place), ..Self::new(networks) }
    }

    async fn find(&self) -> Result<Fixed, String> {
        let begun = Instant::now();
        loop {
            let why = match source::read(self.place.as_ref()).await {
                Ok((meta, network)) => return Ok(self.attributes(&meta, &network, &local_addresses().await)),
                Err(why) => why,
            };
            if begun.elapsed() >= self.patience {
                return self.guess().await.ok_or(why);
            }
            time::sleep(Duration::from_secs(2)).await;
        }
    }

    /// Guesses the attributes without metadata: a server on a single network has one address.
    async fn guess(&self) -> Option<Fixed> {
        let (network, id) = self.networks.first().filter(|_| self.networks.len() == 1)?;
        let addresses: Vec<Value> =
            local_addresses().await.into_iter().map(|(_, address)| address.to_string().into()).collect();
        let first = addresses.first()?.clone();
        tracing::warn!("without OpenStack's metadata, the address on `{network}` is taken to be {first}");
        let networks = [network, id].map(|key| (key.clone(), Value::List(addresses.clone())));
        Some(Fixed(
            [("networks".into(), Value::Map(networks.into_iter().collect())), ("first_address".into(), first)]
                .into_iter()
                .collect(),
        ))
    }

    fn attributes(&self, meta: &MetaData, data: &NetworkData, local: &[(String, IpAddr)]) -> Fixed {
        let mut networks: IndexMap<Name, Vec<Value>> = IndexMap::default();
        let mut details: IndexMap<Name, Vec<Value>> = IndexMap::default();
        let mut all: Vec<IpAddr> = Vec::new();
        for network in &data.networks {
            let link = data.links.iter().find(|link| link.id == network.link);
            let mac = link.and_then(|link| link.mac.as_deref()).unwrap_or_default();
            let of_model = self.networks.iter().filter(|(_, id)| **id == network.id).map(|(name, _)| name);
            let names: Vec<&Name> = of_model.chain([&network.id]).collect();
            for address in network.addresses(mac, local) {
                all.push(address);
                let version = if address.is_ipv4() { 4 } else { 6 };
                let detail = [
                    ("addr", address.to_string().into()),
                    ("version", Value::Integer(version)),
                    ("OS-EXT-IPS-MAC:mac_addr", mac.into()),
                    ("OS-EXT-IPS:type", "fixed".into()),
                ];
                let detail: IndexMap<Name, Value> =
                    detail.into_iter().map(|(name, value)| (name.into(), value)).collect();
                for name in &names {
                    networks.entry((*name).clone()).or_default().push(address.to_string().into());
                    details.entry((*name).clone()).or_default().push(Value::Map(detail.clone()));
                }
            }
        }
        let map = |values: IndexMap<Name, Vec<Value>>| {
            Value::Map(values.into_iter().map(|(name, values)| (name, Value::List(values))).collect())
        };
        let mut known: IndexMap<Name, Value> = IndexMap::default();
        known.insert("networks".into(), map(networks));
        known.insert("addresses".into(), map(details));
        let mut tell = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                known.insert(name.into(), value.into());
            }
        };
        tell("id", meta.uuid.clone());
        tell("name", meta.name.clone());
        tell("first_address", all.first().map(ToString::to_string));
        // Only Nova knows whether it is configured to report others.
        tell("accessIPv4", all.iter().find(|address| address.is_ipv4()).map(ToString::to_string));
        tell("accessIPv6", all.iter().find(|address| address.is_ipv6()).map(ToString::to_string));
        Fixed(known)
    }
}

#[async_trait]
impl Attributes for Metadata {
    async fn get(&self, attribute: &SeedAttribute) -> Result<Value, String> {
        self.found.get_or_try_init(|| self.find()).await?.get(attribute).await
    }
}

#[derive(Deserialize)]
struct Interface {
    #[serde(default)]
    address: String,
    #[serde(default)]
    addr_info: Vec<Address>,
}

#[derive(Deserialize)]
struct Address {
    local: Option<IpAddr>,
    scope: String,
}

/// The present addresses of this server, by the MAC address of their interface. Empty if `ip` does not list them.
async fn local_addresses() -> Vec<(String, IpAddr)> {
    let output = Command::new("ip").args(["-json", "address", "show"]).stdin(Stdio::null()).output().await;
    let interfaces: Vec<Interface> =
        output.ok().and_then(|output| serde_json::from_slice(&output.stdout).ok()).unwrap_or_default();
    let of = |interface: Interface| {
        let mac = interface.address;
        let global = interface.addr_info.into_iter().filter(|address| address.scope == "global");
        global.filter_map(move |address| Some((mac.clone(), address.local?))).collect::<Vec<_>>()
    };
    interfaces.into_iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests;
