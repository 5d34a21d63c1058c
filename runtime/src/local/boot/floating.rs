//! Floating IPs of servers with loopback addresses: a TCP service that listens at a server's fixed address can also be
//! reached at its floating IP.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};

use tokio::net::TcpStream;
use tokio::task::JoinHandle;

/// A relay from one address to another.
type Way = (SocketAddrV4, SocketAddrV4);

/// The present relays.
#[derive(Debug, Default)]
pub(super) struct Floating(HashMap<Way, JoinHandle<()>>);

impl Floating {
    /// Creates the currently needed relays, from each floating IP to its fixed address.
    pub(super) fn follow(&mut self, pairs: &[(Ipv4Addr, Ipv4Addr)]) {
        let wanted = if pairs.is_empty() { HashSet::new() } else { ways(pairs, &listening()) };
        self.0.retain(|way, relay| {
            let stays = wanted.contains(way);
            if !stays {
                relay.abort();
            }
            stays
        });
        for way in wanted {
            // A service that listens on all addresses is already reachable at this one.
            if !self.0.contains_key(&way)
                && let Ok(relay) = relay(way)
            {
                self.0.insert(way, relay);
            }
        }
    }
}

impl Drop for Floating {
    fn drop(&mut self) {
        for relay in self.0.values() {
            relay.abort();
        }
    }
}

fn ways(pairs: &[(Ipv4Addr, Ipv4Addr)], listening: &HashSet<SocketAddrV4>) -> HashSet<Way> {
    let of_pair = |(floating, fixed): &(Ipv4Addr, Ipv4Addr)| {
        let (floating, fixed) = (*floating, *fixed);
        let there = listening.iter().filter(move |socket| *socket.ip() == fixed);
        there.map(move |socket| (SocketAddrV4::new(floating, socket.port()), *socket))
    };
    pairs.iter().flat_map(of_pair).collect()
}

fn relay((from, to): Way) -> io::Result<JoinHandle<()>> {
    let listener = TcpListener::bind(from)?;
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    Ok(tokio::spawn(async move {
        loop {
            let Ok((mut client, _)) = listener.accept().await else { return };
            tokio::spawn(async move {
                if let Ok(mut server) = TcpStream::connect(to).await {
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                }
            });
        }
    }))
}

/// The addresses with TCP listeners (`proc_pid_net(5)`).
fn listening() -> HashSet<SocketAddrV4> {
    fs::read_to_string("/proc/net/tcp").unwrap_or_default().lines().filter_map(listens).collect()
}

fn listens(line: &str) -> Option<SocketAddrV4> {
    let mut fields = line.split_whitespace().skip(1);
    let (address, port) = fields.next()?.split_once(':')?;
    if fields.nth(1)? != "0A" {
        return None;
    }
    // The kernel prints the address as a number in host byte order.
    let address = u32::from_str_radix(address, 16).ok()?.to_ne_bytes();
    Some(SocketAddrV4::new(address.into(), u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_listens_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let found = listening();
        assert!(found.contains(&SocketAddrV4::new(Ipv4Addr::LOCALHOST, port)), "{found:?}");
        // A connected client does not listen.
        let client = std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let std::net::SocketAddr::V4(own) = client.local_addr().unwrap() else { panic!("of version 4") };
        assert!(!listening().contains(&own));
    }

    #[test]
    fn a_way_leads_to_the_fixed_address_only() {
        let socket = |text: &str| text.parse::<SocketAddrV4>().unwrap();
        let listening = ["127.9.0.1:80", "127.9.0.2:80", "127.9.0.1:22"].map(socket).into();
        let pairs = [(Ipv4Addr::new(127, 9, 0, 7), Ipv4Addr::new(127, 9, 0, 1))];
        let found = ways(&pairs, &listening);
        let wanted = [("127.9.0.7:80", "127.9.0.1:80"), ("127.9.0.7:22", "127.9.0.1:22")];
        assert_eq!(found, wanted.map(|(from, to)| (socket(from), socket(to))).into());
    }
}
