//! What OpenStack tells a server about itself: its metadata service, or the config drive.
//!
//! Both give `meta_data.json` (identity, name) and `network_data.json` (which address on which network); Nova's
//! documentation, "Metadata", says what stands in them. Heat names networks as the model does, they by identity; the
//! server's user data tells the one from the other.

use std::fmt::Write as _;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::str::FromStr;
use std::time::Duration;

use async_trait::async_trait;
use indexmap::IndexMap;
use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::sync::OnceCell;
use tokio::time::{self, Instant};
use wattle::lower::seed::SeedAttribute;
use wattle::model::{Name, Value};

use super::attributes::{Attributes, Fixed};

/// Where the metadata service is, for every server of every OpenStack.
const SERVICE: &str = "http://169.254.169.254/openstack/latest";

/// The config drive, by its label.
const DRIVES: [&str; 2] = ["/dev/disk/by-label/config-2", "/dev/disk/by-label/CONFIG-2"];

/// How long the metadata service is asked: it may come up after the server.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long one answer may take.
const ANSWER: Duration = Duration::from_secs(5);

/// Most bytes of an answer.
const LARGEST: u64 = 4 << 20;

/// Attributes from what OpenStack tells the server.
#[derive(Debug)]
pub struct Metadata {
    networks: IndexMap<Name, Name>,
    place: Option<Place>,
    patience: Duration,
    found: OnceCell<Fixed>,
}

/// Where metadata is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A folder that holds `meta_data.json` and `network_data.json`.
    Folder(PathBuf),
    /// A service, by its URL, below which they are: `http://169.254.169.254/openstack/latest`.
    Service {
        /// `HOST` or `HOST:PORT`.
        authority: String,
        /// The path, without a slash at its end.
        path: String,
    },
}

/// `http://HOST[:PORT]/PATH`, or the path of a folder.
impl FromStr for Place {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(rest) = text.strip_prefix("http://") else { return Ok(Self::Folder(text.into())) };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let path = format!("/{path}").trim_end_matches('/').to_owned();
        Ok(Self::Service { authority: authority.to_owned(), path })
    }
}

impl Metadata {
    /// From the config drive if there is one, else from the metadata service. `networks` are the identities of the
    /// server's networks by their names in the model.
    pub fn new(networks: IndexMap<Name, Name>) -> Self {
        Self { networks, place: None, patience: PATIENCE, found: OnceCell::new() }
    }

    /// From `place`.
    pub fn at(networks: IndexMap<Name, Name>, place: Place) -> Self {
        Self { place: Some(place), ..Self::new(networks) }
    }

    async fn find(&self) -> Result<Fixed, String> {
        let begun = Instant::now();
        loop {
            let why = match self.read().await {
                Ok((meta, network)) => return Ok(self.attributes(&meta, &network, &local_addresses().await)),
                Err(why) => why,
            };
            if begun.elapsed() >= self.patience {
                return self.guess().await.ok_or(why);
            }
            time::sleep(Duration::from_secs(2)).await;
        }
    }

    async fn read(&self) -> Result<(MetaData, NetworkData), String> {
        match &self.place {
            Some(place) => read(place).await,
            None => match DRIVES.iter().find(|drive| Path::new(drive).exists()) {
                Some(drive) => read_drive(drive).await,
                None => match SERVICE.parse() {
                    Ok(place) => read(&place).await,
                    Err(error) => match error {},
                },
            },
        }
    }

    /// Without metadata: a server that is on one network has one address, which is its own.
    async fn guess(&self) -> Option<Fixed> {
        let (network, id) = self.networks.first().filter(|_| self.networks.len() == 1)?;
        let addresses: Vec<Value> =
            local_addresses().await.into_iter().map(|(_, address)| address.to_string().into()).collect();
        let first = addresses.first()?.clone();
        tracing::warn!("without OpenStack's metadata, the address on `{network}` is taken to be {first}");
        let networks = [network, id].map(|key| (key.clone(), Value::List(addresses.clone())));
        Some(Fixed(
            [("networks".into(), Value::Map(networks.into_iter().collect())), ("first_address".into(), first)].into(),
        ))
    }

