//! Seeds and options of applying them, for tests of the data space.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::Value as Json;
use wattle::lower::{Seed, lower};
use wattle::model::{Carrier, Model, Scalar, Type, Value};
use wattle_runtime::seed::{Given, Options};
use wattle_runtime::space::{Credential, OperatorKey, Space};
use wattle_runtime::store::{Access, Login, OPERATOR, Op, Store, StoreError};

use crate::stores::{Asked, Guard, Guarded};

/// The prefix of all secret parameters in tests.
pub const SECRET: &str = "hush-hush";

/// The seed of `model`, after a round trip through a file.
///
/// # Panics
/// If a file cannot represent it.
pub fn seed(model: &Model) -> Seed {
    let mut text = Vec::new();
    lower(model, &Default::default()).seed.write(&mut text).expect("writes");
    Seed::read(std::str::from_utf8(&text).expect("text")).expect("reads")
}

/// Options with a value for each parameter without a default, and with files in place of emitted ones.
///
/// # Panics
/// If a parameter has a type that no test uses.
pub fn options(seed: &Seed) -> Options {
    let mut options = Options::new(OperatorKey::generate());
    for (name, parameter) in Given::default().missing(seed) {
        options.given.set(name, value_of(name, &parameter.ty));
    }
    options.files.templates.insert("template.yaml".to_owned(), format!("description: of {}", seed.digest));
    options.files.diagram = Some(format!("{{\"stack\": \"{}\"}}", seed.stack));
    options
}

fn value_of(name: &str, ty: &Type) -> Value {
    let text = if ty.is_secret() { format!("{SECRET}-{name}") } else { name.to_owned() };
    match ty.revealed() {
        Type::Scalar(Scalar::Str) => text.into(),
        Type::Scalar(Scalar::Boolean) => true.into(),
        Type::Scalar(Scalar::Uri) => format!("http://{text}/").into(),
        Type::Scalar(Scalar::Ip | Scalar::Ipv4) => "192.0.2.1".into(),
        other if other.carrier() == Some(Carrier::Number) => 1_u8.into(),
        other => panic!("a value of {other}"),
    }
}

/// Records changes in a store and granted rights, and fails on request.
#[derive(Debug)]
pub struct Watch {
    left: AtomicUsize,
    ops: Mutex<Vec<Op>>,
    accesses: Mutex<BTreeMap<String, Access>>,
}

impl Watch {
    /// Wraps `store`.
    pub fn over(store: Arc<dyn Store>) -> Arc<Guarded<Self>> {
        let left = AtomicUsize::new(usize::MAX);
        Guarded::new(store, Self { left, ops: Mutex::default(), accesses: Mutex::default() })
    }

    /// Fails every change after `changes` more.
    pub fn fail_after(&self, changes: usize) {
        self.left.store(changes, Ordering::SeqCst);
    }

    /// Stops failing.
    pub fn fix(&self) {
        self.fail_after(usize::MAX);
    }

    /// The access to each node, by path; that of a data space's own node without its name.
    ///
    /// # Panics
    /// Never.
    pub fn accesses(&self) -> BTreeMap<String, Access> {
        let accesses = self.accesses.lock().expect("no panic");
        accesses.iter().map(|(path, access)| (unnamed(path), impersonal(access))).collect()
    }

    /// The changes, in order.
    ///
    /// # Panics
    /// Never.
    pub fn ops(&self) -> Vec<Op> {
        self.ops.lock().expect("no panic").clone()
    }
}

#[async_trait]
impl Guard for Watch {
    async fn before(&self, asked: &Asked<'_>) -> Result<(), StoreError> {
        if !matches!(asked, Asked::Op(_) | Asked::Protect(..)) {
            return Ok(());
        }
        let left = self.left.load(Ordering::SeqCst);
        if left == 0 {
            return Err(StoreError::Unusable { address: "here".to_owned(), reason: "broken off".to_owned() });
        }
        self.left.store(left.saturating_sub(usize::from(left != usize::MAX)), Ordering::SeqCst);
        Ok(())
    }

