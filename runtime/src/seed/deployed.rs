//! What of a deployment the data space keeps for people and tools: its templates, what its parameters were, its seed and
//! its picture.
//!
//! Servers need none of it. It lies below `deployed`: a record that says which files there are, and the files' content cut
//! into pieces, each named by its digest, so that what stays is not written again. Only the operator reads it, but for the
//! picture, which is for whoever may read how the stack is doing. Values of secret parameters and secret constants of the
//! seed are kept as keyed digests: they can be compared by whoever has the operator's key, and by nobody else.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use wattle::cli::read_brought;
use wattle::diagram::FILE_NAME;
use wattle::lower::Seed;
use wattle::lower::seed::Wire;
use wattle::manners::read_bytes;
use wattle::model::{IndexMap, Name, Value};
use wattle::plan::ROOTS;
use wattle::requirement::Operand;
use wattle_agent_core::hex;

use crate::space::{Layout, OperatorKey, Signed, parse_json, to_json};
use crate::store::{Access, Op, Store};

use super::present::{Present, get_json};
use super::turn::Turn;
use super::work::tampered;
use super::{Given, SeedError};

/// Bytes of a piece at most.
const PIECE: usize = 500_000;

/// The name and version of what is kept.
const FORMAT: &str = "wattle-deployed/1";

/// The node below `deployed` that says which pieces are the picture.
const PICTURE_NODE: &str = "picture";

/// The file of the seed, without recipes' files.
const SEED: &str = "seed.json";

/// How often what changes while it is read is read again.
const TRIES: usize = 5;

/// The files of a deployment beside its seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Files {
    /// The template and what it names, by path.
    pub templates: IndexMap<String, String>,
    /// The picture, if there is one.
    pub picture: Option<String>,
}

impl Files {
    /// Those in the folder that `emit` wrote to.
    ///
    /// # Errors
    /// [`SeedError::File`] when there is one that cannot be read, or that no template brings along.
    pub fn read(directory: &Path) -> Result<Self, SeedError> {
        let mut failed = None;
        let mut read = |name: &str| {
            let path = directory.join(name);
            let is_own = name == FILE_NAME || ROOTS.contains(&name);
            match if is_own { read_bytes(&path) } else { read_brought(directory, name) } {
                Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
                Err(source) => {
                    failed.get_or_insert(SeedError::File { path, source });
                    None
                }
            }
        };
        let picture = read(FILE_NAME);
        let templates = wattle::plan::gather(&mut read);
        failed.map_or(Ok(Self { templates, picture }), Err)
    }
}

/// What was deployed by the last `seed apply`.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Its revision.
    pub revision: u64,
    /// The template and what it names, by path.
    pub templates: IndexMap<String, String>,
    /// What parameters were given, as [`concealed`] has them.
    pub parameters: IndexMap<Name, Value>,
    /// The seed as [`concealed`] has it, and without the recipes' files.
    pub seed: Seed,
}

/// The record of what is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    format: String,
    /// The revision that it was deployed as.
    revision: u64,
    /// The seed's digest.
    digest: String,
    /// The pieces of each file, in order.
    files: IndexMap<String, Vec<String>>,
    parameters: IndexMap<Name, Value>,
}

/// The pieces of the picture, in a node of its own because others may read it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Picture {
    pieces: Vec<String>,
}

/// What is there of it.
#[derive(Debug, Default)]
pub(super) struct There {
    exists: bool,
    /// The names of all nodes below.
    names: HashSet<String>,
    record: Option<Record>,
    picture: Option<Picture>,
    /// Nobody knows who has written the pieces.
    is_doubted: bool,
}

impl There {
    /// What is there. What is `restored` counts for nothing.
    pub(super) async fn read(store: &Arc<dyn Store>, layout: &Layout, restored: bool) -> Result<Self, SeedError> {
        let path = layout.deployed();
        let Some(node) = store.get(&path).await? else { return Ok(Self::default()) };
        Ok(Self {
            exists: true,
            names: store.children(&path).await?.into_iter().collect(),
            // What is damaged is written anew.
            record: parse_json(&path, &node.data).ok().flatten(),
            picture: get_json(store, &layout.deployed_picture()).await.ok().flatten(),
            is_doubted: restored,
        })
    }
}

/// What is to be written, in this order: before servers are told of the revision, when they are told, and after.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) before: Vec<Op>,
    pub(super) granted: Vec<(String, Access)>,
    pub(super) last: Vec<Op>,
    pub(super) gone: Vec<Op>,
}

/// What is to be kept of a revision.
pub(super) struct Keeping<'a> {
    pub(super) layout: &'a Layout,
    pub(super) seed: &'a Seed,
    pub(super) files: &'a Files,
    pub(super) given: &'a Given,
    pub(super) key: &'a OperatorKey,
    /// The rights to what all servers share.
    pub(super) members: Access,
    pub(super) revision: u64,
}

