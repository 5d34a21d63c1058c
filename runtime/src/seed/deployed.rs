//! The record of a deployment in the data space, for people and tools: its templates, parameter values, seed and
//! diagram.
//!
//! Servers do not need it. It is stored below `deployed`: a record that lists the files, and their contents in pieces.
//! Each piece is named by its digest, so that unchanged pieces are not written again. Only the operator can read it,
//! except for the diagram, which everyone can read who may read the stack's statuses. Values of secret parameters and
//! secret constants of the seed are stored as keyed digests, which only the holder of the operator's key can compare.

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
use wattle::model::{IndexMap, Name, Value, json};
use wattle::plan::{ROOTS, SETTINGS, settings};
use wattle::requirement::Operand;
use wattle_agent_core::hex;

use crate::space::{Layout, OperatorKey, Signed, parse_json, to_json};
use crate::store::{Access, Op, Store};

use super::present::{Present, get_json};
use super::turn::Turn;
use super::work::tampered;
use super::{Given, SeedError};

/// The maximum number of bytes in a piece.
const PIECE: usize = 500_000;

/// The name and version of this format.
const FORMAT: &str = "wattle-deployed/1";

/// The node below `deployed` that lists the pieces of the diagram.
const DIAGRAM_NODE: &str = "picture";

/// The file of the seed, without the recipes' files.
const SEED: &str = "seed.json";

/// How many times to retry if something changes while it is being read.
const TRIES: usize = 5;

/// The files of a deployment apart from its seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Files {
    /// The template and the files that it refers to, by path.
    pub templates: IndexMap<String, String>,
    /// The diagram, if there is one.
    pub diagram: Option<String>,
    /// The settings of the blueprint, if any: the file that `emit` wrote.
    pub settings: Option<String>,
}

impl Files {
    /// Reads the files in the folder that `emit` wrote.
    ///
    /// # Errors
    /// [`SeedError::File`] if a file cannot be read, or does not belong to any template.
    pub fn read(directory: &Path) -> Result<Self, SeedError> {
        let mut failed = None;
        let mut read = |name: &str| {
            let path = directory.join(name);
            let is_own = name == FILE_NAME || name == SETTINGS || ROOTS.contains(&name);
            match if is_own { read_bytes(&path) } else { read_brought(directory, name) } {
                Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
                Err(source) => {
                    failed.get_or_insert(SeedError::File { path, source });
                    None
                }
            }
        };
        let (diagram, settings) = (read(FILE_NAME), read(SETTINGS));
        let templates = wattle::plan::gather(&mut read);
        failed.map_or(Ok(Self { templates, diagram, settings }), Err)
    }
}

/// The last deployment by `seed apply`.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Its revision.
    pub revision: u64,
    /// The template and the files that it refers to, by path.
    pub templates: IndexMap<String, String>,
    /// The values of its parameters, in the form of [`concealed`].
    pub parameters: IndexMap<Name, Value>,
    /// Its seed in the form of [`concealed`], without the recipes' files.
    pub seed: Seed,
    /// The settings of the blueprint, in the form of `--set`.
    pub settings: IndexMap<Name, String>,
}

/// The record of the stored files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    format: String,
    /// The revision with which it was deployed.
    revision: u64,
    /// The seed's digest.
    digest: String,
    /// The pieces of each file, in order.
    files: IndexMap<String, Vec<String>>,
    parameters: IndexMap<Name, Value>,
    /// The settings of the blueprint.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    settings: IndexMap<Name, String>,
}

/// The pieces of the diagram, in a node of their own because others may read it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct StoredDiagram {
    pieces: Vec<String>,
}

/// The existing nodes.
#[derive(Debug, Default)]
pub(super) struct There {
    exists: bool,
    /// The names of all nodes below.
    names: HashSet<String>,
    record: Option<Record>,
    diagram: Option<StoredDiagram>,
    /// Whether it is unknown who wrote the pieces.
    is_doubted: bool,
}

impl There {
    /// Reads the existing nodes. A `restored` deployment counts as absent.
    pub(super) async fn read(store: &Arc<dyn Store>, layout: &Layout, restored: bool) -> Result<Self, SeedError> {
        let path = layout.deployed();
        let Some(node) = store.get(&path).await? else { return Ok(Self::default()) };
        Ok(Self {
            exists: true,
            names: store.children(&path).await?.into_iter().collect(),
            // A damaged node is written again.
            record: parse_json(&path, &node.data).ok().flatten(),
            diagram: get_json(store, &layout.deployed_diagram()).await.ok().flatten(),
            is_doubted: restored,
        })
    }
}

/// The operations before servers are notified of the revision, with the notification, and afterwards.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) before: Vec<Op>,
    pub(super) granted: Vec<(String, Access)>,
    pub(super) last: Vec<Op>,
    pub(super) gone: Vec<Op>,
}

/// The data to store for a revision.
pub(super) struct Keeping<'a> {
    pub(super) layout: &'a Layout,
    pub(super) seed: &'a Seed,
    pub(super) files: &'a Files,
    pub(super) given: &'a Given,
    pub(super) key: &'a OperatorKey,
    /// The rights to nodes that all servers share.
    pub(super) members: Access,
    pub(super) revision: u64,
}

