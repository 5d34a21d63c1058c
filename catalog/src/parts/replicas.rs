//! Servers of one kind, kept apart.

use wattle::author::{Module, Topology};

use crate::nova::{Server, ServerGroup, ServerProperties};

/// A number of servers of one kind, on different hosts.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::nova;
/// use wattle_catalog::parts::replicas::{Replicas, Spread};
///
/// fn workers(t: &mut Topology) {
///     let server = |_| nova::Server::new().image("debian-12").flavor("m1.small");
///     for worker in t.add("workers", Replicas { count: 3, spread: Spread::IfPossible, server }) {
///         // t.on(worker).run("worker", ...)
///         # let _ = worker;
///     }
/// }
/// ```
#[must_use = "a module does nothing until it is added to a topology: `t.add(name, module)`"]
pub struct Replicas<F> {
    /// How many there are.
    pub count: usize,
    /// Whether they must be on different hosts.
    pub spread: Spread,
    /// The server of the given number, from 1 on.
    pub server: F,
}

/// Whether servers must be on different hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// They must be: more servers than hosts cannot be created.
    Always,
    /// They are, as far as there are enough hosts.
    IfPossible,
}

impl<F: FnMut(usize) -> ServerProperties> Module for Replicas<F> {
    type Outputs = Vec<Server>;

    fn build(mut self, t: &mut Topology) -> Vec<Server> {
        let policy = match self.spread {
            Spread::Always => "anti-affinity",
            Spread::IfPossible => "soft-anti-affinity",
        };
        let group = t.add("spread", ServerGroup::new().policy(policy));
        (1..=self.count).map(|n| t.add(format!("server{n}"), (self.server)(n).group(group))).collect()
    }
}
