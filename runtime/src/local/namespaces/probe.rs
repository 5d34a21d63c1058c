//! Tests whether a server reaches what this machine reaches: both try the same targets, and the difference is reported.

use std::fs::File;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddrV4, TcpStream, UdpSocket};
use std::os::fd::AsFd as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::needs::Needs;

/// How many times to query a resolver.
const TRIES: usize = 2;
const PATIENCE: Duration = Duration::from_millis(1500);
/// A query for the root name servers. `id` 0x7761, recursion desired (RFC 1035, 4.1).
const QUESTION: [u8; 17] = [0x77, 0x61, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1];
const DNS: u16 = 53;

/// A target to test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// A resolver responds.
    Resolver(Ipv4Addr),
    /// A host responds, even if it refuses the connection.
    Host(SocketAddrV4),
}

/// The targets that can be reached from here but not from the network namespace at `space`, as text. `gateways` are
/// those of the default routes.
pub(super) fn missing(needs: &Needs, gateways: &[Ipv4Addr], space: &Path) -> Option<String> {
    let resolvers: Vec<Target> = needs.resolvers.iter().copied().map(Target::Resolver).collect();
    let mut others: Vec<Target> = needs.proxies.iter().copied().map(Target::Host).collect();
    if needs.resolvers.iter().all(Ipv4Addr::is_loopback) {
        // In this case, a response does not show that outgoing traffic works.
        others.extend(gateways.iter().map(|gateway| Target::Host(SocketAddrV4::new(*gateway, DNS))));
    }
    let targets: Vec<Target> = resolvers.iter().chain(&others).copied().collect();
    let (here, there) = thread::scope(|scope| {
        let here: Vec<_> = targets.iter().map(|target| scope.spawn(move || reached(*target, None))).collect();
        let there: Vec<_> = targets.iter().map(|target| scope.spawn(move || reached(*target, Some(space)))).collect();
        let all = |threads: Vec<thread::ScopedJoinHandle<'_, bool>>| -> Vec<bool> {
            threads.into_iter().map(|thread| thread.join().unwrap_or(false)).collect()
        };
        (all(here), all(there))
    });
    // One resolver is enough, but all of the other targets are needed.
    let (names, rest) = targets.split_at(resolvers.len());
    let one = |reached: &[bool]| reached[..names.len()].iter().any(|reached| *reached);
    if one(&here) && !one(&there) {
        let asked: Vec<String> = needs.resolvers.iter().map(Ipv4Addr::to_string).collect();
        return Some(format!("the resolver {}", asked.join(", ")));
    }
    let lost = rest.iter().zip(here.iter().zip(&there).skip(names.len())).find(|(_, (here, there))| **here && !**there);
    lost.map(|(target, _)| match target {
        Target::Host(host) if needs.proxies.contains(host) => format!("the proxy {host}"),
        Target::Host(host) => format!("the gateway {}", host.ip()),
        Target::Resolver(resolver) => format!("the resolver {resolver}"),
    })
}

/// Whether a resolver responds.
pub(super) fn answers(resolver: Ipv4Addr) -> bool {
    reached(Target::Resolver(resolver), None)
}

/// Tests a target. With a `space`, runs in a thread of its own, which then stays in it.
fn reached(target: Target, space: Option<&Path>) -> bool {
    if let Some(space) = space {
        let entered = File::open(space).and_then(|space| {
            move_into_link_name_space(space.as_fd(), Some(LinkNameSpaceType::Network)).map_err(Into::into)
        });
        if entered.is_err() {
            return false;
        }
    }
    match target {
        Target::Resolver(resolver) => ask(resolver).is_ok_and(|answered| answered),
        Target::Host(host) => match TcpStream::connect_timeout(&host.into(), PATIENCE) {
            Ok(_) => true,
            Err(error) => error.kind() == ErrorKind::ConnectionRefused,
        },
    }
}

fn ask(resolver: Ipv4Addr) -> std::io::Result<bool> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    socket.connect((resolver, DNS))?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let mut answer = [0; 512];
    for _ in 0..TRIES {
        socket.send(&QUESTION)?;
        match socket.recv(&mut answer) {
            Ok(length) => return Ok(length >= 12 && answer[..2] == QUESTION[..2]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}
