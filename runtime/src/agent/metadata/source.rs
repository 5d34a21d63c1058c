//! Reads metadata from a folder, the config drive or the service.

use std::fmt::Write as _;
use std::fs::DirBuilder;
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::time;
use wattle::model::{Name, json};

use crate::agent::socket::chance;

/// The address of the metadata service, for every server of every OpenStack.
const SERVICE: &str = "http://169.254.169.254/openstack/latest";

/// The config drive, by its label.
const DRIVES: [&str; 2] = ["/dev/disk/by-label/config-2", "/dev/disk/by-label/CONFIG-2"];

/// The timeout of one response.
const ANSWER: Duration = Duration::from_secs(5);

/// The maximum size of a response, in bytes.
const LARGEST: u64 = 4 << 20;

/// The place of the metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A folder that holds `meta_data.json` and `network_data.json`.
    Folder(PathBuf),
    /// A service, by the URL above them: `http://169.254.169.254/openstack/latest`.
    Service {
        /// `HOST` or `HOST:PORT`.
        authority: String,
        /// The path, without a trailing slash.
        path: String,
    },
}

/// Parses `http://HOST[:PORT]/PATH`, or the path of a folder.
impl FromStr for Place {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(rest) = text.strip_prefix("http://") else { return Ok(Self::Folder(text.into())) };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let path = format!("/{path}").trim_end_matches('/').to_owned();
        Ok(Self::Service { authority: authority.to_owned(), path })
    }
}

/// Reads the metadata at `place`. Without a place, reads the config drive if present, and the metadata service
/// otherwise.
pub(super) async fn read(place: Option<&Place>) -> Result<(MetaData, NetworkData), String> {
    match place {
        Some(place) => read_place(place).await,
        None => match DRIVES.iter().find(|drive| Path::new(drive).exists()) {
            Some(drive) => read_drive(drive).await,
            None => match SERVICE.parse() {
                Ok(place) => read_place(&place).await,
                Err(error) => match error {},
            },
        },
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct MetaData {
    pub(super) uuid: Option<String>,
    pub(super) name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct NetworkData {
    #[serde(default)]
    pub(super) links: Vec<Link>,
    #[serde(default)]
    pub(super) networks: Vec<Network>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Link {
    pub(super) id: String,
    #[serde(rename = "ethernet_mac_address")]
    pub(super) mac: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Network {
    pub(super) link: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(rename = "network_id")]
    pub(super) id: Name,
    // Missing if the network has DHCP.
    ip_address: Option<String>,
}

impl Network {
    pub(super) fn addresses(&self, mac: &str, local: &[(String, IpAddr)]) -> Vec<IpAddr> {
        if let Some(address) = &self.ip_address {
            let address = address.split('/').next().unwrap_or(address);
            return address.parse().into_iter().collect();
        }
        let is_family = |address: &IpAddr| address.is_ipv4() == self.kind.starts_with("ipv4");
        let of_link = local.iter().filter(|(of, address)| of.eq_ignore_ascii_case(mac) && is_family(address));
        of_link.map(|(_, address)| *address).collect()
    }
}

async fn read_place(place: &Place) -> Result<(MetaData, NetworkData), String> {
    let meta = parse("meta_data.json", &read_file(place, "meta_data.json").await?)?;
    let network = parse("network_data.json", &read_file(place, "network_data.json").await?)?;
    Ok((meta, network))
}

pub(super) fn parse<T: for<'de> Deserialize<'de>>(file: &str, text: &[u8]) -> Result<T, String> {
    json::read(text).map_err(|error| format!("`{file}` is not what OpenStack writes: {error}"))
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

/// Creates a new folder below `temporary`, accessible to this user alone. Other users of the server could have created
/// any folder with a predictable name, as a link to something that the drive would be mounted over, or with metadata of
/// their own.
pub(super) fn mount_point(temporary: &Path) -> io::Result<PathBuf> {
    let folder = temporary.join(format!("wattle-config-drive-{}", chance()));
    DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

/// Mounts the config drive while it is being read.
async fn read_drive(drive: &str) -> Result<(MetaData, NetworkData), String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot read the config drive {drive}: {error}");
    let folder = mount_point(&std::env::temp_dir()).map_err(|error| failed(&error))?;
    let output = Command::new("mount").args(["-o", "ro"]).arg(drive).arg(&folder).output().await;
    let result = match output {
        Ok(output) if output.status.success() => {
            let result = read_place(&Place::Folder(folder.join("openstack/latest"))).await;
            let _ = Command::new("umount").arg(&folder).status().await;
            result
        }
        Ok(output) => Err(failed(&String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(failed(&error)),
    };
    let _ = std::fs::remove_dir(&folder);
    result
}

/// The subset of HTTP that a link-local service needs. In version 1.0, the end of the connection ends the response.
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