    async fn after(&self, asked: &Asked<'_>) {
        let mut accesses = self.accesses.lock().expect("no panic");
        match asked {
            Asked::Op(Op::Create { path, access, .. }) => drop(accesses.insert(path.clone(), access.clone())),
            Asked::Op(Op::Delete { path }) => drop(accesses.remove(path)),
            Asked::Protect(path, access) => drop(accesses.insert((*path).to_owned(), (*access).clone())),
            _ => {}
        }
        if let Asked::Op(op) = asked {
            self.ops.lock().expect("no panic").push((*op).clone());
        }
    }
}

/// Gives one who is logged in as a server the secret that the servers of its stack share, as its agent would.
///
/// # Panics
/// If it is not available.
pub async fn join(store: &Arc<dyn Store>, stack: &str, server: &str, credential: &Credential) {
    let space = Space::new(Arc::clone(store), stack);
    let membership = space.membership(server).await.expect("it may").expect("it is told");
    let login = membership.login(stack, &credential.opener()).expect("it is for this server");
    store.log_in(&[login]).await.expect("logs in");
}

/// Returns every node below `/wattle`, with its data.
///
/// # Panics
/// If one cannot be read.
pub async fn nodes(store: &Arc<dyn Store>) -> BTreeMap<String, Vec<u8>> {
    nodes_at(store, "/wattle").await
}

/// The same for the node at `top`.
///
/// # Panics
/// If one cannot be read.
pub async fn nodes_at(store: &Arc<dyn Store>, top: &str) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![top.to_owned()];
    while let Some(path) = open.pop() {
        let Some(node) = store.get(&path).await.expect("the operator reads") else { continue };
        let names = store.children(&path).await.expect("the operator reads");
        open.extend(names.into_iter().map(|name| format!("{path}/{name}")));
        found.insert(path, node.data);
    }
    found
}

/// The same without the parts that differ between runs: revisions, names of data spaces, and encrypted secrets.
pub async fn essence(store: &Arc<dyn Store>) -> BTreeMap<String, Json> {
    fn strip(json: &mut Json) {
        match json {
            Json::Object(map) => {
                map.remove("revision");
                map.remove("space");
                map.remove("expires");
                map.remove("plans");
                // The shared secret depends on the name of the data space and on the number of its changes.
                map.remove("generation");
                map.remove("current");
                for (name, value) in map.iter_mut() {
                    if name == "sealed" {
                        *value = Json::Null;
                    }
                    strip(value);
                }
            }
            Json::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let essence = |data: Vec<u8>| {
        let mut json =
            serde_json::from_slice(unsigned(&data)).unwrap_or_else(|_| String::from_utf8_lossy(&data).into());
        strip(&mut json);
        json
    };
    nodes(store).await.into_iter().map(|(path, data)| (unnamed(&path), essence(data))).collect()
}

/// The data of a node without the operator's signature.
///
/// # Panics
/// Never.
pub fn unsigned(data: &[u8]) -> &[u8] {
    let end = data.iter().position(|byte| *byte == b'\n').filter(|_| data.starts_with(b"wattle-signed/"));
    end.map_or(data, |end| &data[end + 1..])
}

/// Rights without the parts that depend on the name of a data space: the login by which servers read their shared secret.
fn impersonal(access: &Access) -> Access {
    let mut shared = 0;
    access.grants().fold(Access::new(), |all, (who, rights)| {
        let name = who.as_str().split(':').next().unwrap_or_default();
        if name.contains('/') || name == OPERATOR {
            return all.grant(who, rights);
        }
        shared += 1;
        all.grant(&Login { name: name.to_owned(), password: format!("{shared}") }.principal(), rights)
    })
}

/// A path without the random name of a data space.
fn unnamed(path: &str) -> String {
    path.split_inclusive("/revision/").take(1).collect()
}