impl Keeping<'_> {
    /// The steps from the existing nodes `there` to the data to store. Empty if nothing has to change.
    pub(super) fn steps(&self, there: &There) -> Steps {
        let mut steps = Steps::default();
        if self.files.templates.is_empty() && self.files.diagram.is_none() {
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
                        // An interrupted call, or a different set of servers, may have left it with other rights.
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
        let diagram = self.files.diagram.as_ref().map(|text| StoredDiagram { pieces: add(text, &members) });
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
            settings: chosen(self.files.settings.as_deref()),
        };
        if diagram.is_some() && there.names.contains(DIAGRAM_NODE) {
            steps.granted.push((self.layout.deployed_diagram(), members.clone()));
        }
        let is_same = there.record.as_ref() == Some(&record) && there.diagram == diagram;
        if is_same && steps.before.is_empty() && there.names.len() == kept.len() + usize::from(diagram.is_some()) {
            return Steps { granted: steps.granted, ..Steps::default() };
        }
        let path = self.layout.deployed();
        if !there.exists {
            // The pieces are below it.
            steps.before.insert(0, Op::Create { path: path.clone(), data: Vec::new(), access: Access::new() });
        }
        steps.last.push(Op::Set { path, data: to_json(&record), expected: None });
        if let Some(diagram) = diagram {
            let (path, data) = (self.layout.deployed_diagram(), to_json(&diagram));
            if there.names.contains(DIAGRAM_NODE) {
                if there.diagram.as_ref() != Some(&diagram) {
                    steps.last.push(Op::Set { path, data, expected: None });
                }
            } else {
                steps.last.push(Op::Create { path, data, access: members });
            }
            kept.insert(DIAGRAM_NODE.to_owned());
        }
        let gone = there.names.iter().filter(|name| !kept.contains(*name));
        steps.gone = gone.map(|name| delete(self.layout.deployed_piece(name))).collect();
        steps
    }
}

/// The steps that grant all servers' shared rights on the existing diagram.
pub(super) fn shared(layout: &Layout, there: &There, access: &Access) -> Steps {
    let pieces = there.diagram.iter().flat_map(|diagram| &diagram.pieces).map(|piece| layout.deployed_piece(piece));
    let paths = there.diagram.is_some().then(|| layout.deployed_diagram()).into_iter().chain(pieces);
    Steps { granted: paths.map(|path| (path, access.clone())).collect(), ..Steps::default() }
}

fn delete(path: String) -> Op {
    Op::Delete { path }
}

fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The settings in the file that `emit` wrote. Empty if there is no such file.
pub(crate) fn chosen(text: Option<&str>) -> IndexMap<Name, String> {
    text.and_then(|text| settings(text).ok()).unwrap_or_default()
}

/// The last deployment of the stack of `layout`. `None` if `seed apply` never ran or was given no files. `store` is
/// used as the operator who has `key`.
///
/// # Errors
/// Errors of the store, [`SeedError::Tampered`] for anything that the operator has not written, and
/// [`SeedError::Damaged`] for anything that cannot be read.
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
        let seed =
            texts.shift_remove(SEED).ok_or_else(|| damaged("the deployed files do not include it".to_owned()))?;
        let seed = json::read(seed.as_bytes()).map_err(|error| damaged(format!("its deployed file: {error}")))?;
        let Record { revision, parameters, settings, .. } = record;
        return Ok(Some(Snapshot { revision, templates: texts, parameters, seed, settings }));
    }
    Err(SeedError::Busy { stack: layout.stack().to_owned() })
}

/// The diagram of the last deployment (`graph.json` of `emit`), for everyone who may read the stack's statuses. `None`
/// if there was none.
///
/// # Errors
/// An error of the store.
pub async fn diagram(store: &Arc<dyn Store>, layout: &Layout) -> Result<Option<String>, SeedError> {
    for _ in 0..TRIES {
        let Some(diagram) = get_json::<StoredDiagram>(store, &layout.deployed_diagram()).await? else {
            return Ok(None);
        };
        if let Some(text) = joined(store, layout, &diagram.pieces).await? {
            return Ok(Some(text));
        }
    }
    Err(SeedError::Busy { stack: layout.stack().to_owned() })
}

/// The contents of these pieces. `None` if one no longer exists.
async fn joined(store: &Arc<dyn Store>, layout: &Layout, pieces: &[String]) -> Result<Option<String>, SeedError> {
    let mut bytes = Vec::new();
    for piece in pieces {
        match store.get(&layout.deployed_piece(piece)).await? {
            Some(node) if digest(&node.data) == *piece => bytes.extend(node.data),
            Some(_) => {
                return Err(SeedError::Damaged { what: format!("a piece of a deployed file, `{piece}`") });
            }
            None => return Ok(None),
        }
    }
    let damaged = |_| SeedError::Damaged { what: "a deployed file is not text".to_owned() };
    String::from_utf8(bytes).map(Some).map_err(damaged)
}

/// Writes the data for a revision that stays the same.
pub(super) async fn renew(turn: &Turn<'_>, keeping: &Keeping<'_>) -> Result<(), SeedError> {
    let steps = keeping.steps(&There::read(turn.store, keeping.layout, false).await?);
    if steps.before.is_empty() && steps.last.is_empty() && steps.gone.is_empty() {
        return Ok(());
    }
    let ops = [steps.before, steps.last, steps.gone].into_iter().flatten().collect();
    turn.protect(&steps.granted).await?;
    turn.apply(ops).await
}

/// Returns a seed without recipes' files, and the given parameter values. Secret values are replaced by keyed digests,
/// so that they cannot be found by trial. Two results compare as the originals would.
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
    // wattle's own parameters, such as the download address of the agent: Heat accepts them, but no seed contains them.
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