impl Keeping<'_> {
    /// What makes of what is `there` what is to be kept; nothing if it is so already.
    pub(super) fn steps(&self, there: &There) -> Steps {
        let mut steps = Steps::default();
        if self.files.templates.is_empty() && self.files.picture.is_none() {
            if there.exists {
                steps.gone = there.names.iter().map(|name| delete(self.layout.deployed_piece(name))).collect();
                steps.gone.push(delete(self.layout.deployed()));
            }
            return steps;
        }
        let mut kept = HashSet::new();
        let mut add = |text: &str, access: &Access| {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(PIECE).collect();
            let names = pieces.into_iter().map(|piece| {
                let name = digest(piece);
                if kept.insert(name.clone()) {
                    let path = self.layout.deployed_piece(&name);
                    if there.names.contains(&name) {
                        // A broken-off call, or another set of servers, may have left it with other rights.
                        steps.granted.push((path.clone(), access.clone()));
                        let op = Op::Set { path, data: piece.to_vec(), expected: None };
                        steps.before.extend(there.is_doubted.then_some(op));
                    } else {
                        steps.before.push(Op::Create { path, data: piece.to_vec(), access: access.clone() });
                    }
                }
                name
            });
            names.collect::<Vec<_>>()
        };
        let members = self.members.clone();
        let picture = self.files.picture.as_ref().map(|text| Picture { pieces: add(text, &members) });
        let (seed, parameters) = concealed(self.seed, self.given, self.key);
        let mut files: IndexMap<String, Vec<String>> =
            self.files.templates.iter().map(|(name, text)| (name.clone(), add(text, &Access::new()))).collect();
        let seed = String::from_utf8(to_json(&seed)).expect("INVARIANT: JSON is UTF-8");
        files.insert(SEED.to_owned(), add(&seed, &Access::new()));
        let record = Record {
            format: FORMAT.to_owned(),
            revision: self.revision,
            digest: self.seed.digest.clone(),
            files,
            parameters,
        };
        if picture.is_some() && there.names.contains(PICTURE_NODE) {
            steps.granted.push((self.layout.deployed_picture(), members.clone()));
        }
        let is_same = there.record.as_ref() == Some(&record) && there.picture == picture;
        if is_same && steps.before.is_empty() && there.names.len() == kept.len() + usize::from(picture.is_some()) {
            return Steps { granted: steps.granted, ..Steps::default() };
        }
        let path = self.layout.deployed();
        if !there.exists {
            // The pieces lie below it.
            steps.before.insert(0, Op::Create { path: path.clone(), data: Vec::new(), access: Access::new() });
        }
        steps.last.push(Op::Set { path, data: to_json(&record), expected: None });
        if let Some(picture) = picture {
            let (path, data) = (self.layout.deployed_picture(), to_json(&picture));
            if there.names.contains(PICTURE_NODE) {
                if there.picture.as_ref() != Some(&picture) {
                    steps.last.push(Op::Set { path, data, expected: None });
                }
            } else {
                steps.last.push(Op::Create { path, data, access: members });
            }
            kept.insert(PICTURE_NODE.to_owned());
        }
        let gone = there.names.iter().filter(|name| !kept.contains(*name));
        steps.gone = gone.map(|name| delete(self.layout.deployed_piece(name))).collect();
        steps
    }
}

/// What gives the picture that is there the rights to what all servers share.
pub(super) fn shared(layout: &Layout, there: &There, access: &Access) -> Steps {
    let pieces = there.picture.iter().flat_map(|picture| &picture.pieces).map(|piece| layout.deployed_piece(piece));
    let paths = there.picture.is_some().then(|| layout.deployed_picture()).into_iter().chain(pieces);
    Steps { granted: paths.map(|path| (path, access.clone())).collect(), ..Steps::default() }
}

fn delete(path: String) -> Op {
    Op::Delete { path }
}

fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// What was deployed last as the stack of `layout`; none if `seed apply` was given no files, or never called. `store` is
/// used as the operator, who has `key`.
///
/// # Errors
/// What the store says, [`SeedError::Tampered`] for what the operator has not written, and [`SeedError::Damaged`] for what cannot be
/// read.
pub async fn deployed(
    store: &Arc<dyn Store>,
    layout: &Layout,
    key: &OperatorKey,
) -> Result<Option<Snapshot>, SeedError> {
    let signed = Signed::new(store, key);
    let store = &(Arc::clone(&signed) as Arc<dyn Store>);
    for _ in 0..TRIES {
        let Some(record) = get_json::<Record>(store, &layout.deployed()).await? else {
            let nodes = tampered(signed.refused(), &Present::default());
            let stack = layout.stack().to_owned();
            return if nodes.is_empty() { Ok(None) } else { Err(SeedError::Tampered { stack, nodes }) };
        };
        if record.format != FORMAT {
            return Err(SeedError::Format { format: record.format });
        }
        let mut texts = IndexMap::default();
        for (name, pieces) in &record.files {
            if let Some(text) = joined(store, layout, pieces).await? {
                texts.insert(name.clone(), text);
            }
        }
        if texts.len() < record.files.len() {
            continue;
        }
        let damaged = |what: String| SeedError::Damaged { what };
        let seed = texts.shift_remove(SEED).ok_or_else(|| damaged("it is not among what is kept of it".to_owned()))?;
        let seed = serde_json::from_str(&seed).map_err(|error| damaged(format!("what is kept of it: {error}")))?;
        let Record { revision, parameters, .. } = record;
        return Ok(Some(Snapshot { revision, templates: texts, parameters, seed }));
    }
    Err(SeedError::Busy { stack: layout.stack().to_owned() })
}