    fn attributes(&self, meta: &MetaData, data: &NetworkData, local: &[(String, IpAddr)]) -> Fixed {
        let mut networks: IndexMap<Name, Vec<Value>> = IndexMap::new();
        let mut details: IndexMap<Name, Vec<Value>> = IndexMap::new();
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
        let mut known: IndexMap<Name, Value> = IndexMap::new();
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
        // What Nova was told to say instead of these only Nova knows.
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

#[derive(Debug, Deserialize)]
struct MetaData {
    uuid: Option<String>,
    name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct NetworkData {
    #[serde(default)]
    links: Vec<Link>,
    #[serde(default)]
    networks: Vec<Network>,
}

#[derive(Debug, Deserialize)]
struct Link {
    id: String,
    #[serde(rename = "ethernet_mac_address")]
    mac: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Network {
    link: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(rename = "network_id")]
    id: Name,
    // Not there when the network has DHCP.
    ip_address: Option<String>,
}

impl Network {
    fn addresses(&self, mac: &str, local: &[(String, IpAddr)]) -> Vec<IpAddr> {
        if let Some(address) = &self.ip_address {
            let address = address.split('/').next().unwrap_or(address);
            return address.parse().into_iter().collect();
        }
        let is_family = |address: &IpAddr| address.is_ipv4() == self.kind.starts_with("ipv4");
        let of_link = local.iter().filter(|(of, address)| of.eq_ignore_ascii_case(mac) && is_family(address));
        of_link.map(|(_, address)| *address).collect()
    }
}

async fn read(place: &Place) -> Result<(MetaData, NetworkData), String> {
    let meta = parse("meta_data.json", &read_file(place, "meta_data.json").await?)?;
    let network = parse("network_data.json", &read_file(place, "network_data.json").await?)?;
    Ok((meta, network))
}

fn parse<T: for<'de> Deserialize<'de>>(file: &str, text: &[u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|error| format!("`{file}` is not what OpenStack's is: {error}"))
}

async fn read_file(place: &Place, file: &str) -> Result<Vec<u8>, String> {
    let (result, from) = match place {
        Place::Folder(folder) => (tokio::fs::read(folder.join(file)).await, folder.display().to_string()),
        Place::Service { authority, path } => {
            let result = time::timeout(ANSWER, get(authority, &format!("{path}/{file}"))).await;
            let late = || Err(io::Error::new(io::ErrorKind::TimedOut, "no answer"));
            (result.unwrap_or_else(|_| late()), format!("OpenStack's metadata service at {authority}"))
        }
    };
    result.map_err(|error| format!("cannot read `{file}` from {from}: {error}"))
}

/// Mounts the config drive for as long as it is read.
async fn read_drive(drive: &str) -> Result<(MetaData, NetworkData), String> {
    let folder = std::env::temp_dir().join(format!("wattle-config-drive-{}", std::process::id()));
    let failed = |error: &dyn std::fmt::Display| format!("cannot read the config drive {drive}: {error}");
    std::fs::create_dir_all(&folder).map_err(|error| failed(&error))?;
    let output = Command::new("mount").args(["-o", "ro"]).arg(drive).arg(&folder).output().await;
    let result = match output {
        Ok(output) if output.status.success() => {
            let result = read(&Place::Folder(folder.join("openstack/latest"))).await;
            let _ = Command::new("umount").arg(&folder).status().await;
            result
        }
        Ok(output) => Err(failed(&String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(failed(&error)),
    };
    let _ = std::fs::remove_dir(&folder);
    result
}

/// HTTP, as far as a service on the same link needs it: in version 1.0, an answer ends with its connection.
async fn get(authority: &str, path: &str) -> io::Result<Vec<u8>> {
    let address = if authority.contains(':') { authority.to_owned() } else { format!("{authority}:80") };
    let mut stream = TcpStream::connect(&address).await?;
    let mut request = format!("GET {path} HTTP/1.0\r\nHost: {authority}\r\n");
    let _ = write!(request, "User-Agent: wattle/{}\r\nConnection: close\r\n\r\n", env!("CARGO_PKG_VERSION"));
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(LARGEST).read_to_end(&mut answer).await?;
    let malformed = || io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP");
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").ok_or_else(malformed)?;
    let head = String::from_utf8_lossy(&answer[..end]);
    let status = head.split_whitespace().nth(1).ok_or_else(malformed)?;
    if status != "200" {
        return Err(io::Error::other(format!("the answer is {}", head.lines().next().unwrap_or_default())));
    }
    Ok(answer.split_off(end + 4))
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

/// The addresses that this server has now, by the MAC of their interface; none if `ip` cannot tell.
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
mod tests {
    use super::*;
    use tokio::net::TcpListener;
    use wattle::model::Step;

    const META: &str = r#"{"uuid": "8c1f", "name": "shop-db-x7", "hostname": "shop-db-x7.novalocal"}"#;
    const NETWORK: &str = r#"{
        "links": [
            {"id": "tap1", "type": "ovs", "ethernet_mac_address": "fa:16:3e:00:00:01", "mtu": 1500},
            {"id": "tap2", "type": "ovs", "ethernet_mac_address": "fa:16:3e:00:00:02"}
        ],
        "networks": [
            {"id": "network0", "type": "ipv4", "link": "tap1", "ip_address": "10.0.0.5", "netmask": "255.255.0.0", "network_id": "c3f2"},
            {"id": "network1", "type": "ipv6", "link": "tap1", "ip_address": "fd00::5/64", "network_id": "c3f2"},
            {"id": "network2", "type": "ipv4_dhcp", "link": "tap2", "network_id": "d4e5"}
        ],
        "services": []
    }"#;

    fn networks() -> IndexMap<Name, Name> {
        [("backbone", "c3f2"), ("public", "d4e5")].map(|(name, id)| (name.into(), id.into())).into()
    }

    fn attribute(name: &str, path: &[Step]) -> SeedAttribute {
        SeedAttribute { attribute: name.into(), path: path.to_vec() }
    }

    #[tokio::test]
    async fn networks_are_named_as_in_the_model() {
        let metadata = Metadata::new(networks());
        let local = [("FA:16:3E:00:00:02".to_owned(), "203.0.113.7".parse().unwrap())];
        let (meta, network) = (parse("m", META.as_bytes()).unwrap(), parse("n", NETWORK.as_bytes()).unwrap());
        let known = metadata.attributes(&meta, &network, &local);
        let get = async |name: &str, path: &[Step]| known.get(&attribute(name, path)).await;
        let backbone = Step::Resource("backbone".into());
        assert_eq!(get("networks", &[backbone.clone(), Step::Index(0)]).await, Ok("10.0.0.5".into()));
        assert_eq!(get("networks", &[backbone.clone(), Step::Index(1)]).await, Ok("fd00::5".into()));
        assert_eq!(get("networks", &[Step::Resource("public".into()), Step::Index(0)]).await, Ok("203.0.113.7".into()));
        assert_eq!(get("networks", &[Step::Key("c3f2".into()), Step::Index(0)]).await, Ok("10.0.0.5".into()));
        let mac = Step::Key("OS-EXT-IPS-MAC:mac_addr".into());
        assert_eq!(get("addresses", &[backbone, Step::Index(0), mac]).await, Ok("fa:16:3e:00:00:01".into()));
        assert_eq!(get("id", &[]).await, Ok("8c1f".into()));
        assert_eq!(get("name", &[]).await, Ok("shop-db-x7".into()));
        assert_eq!(get("accessIPv4", &[]).await, Ok("10.0.0.5".into()));
        assert_eq!(get("accessIPv6", &[]).await, Ok("fd00::5".into()));
    }

    #[tokio::test]
    async fn what_cannot_be_found_is_told() {
        let (meta, network) = (parse("m", META.as_bytes()).unwrap(), NetworkData::default());
        let known = Metadata::new(networks()).attributes(&meta, &network, &[]);
        let get = async |name: &str, path: &[Step]| known.get(&attribute(name, path)).await;
        assert_eq!(get("console_urls", &[]).await.unwrap_err(), "this server has no attribute `console_urls`");
        assert_eq!(
            get("networks", &[Step::Resource("backbone".into())]).await.unwrap_err(),
            "there is no `backbone` in it"
        );
        assert!(get("id", &[Step::Index(0)]).await.unwrap_err().starts_with("expected a list with an item 0"));
    }

    #[tokio::test]
    async fn the_service_is_asked() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = format!("http://{}/openstack/latest/", listener.local_addr().unwrap()).parse().unwrap();
        let server = async {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = vec![0; 1024];
                let read = stream.read(&mut request).await.unwrap();
                let request = String::from_utf8_lossy(&request[..read]).into_owned();
                let (status, body) = match request.split_whitespace().nth(1).unwrap() {
                    "/openstack/latest/meta_data.json" => ("200 OK", META),
                    "/openstack/latest/network_data.json" => ("200 OK", NETWORK),
                    _ => ("404 Not Found", ""),
                };
                let answer = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\n\r\n{body}");
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        };
        let metadata = Metadata::at(networks(), place);
        let wanted = attribute("networks", &[Step::Resource("backbone".into()), Step::Index(0)]);
        tokio::select! {
            () = server => {}
            got = metadata.get(&wanted) => assert_eq!(got, Ok("10.0.0.5".into())),
        }
    }

    #[tokio::test]
    async fn a_service_that_does_not_answer_is_told() {
        let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let place = format!("http://{gone}/openstack/latest").parse().unwrap();
        let metadata = Metadata { patience: Duration::ZERO, ..Metadata::at(networks(), place) };
        let why = metadata.get(&attribute("id", &[])).await.unwrap_err();
        assert!(
            why.starts_with(&format!("cannot read `meta_data.json` from OpenStack's metadata service at {gone}")),
            "{why}"
        );
    }
}
