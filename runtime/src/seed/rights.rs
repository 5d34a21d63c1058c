//! The rights to each node.

use std::collections::HashMap;

use wattle::model::Name;

use crate::space::{Held, SERVER, ServerPlan};
use crate::store::{Access, Principal, Rights};

/// The rights to an entry. Its writer may read it, because an entry is written only once.
pub(super) fn entry<'p>(writer: &Principal, readers: impl IntoIterator<Item = &'p Principal>) -> Access {
    let own = Access::new().grant(writer, Rights::READ.and(Rights::WRITE));
    readers.into_iter().fold(own, |access, reader| access.grant(reader, Rights::READ))
}

/// The rights to the place of a server's agent, which keeps a node below it. The operator's own nodes are elsewhere:
/// anyone who can remove a node can put another one in its place.
pub(super) fn agent(principal: &Principal) -> Access {
    Access::new().grant(principal, Rights { read: true, write: false, create: true, delete: true })
}

/// The rights to a server's plan.
pub(super) fn plan(principal: &Principal) -> Access {
    Access::new().grant(principal, Rights::READ)
}

/// The rights to the status of a component, in addition to those of all who `share` it.
pub(super) fn status(principal: &Principal, share: Access) -> Access {
    share.grant(principal, Rights::READ.and(Rights::WRITE))
}

/// The rights to the announcement of a server, which only its credential has.
pub(super) fn announcement(credential: &Principal) -> Access {
    Access::new().grant(credential, Rights::READ.and(Rights::WRITE))
}

/// The server that writes an entry or owns a component: the first part of the name.
pub(super) fn server_of(name: &str) -> &str {
    name.split_once('/').map_or(name, |(server, _)| server)
}

/// The entries that `server` writes according to its plan.
pub(super) fn written(server: &str, plan: &ServerPlan) -> impl Iterator<Item = String> {
    let attributes = plan.publishes.keys().map(move |key| format!("{server}/{SERVER}/{key}"));
    let outputs = plan.components.iter().flat_map(move |(component, planned)| {
        planned.outputs.keys().map(move |output| format!("{server}/{component}/{output}"))
    });
    attributes.chain(outputs)
}

/// The rights to each entry according to the existing plans, as far as the identities of their servers are known.
pub(super) fn granted<'a>(
    plans: impl Iterator<Item = (&'a Name, &'a ServerPlan)> + Clone,
    principals: &HashMap<Name, Principal>,
) -> HashMap<String, Access> {
    let mut granted: HashMap<String, Access> = HashMap::new();
    for (server, plan) in plans.clone() {
        let Some(writer) = principals.get(server) else { continue };
        granted.extend(written(server, plan).map(|name| (name, entry(writer, []))));
    }
    for (server, plan) in plans {
        let (mut unknown, mut reads) = (Vec::new(), Vec::new());
        for component in plan.components.values() {
            component.sources(&mut |source| reads.extend(source.leaves().filter_map(Held::entry)));
        }
        for name in reads {
            match principals.get(server) {
                Some(reader) => {
                    if let Some(access) = granted.get_mut(&**name) {
                        *access = std::mem::take(access).grant(reader, Rights::READ);
                    }
                }
                None => unknown.push(name),
            }
        }
        unknown.into_iter().for_each(|name| drop(granted.remove(&**name)));
    }
    granted
}
