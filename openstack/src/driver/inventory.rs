//! Checks that the resources that templates name exist in a cloud, before anything is created.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;

use super::find::{Lack, Sort, is_id};
use super::work::get;
use crate::{Fault, Session};

/// The resources in a cloud that templates may name. Each list is read once. Later work in the same session reuses what
/// was found.
pub struct Inventory {
    pub(super) session: Arc<Session>,
    lists: BTreeMap<Sort, Option<Listed>>,
}

/// The items of a list, and when it was read.
struct Listed {
    all: Vec<Value>,
    at: SystemTime,
}

/// Heat's constraints that require the name of a resource.
const NAMED: [(&str, Sort); 9] = [
    ("nova.flavor", Sort::Flavor),
    ("nova.keypair", Sort::Key),
    ("glance.image", Sort::Image),
    ("neutron.network", Sort::Network),
    ("neutron.subnet", Sort::Subnet),
    ("neutron.subnetpool", Sort::SubnetPool),
    ("neutron.port", Sort::Port),
    ("neutron.router", Sort::Router),
    ("neutron.qos_policy", Sort::Policy),
];

impl Inventory {
    /// Creates the inventory of the session's cloud and project.
    pub fn new(session: Arc<Session>) -> Self {
        Self { session, lists: BTreeMap::new() }
    }

    /// Why `name` does not satisfy Heat's `constraint`, which requires a name or an id. `None` if it does, or if this
    /// user may not know.
    ///
    /// # Errors
    ///
    /// A service does not respond.
    pub async fn lacks(&mut self, constraint: &str, name: &str) -> Result<Option<Lack>, Fault> {
        let Some((_, sort)) = NAMED.iter().find(|(known, _)| *known == constraint) else { return Ok(None) };
        if is_id(name) {
            return self.lacks_id(*sort, name).await;
        }
        let session = Arc::clone(&self.session);
        let Some(Listed { all, at }) = self.listed(*sort).await? else { return Ok(None) };
        match sort.chosen(all, name) {
            Ok(id) => {
                session.names.learn(sort.key(), name, &id, *at).await;
                Ok(None)
            }
            Err(lack) => Ok(Some(lack)),
        }
    }

    /// Lists all resources of a sort; `None` if this user may not list them.
    pub(super) async fn all(&mut self, sort: Sort) -> Result<Option<&[Value]>, Fault> {
        Ok(self.listed(sort).await?.map(|listed| &*listed.all))
    }

    async fn listed(&mut self, sort: Sort) -> Result<Option<&Listed>, Fault> {
        if !self.lists.contains_key(&sort) {
            let at = self.session.now();
            let listed = self.list(sort).await?.map(|all| Listed { all, at });
            self.lists.insert(sort, listed);
        }
        Ok(self.lists.get(&sort).and_then(Option::as_ref))
    }

    async fn list(&self, sort: Sort) -> Result<Option<Vec<Value>>, Fault> {
        // For flavors, read their sizes too.
        let call = if sort == Sort::Flavor { get("compute", "/flavors/detail") } else { sort.list() };
        match self.session.list(call, sort.key()).await {
            // Nova wraps each key pair in an object of its own.
            Ok(all) if sort == Sort::Key => Ok(Some(all.into_iter().map(|mut pair| pair["keypair"].take()).collect())),
            Ok(all) => Ok(Some(all)),
            Err(fault) if fault.is_refusal() => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Why an id does not exist. It is requested individually, because lists omit some resources: community images,
    /// flavors that are not public.
    async fn lacks_id(&self, sort: Sort, id: &str) -> Result<Option<Lack>, Fault> {
        let call = sort.list();
        match self.session.call(get(call.service, format!("{}/{id}", call.path))).await {
            Ok(_) => Ok(None),
            Err(fault) if fault.is_missing() => {
                let called = sort.called();
                let what = format!("the cloud has no {called} with the id `{id}`");
                let help = "the project must have access to it: check the id, or write a name".to_owned();
                Ok(Some(Lack { what, help }))
            }
            Err(fault) if fault.is_refusal() => Ok(None),
            Err(fault) => Err(fault),
        }
    }
}
