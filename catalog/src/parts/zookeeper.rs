//! ZooKeeper: an ensemble of members that agree with each other.

use wattle::prelude::*;

use super::certificates::{Authority, Key};
use crate::nova::Server;

/// One member of an ensemble: what [`Ensemble`] runs on each of its servers.
///
/// It uses TLS with clients and with the other members, and accepts nothing unencrypted. It is done once it serves, for
/// which more than half of the members must run. So each must be on a separate server.
#[component(recipe = "recipes/zookeeper.sh", files = ["recipes/lib.sh"], teardown = "recipes/remove.sh", deadline = "20m")]
pub struct Member {
    /// Address on which it listens: the one in `members` with its number.
    #[input]
    address: IpAddr,
    /// Its number among the members, from 1 on.
    #[input]
    number: u8,
    /// Addresses of all members, in the order of their numbers.
    #[input]
    members: Vec<IpAddr>,
    /// The file of its private key on its server, in PEM: [`Key`]'s `path`.
    #[input]
    key: String,
    /// Certificates of all members, in the order of their numbers: [`Authority`]'s `certificates`.
    #[input]
    certificates: Vec<String>,
    /// The authority that members trust: [`Authority`]'s `authority`. Members accept anyone as a member who has a
    /// certificate from it for the address of the server that they connect from.
    #[input]
    trusted: String,
    /// TCP port for clients.
    #[input(default = 2281, listen)]
    port: u16,
    /// TCP port on which the leader communicates with the others.
    #[input(default = 2888, listen)]
    peer_port: u16,
    /// TCP port on which members elect a leader.
    #[input(default = 3888, listen)]
    election_port: u16,
    /// Size of its heap, in megabytes.
    #[input(default = 512)]
    heap: u32,

    /// `HOST:PORT` of this member, once it serves.
    #[output]
    authority: String,
    /// What clients receive: `HOST:PORT,HOST:PORT,HOST:PORT`, once this member serves.
    #[output]
    connect: String,
    /// The authority that clients must trust, in PEM, once this member serves.
    #[output]
    ca: String,
}

/// An ensemble: a member, called `zookeeper`, on each of its servers. Returns the members in the order of the servers.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::nova::Server;
/// use wattle_catalog::parts::zookeeper::{Ensemble, Signed};
///
/// fn coordination(t: &mut Topology, servers: Vec<(Server, Attribute<IpAddr>)>) -> Output<String> {
///     let members = t.add("zookeeper", Ensemble { servers, signed: Signed::ByItself });
///     members[0].connect
/// }
/// ```
#[must_use = "a module does nothing until it is added to a topology: `t.add(name, module)`"]
pub struct Ensemble {
    /// The servers with the addresses by which members and clients find them: an odd number, commonly 3 or 5.
    pub servers: Vec<(Server, Attribute<IpAddr>)>,
    /// Who issues the members' certificates.
    pub signed: Signed,
}

/// Who issues the certificates of an ensemble's members. The keys of the members stay on their servers in either case.
#[derive(Clone, Copy)]
pub enum Signed {
    /// An authority that the first server creates for this ensemble. Its key stays there.
    ByItself,
    /// An existing authority that is for this ensemble alone, such as one from `wattle ca new`. Only the first server
    /// gets its key.
    By {
        /// Its certificate with its chain, in PEM: `ca.pem`.
        certificate: Parameter<String>,
        /// Its key, in PEM: `ca.key`.
        key: Parameter<Secret<String>>,
    },
}

impl Module for Ensemble {
    type Outputs = Vec<Member>;

    fn build(self, t: &mut Topology) -> Vec<Member> {
        let Some((first, _)) = self.servers.first().copied() else { return Vec::new() };
        let addresses: Vec<Attribute<IpAddr>> = self.servers.iter().map(|(_, address)| *address).collect();
        let keys: Vec<Key> =
            self.servers.iter().map(|(server, _)| t.on(*server).run("zookeeper-key", Key::new())).collect();
        let requests: Vec<Output<String>> = keys.iter().map(|key| key.request).collect();
        let authority = Authority::new().requests(requests).addresses(&addresses);
        let authority = match self.signed {
            Signed::ByItself => t.on(first).run("zookeeper-authority", authority),
            Signed::By { certificate, key } => {
                t.on(first).run("zookeeper-authority", authority.certificate(certificate).key(key))
            }
        };
        let numbered = self.servers.into_iter().zip(keys).zip(1_u8..);
        let member = |(((server, address), key), number): (((Server, Attribute<IpAddr>), Key), u8)| {
            let member = Member::new().address(address).number(number).members(&addresses);
            let member = member.key(key.path).certificates(authority.certificates).trusted(authority.authority);
            t.on(server).run("zookeeper", member)
        };
        numbered.map(member).collect()
    }
}
