//! The access that a ZooKeeper grants beside the data space.
//!
//! In a new ZooKeeper, anyone who can connect may create nodes everywhere, without bounds. Below `/zookeeper/quota` one
//! request is enough to stop it: quotas of the node `/` crash the server that reads them, and again each time that it
//! starts (`org.apache.zookeeper.common.PathTrie`, up to 3.9 at least).

use futures_util::future::join_all;
use zookeeper_client::{Acl, AuthId, Error, Permission};

use super::ZooKeeper;
use super::tries::{Tries, is_loss};
use crate::store::{Access, Open, StoreError};

/// Nodes in which ZooKeeper lets anyone create others, and its own nodes there.
const OPEN: [(&str, &[&str]); 3] =
    [("/", &["zookeeper"]), ("/zookeeper", &["config", "quota"]), ("/zookeeper/quota", &[])];

impl ZooKeeper {
    /// Revokes all rights but reading from everyone except the operator, unless something other than the data space
    /// `top` has nodes there. Returns what stays open.
    pub(super) async fn close(&self, top: &str) -> Result<Vec<Open>, StoreError> {
        let own = top.trim_start_matches('/');
        let mut tries = Tries::new(&self.session);
        'again: loop {
            let client = tries.client().await?;
            let asked = async { Ok(join_all(OPEN.map(|(path, _)| client.get_acl(path))).await) };
            let there = match client.ask(asked).await {
                Ok(there) => there,
                Err(error) => {
                    tries.again(error, "read", top)?;
                    continue;
                }
            };
            let mut open = Vec::new();
            for ((path, known), answer) in OPEN.into_iter().zip(there) {
                let (acls, stat) = match answer {
                    Ok(answer) => answer,
                    // Someone else has closed it, or it is not of this version.
                    Err(Error::NoAuth | Error::NoNode) => continue,
                    Err(error) => {
                        tries.again(error, "read", path)?;
                        continue 'again;
                    }
                };
                if !is_open(&acls) && !self.maker.was_before(&acls) {
                    continue;
                }
                let mut others = match client.ask(client.list_children(path)).await {
                    Ok(others) => others,
                    Err(error) => {
                        tries.again(error, "read", path)?;
                        continue 'again;
                    }
                };
                others.sort_unstable();
                others.retain(|name| name != own && !known.contains(&name.as_str()));
                let mut acls = self.maker.acls(&Access::new());
                acls.push(Acl::new(Permission::READ, AuthId::anyone()));
                if others.is_empty() {
                    match client.ask(client.set_acl(path, &acls, Some(stat.aversion))).await {
                        Ok(_) => continue,
                        Err(Error::NoAuth) => {}
                        Err(error) if is_loss(&error) || error == Error::BadVersion => {
                            tries.lost();
                            continue 'again;
                        }
                        Err(error) => return Err(tries.refused(error, "protect", path)),
                    }
                }
                open.push(Open { path: path.to_owned(), others });
            }
            return Ok(open);
        }
    }
}

/// Whether anyone may do more than read.
fn is_open(acls: &[Acl]) -> bool {
    let more = [Permission::WRITE, Permission::CREATE, Permission::DELETE, Permission::ADMIN];
    acls.iter().any(|acl| acl.scheme() == "world" && more.into_iter().any(|one| acl.permission().has(one)))
}
