//! The resolvers and proxies that this machine depends on. They may listen on its own loopback interface, which servers
//! cannot reach.

use std::env;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddrV4, ToSocketAddrs as _};

use super::{probe, tools};
use crate::local::programs;
use crate::recipe::PROXIES;

/// Where systemd-resolved listens, on the loopback interface and nowhere else, ...
const STUBS: [Ipv4Addr; 2] = [Ipv4Addr::new(127, 0, 0, 53), Ipv4Addr::new(127, 0, 0, 54)];
/// ... and where it records its upstream resolvers.
const UPSTREAM: &str = "/run/systemd/resolve/resolv.conf";
const DNS: u16 = 53;

/// The resolvers and proxies that this machine depends on.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// Its resolvers.
    pub(super) resolvers: Vec<Ipv4Addr>,
    /// Its proxies.
    pub(super) proxies: Vec<SocketAddrV4>,
    /// The resolvers that only this machine itself can use, each with an equivalent one.
    pub(super) stubs: Vec<(Ipv4Addr, Ipv4Addr)>,
    /// All other such services on its own loopback interface.
    pub(super) own: Vec<SocketAddrV4>,
}

impl Needs {
    /// Reads the present configuration.
    pub(super) fn read() -> Self {
        let resolv = fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
        let upstream = nameservers(&fs::read_to_string(UPSTREAM).unwrap_or_default());
        let upstream: Vec<Ipv4Addr> = upstream.into_iter().filter(|address| !address.is_loopback()).collect();
        let upstream = upstream.iter().find(|address| probe::answers(**address)).or(upstream.first()).copied();
        // In lower and in upper case.
        let variables =
            PROXIES.iter().chain(&["pip_index_url"]).flat_map(|name| [(*name).to_owned(), name.to_uppercase()]);
        let mut urls: Vec<String> = variables.filter_map(|name| env::var(name).ok()).collect();
        urls.extend(of_apt());
        Self::of(nameservers(&resolv), upstream, urls.iter().filter_map(|url| endpoint(url)).collect())
    }

    fn of(resolvers: Vec<Ipv4Addr>, upstream: Option<Ipv4Addr>, mut proxies: Vec<SocketAddrV4>) -> Self {
        proxies.sort();
        proxies.dedup();
        let mut needs = Self { resolvers, proxies, ..Self::default() };
        for resolver in needs.resolvers.iter().filter(|resolver| resolver.is_loopback()) {
            match upstream.filter(|_| STUBS.contains(resolver)) {
                Some(upstream) => needs.stubs.push((*resolver, upstream)),
                None => needs.own.push(SocketAddrV4::new(*resolver, DNS)),
            }
        }
        needs.own.extend(needs.proxies.iter().filter(|proxy| proxy.ip().is_loopback()));
        needs
    }

    /// The addresses in use.
    pub(super) fn addresses(&self) -> Vec<Ipv4Addr> {
        let proxies = self.proxies.iter().map(|proxy| *proxy.ip());
        self.resolvers.iter().copied().chain(proxies).chain(self.stubs.iter().map(|(_, other)| *other)).collect()
    }
}

/// The IPv4 resolvers in a resolv.conf(5). If it names none, the default is this machine's own.
fn nameservers(text: &str) -> Vec<Ipv4Addr> {
    let named: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("nameserver")).collect();
    if named.is_empty() {
        return vec![Ipv4Addr::LOCALHOST];
    }
    named.iter().filter_map(|rest| rest.split_whitespace().next()?.parse().ok()).collect()
}

/// The proxies in apt's configuration.
fn of_apt() -> Vec<String> {
    let Some(program) = programs::find("apt-config") else { return Vec::new() };
    let text = tools::run(&program, &["dump", "--format", "%f%N%v%n"], "").unwrap_or_default();
    let is_proxy = |name: &str| name.starts_with("Acquire::") && name.to_lowercase().contains("::proxy");
    let values = text.lines().filter_map(|line| line.split_once('\t')).filter(|(name, _)| is_proxy(name));
    values.map(|(_, value)| value.to_owned()).filter(|value| value.contains("//")).collect()
}

/// The address of a URL's server.
fn endpoint(url: &str) -> Option<SocketAddrV4> {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()?),
        _ if scheme == "https" => (host, 443),
        _ if scheme.starts_with("socks") => (host, 1080),
        _ => (host, 80),
    };
    let mut found = (name, port).to_socket_addrs().ok()?;
    found.find_map(|address| match address.ip() {
        IpAddr::V4(ip) => Some(SocketAddrV4::new(ip, port)),
        IpAddr::V6(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> SocketAddrV4 {
        text.parse().unwrap()
    }

    #[test]
    fn endpoints_of_urls() {
        assert_eq!(endpoint("http://user:p@ss@127.0.0.1:3128/"), Some(at("127.0.0.1:3128")));
        assert_eq!(endpoint("127.0.0.2:8080"), Some(at("127.0.0.2:8080")));
        assert_eq!(endpoint("https://192.0.2.7/simple?x#y"), Some(at("192.0.2.7:443")));
        assert_eq!(endpoint("socks5h://localhost"), Some(at("127.0.0.1:1080")));
        assert_eq!(endpoint("DIRECT://"), None);
        assert_eq!(endpoint(""), None);
    }

    #[test]
    fn what_only_this_machine_reaches() {
        let resolvers =
            nameservers("# nameserver 1.1.1.1\nnameserver 127.0.0.53\noptions edns0\nnameserver 192.0.2.53\n");
        let upstream = Some(Ipv4Addr::new(192, 0, 2, 1));
        let needs = Needs::of(resolvers.clone(), upstream, vec![at("127.0.0.1:3128"), at("192.0.2.9:3128")]);
        assert_eq!(needs.stubs, [(STUBS[0], Ipv4Addr::new(192, 0, 2, 1))]);
        assert_eq!(needs.own, [at("127.0.0.1:3128")]);
        let needs = Needs::of(resolvers, None, Vec::new());
        assert_eq!((needs.stubs.len(), needs.own), (0, vec![at("127.0.0.53:53")]));
        assert_eq!(nameservers(""), [Ipv4Addr::LOCALHOST]);
        assert_eq!(nameservers("nameserver ::1\n"), [] as [Ipv4Addr; 0]);
    }
}
