//! Checks whether anything accepts connections at the hosts of a store that does not respond.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::net::TcpStream;
use tokio::time::timeout;
use wattle::manners::reason;

use super::Address;

/// How long a host may take to accept a connection.
const PATIENCE: Duration = Duration::from_secs(2);

/// A host of a store.
#[derive(Debug)]
pub struct Host {
    /// `HOST:PORT`.
    pub name: String,
    /// Why it accepts no connections. `None` if it does.
    pub refused: Option<String>,
}

impl Address {
    /// Tries to connect to each host. A socket of this machine has no hosts: its errors state the reason.
    pub async fn hosts(&self) -> Vec<Host> {
        let Self::ZooKeeper { hosts, .. } = self else { return Vec::new() };
        join_all(hosts.split(',').map(host)).await
    }
}

async fn host(name: &str) -> Host {
    let refused = match timeout(PATIENCE, TcpStream::connect(name)).await {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => Some(reason(&error)),
        Err(_) => Some("nothing answers there".to_owned()),
    };
    Host { name: name.to_owned(), refused }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn hosts_that_take_connections_are_told_from_others() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("listens");
        let open = listener.local_addr().expect("has an address");
        let address: Address = format!("zookeeper://{open},127.0.0.1:1").parse().expect("an address");
        let hosts = address.hosts().await;
        let seen: Vec<_> = hosts.iter().map(|host| (host.name.as_str(), host.refused.as_deref())).collect();
        assert_eq!(seen, [(open.to_string().as_str(), None), ("127.0.0.1:1", Some("connection refused"))]);
    }
}