/// The picture of what was deployed last (`graph.json` of `emit`), for whoever may read how the stack is doing; none if
/// there was none.
///
/// # Errors
/// What the store says.
pub async fn picture(store: &Arc<dyn Store>, layout: &Layout) -> Result<Option<String>, SeedError> {
    for _ in 0..TRIES {
        let Some(picture) = get_json::<Picture>(store, &layout.deployed_picture()).await? else { return Ok(None) };
        if let Some(text) = joined(store, layout, &picture.pieces).await? {
            return Ok(Some(text));
        }
    }
    Err(SeedError::Busy { stack: layout.stack().to_owned() })
}

/// The content of pieces; none if one is there no more.
async fn joined(store: &Arc<dyn Store>, layout: &Layout, pieces: &[String]) -> Result<Option<String>, SeedError> {
    let mut bytes = Vec::new();
    for piece in pieces {
        match store.get(&layout.deployed_piece(piece)).await? {
            Some(node) if digest(&node.data) == *piece => bytes.extend(node.data),
            Some(_) => {
                return Err(SeedError::Damaged { what: format!("a piece of a file that is kept of it, `{piece}`") });
            }
            None => return Ok(None),
        }
    }
    let damaged = |_| SeedError::Damaged { what: "a file that is kept of it is no text".to_owned() };
    String::from_utf8(bytes).map(Some).map_err(damaged)
}

/// Writes what is to be kept beside a revision that stays.
pub(super) async fn renew(turn: &Turn<'_>, keeping: &Keeping<'_>) -> Result<(), SeedError> {
    let steps = keeping.steps(&There::read(turn.store, keeping.layout, false).await?);
    if steps.before.is_empty() && steps.last.is_empty() && steps.gone.is_empty() {
        return Ok(());
    }
    let ops = [steps.before, steps.last, steps.gone].into_iter().flatten().collect();
    turn.protect(&steps.granted).await?;
    turn.apply(ops).await
}

/// A seed without recipes' files, and the parameters that are given for it: secret values as digests that are keyed, so
/// that nobody can try which value gives one. Two concealed ones compare as the originals would.
pub fn concealed(seed: &Seed, given: &Given, key: &OperatorKey) -> (Seed, IndexMap<Name, Value>) {
    let key = Sha256::digest(format!("wattle: digest of a secret that was deployed\n{}", key.expose()));
    let conceal = |value: &Value| {
        let inner = Sha256::new().chain_update(key).chain_update(to_json(value)).finalize();
        Value::from(format!("sha256:{}", hex(&Sha256::new().chain_update(key).chain_update(inner).finalize())))
    };
    let constants = |wire: &Wire| wire.replace(&mut |part| part.constant().map(|value| conceal(value).into()));
    let mut seed = seed.clone();
    seed.recipes.clear();
    let declarations = &mut seed.declarations;
    for server in seed.servers.values_mut() {
        for component in server.components.values_mut() {
            let Some(declaration) = declarations.get(&component.declaration) else { continue };
            for (name, wire) in &mut component.inputs {
                if declaration.inputs.get(name).is_some_and(|input| input.ty.is_secret()) {
                    *wire = constants(wire);
                }
            }
        }
    }
    for input in declarations.values_mut().flat_map(|declaration| declaration.inputs.values_mut()) {
        if input.ty.is_secret() {
            input.default = input.default.as_ref().map(conceal);
        }
    }
    for requirement in seed.requirements.values_mut() {
        if requirement.predicate.is_secret() {
            requirement.predicate = requirement
                .predicate
                .map(|operand| Operand { name: operand.name.clone(), from: constants(&operand.from) });
        }
    }
    // Parameters of our own, such as where agents are fetched: Heat takes them, and no seed has them.
    let mut parameters = given.reserved();
    for (name, parameter) in &mut seed.parameters {
        let is_secret = parameter.ty.is_secret();
        if let Some(value) = given.value(name, &parameter.ty) {
            parameters.insert(name.clone(), if is_secret { conceal(&value) } else { value });
        }
        if is_secret {
            parameter.default = parameter.default.as_ref().map(conceal);
        }
    }
    (seed, parameters)
}
