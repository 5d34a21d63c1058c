//! Exempts servers on this machine from proxies.

use std::env;
use std::net::Ipv4Addr;

use crate::recipe::{PROXIES, WITHOUT_PROXY};

/// The variables to add to the environment of agents, for their recipes.
pub(super) fn variables(servers: impl Iterator<Item = Ipv4Addr>) -> Vec<(&'static str, String)> {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    if !PROXIES.iter().any(|name| set(name).or_else(|| set(&name.to_uppercase())).is_some()) {
        return Vec::new();
    }
    let before = WITHOUT_PROXY.iter().find_map(|name| set(name));
    let value = with(before.as_deref(), servers);
    WITHOUT_PROXY.map(|name| (name, value.clone())).to_vec()
}

/// Lists each address, because not every program accepts networks here.
fn with(before: Option<&str>, servers: impl Iterator<Item = Ipv4Addr>) -> String {
    let own = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let all = before.map(str::to_owned).into_iter().chain(own).chain(servers.map(|address| address.to_string()));
    if before == Some("*") { "*".to_owned() } else { all.collect::<Vec<_>>().join(",") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_reached_without() {
        let servers = || [Ipv4Addr::new(127, 9, 0, 1), Ipv4Addr::new(127, 9, 0, 2)].into_iter();
        assert_eq!(with(Some(".corp"), servers()), ".corp,localhost,127.0.0.1,127.9.0.1,127.9.0.2");
        assert_eq!(with(None, servers()), "localhost,127.0.0.1,127.9.0.1,127.9.0.2");
        assert_eq!(with(Some("*"), servers()), "*");
    }
}
