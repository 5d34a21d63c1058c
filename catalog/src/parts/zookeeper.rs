//! ZooKeeper: an ensemble of members that agree with each other.

use wattle::prelude::*;

use crate::nova::Server;

/// One member of an ensemble: what [`Ensemble`] runs on each of its servers.
///
/// It is done once it serves, for which more than half of the members must run; so each is on a server of its own.
#[component(recipe = "recipes/zookeeper.sh", files = ["recipes/lib.sh"], teardown = "recipes/remove.sh", deadline = "20m")]
pub struct Member {
    /// Address on which it listens: that of `members` with its number.
    #[input]
    address: IpAddr,
    /// Its number among the members, from 1 on.
    #[input]
    number: u8,
    /// Addresses of all members, in the order of their numbers.
    #[input]
    members: Vec<IpAddr>,
    /// TCP port for clients.
    #[input(default = 2181, listen)]
    port: u16,
    /// TCP port on which the leader talks with the others.
    #[input(default = 2888, listen)]
    peer_port: u16,
    /// TCP port on which members elect a leader.
    #[input(default = 3888, listen)]
    election_port: u16,
    /// Megabytes of its heap.
    #[input(default = 512)]
    heap: u32,

    /// `HOST:PORT` of this member, and it serves.
    #[output]
    authority: String,
    /// What clients are told: `HOST:PORT,HOST:PORT,HOST:PORT`, and this member serves.
    #[output]
    connect: String,
}

/// An ensemble: a member, called `zookeeper`, on each of its servers. Gives the members, in the order of the servers.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::nova::Server;
/// use wattle_catalog::parts::zookeeper::Ensemble;
///
/// fn coordination(t: &mut Topology, servers: Vec<(Server, Attribute<IpAddr>)>) -> Output<String> {
///     let members = t.add("zookeeper", Ensemble { servers });
///     members[0].connect
/// }
/// ```
pub struct Ensemble {
    /// The servers with the addresses by which members and clients find them: an odd number, commonly 3 or 5.
    pub servers: Vec<(Server, Attribute<IpAddr>)>,
}

impl Module for Ensemble {
    type Outputs = Vec<Member>;

    fn build(self, t: &mut Topology) -> Vec<Member> {
        let members: Vec<Attribute<IpAddr>> = self.servers.iter().map(|(_, address)| *address).collect();
        let numbered = self.servers.into_iter().zip(1_u8..);
        let member = |((server, address), number)| {
            t.on(server).run("zookeeper", Member::new().address(address).number(number).members(&members))
        };
        numbered.map(member).collect()
    }
}
