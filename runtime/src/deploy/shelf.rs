//! The stored targets of desired states: encrypted for the operator, in pieces, each under its own name.
//!
//! The source of a target is stored (templates, files and parameters, including secrets), so that a process that takes
//! over can make the target again.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use wattle::model::{Name, Value};
use wattle_agent_core::hex;
use wattle_converge::{Known, Target, Time, Wanted};

use crate::clock;
use crate::space::{OperatorKey, open, seal};
use crate::store::{Access, Op, Store};

use super::DeployError;
use super::keeper::{get, json};
use super::place::Place;

/// The maximum number of bytes of a piece.
const PIECE: usize = 500_000;

/// Makes targets from their sources.
pub trait Maker: fmt::Debug + Send + Sync {
    /// Makes the target.
    ///
    /// # Errors
    /// The source is invalid; the error is a message.
    fn make(&self, source: &str) -> Result<Arc<dyn Target>, String>;

    /// Lists the planned resources, for watchers.
    ///
    /// # Errors
    /// As for [`Self::make`].
    fn planned(&self, source: &str) -> Result<Vec<Planned>, String> {
        let resources = self.make(source)?.resources();
        Ok(resources.into_iter().map(|(name, after)| Planned { name, kind: None, after }).collect())
    }
}

/// A planned resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Its name.
    pub name: Name,
    /// Its type, if known in advance.
    pub kind: Option<Name>,
    /// The resources that it depends on.
    pub after: Vec<Name>,
}

/// How long storing may take. A process that is killed meanwhile leaves pieces that nothing continues.
const UNFINISHED: Duration = Duration::from_hours(1);

/// Marks a target that is being stored, until it is whole.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Begun {
    /// The start, by the clock of the storing process.
    begun: Time,
}

/// The pieces of a stored target.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Whole {
    /// The number of the first one.
    first: usize,
    /// How many there are.
    pieces: usize,
}

/// The stored state of a target.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Held {
    Whole(Whole),
    Begun(Begun),
}

/// The targets of a stack's desired states.
#[derive(Debug)]
pub(super) struct Shelf {
    store: Arc<dyn Store>,
    stack: String,
    place: Place,
    key: OperatorKey,
    maker: Arc<dyn Maker>,
    known: Vec<(String, Arc<dyn Target>)>,
}

impl Shelf {
    pub(super) fn new(store: &Arc<dyn Store>, stack: &str, key: &OperatorKey, maker: &Arc<dyn Maker>) -> Self {
        Self {
            store: Arc::clone(store),
            stack: stack.to_owned(),
            place: Place::new(stack),
            key: key.clone(),
            maker: Arc::clone(maker),
            known: Vec::new(),
        }
    }

    /// Stores the source of a target, and returns its name and the operation that makes it whole. The caller submits
    /// that operation together with its wish: the leader removes targets that are whole and unwanted.
    pub(super) async fn put(&self, source: &str) -> Result<(String, Op), DeployError> {
        let mut chance = [0; 12];
        getrandom::fill(&mut chance).expect("INVARIANT: the system has random numbers");
        let name = hex(&chance);
        let top = self.place.target(&name);
        let begun = Begun { begun: Time::from_millis(clock::millis()) };
        let mut ops = vec![Op::Create { path: top, data: json(&begun), access: Access::new() }];
        ops.extend(self.pieces(&name, 0, source, &self.key)?);
        let whole = ops.pop().expect("INVARIANT: pieces end with what makes them whole");
        self.store.apply(ops).await?;
        Ok((name, whole))
    }

    /// Splits a source into pieces, encrypted for the owner of `key`, numbered from `first`.
    fn pieces(&self, name: &str, first: usize, source: &str, key: &OperatorKey) -> Result<Vec<Op>, DeployError> {
        let recipient = key.recipient();
        let sealed = seal(&Value::Str(source.into()), [recipient.as_str()]).map_err(|source| self.sealed(source))?;
        let pieces: Vec<&[u8]> = sealed.as_bytes().chunks(PIECE).collect();
        let whole = Whole { first, pieces: pieces.len() };
        let create = |(number, piece): (usize, &[u8])| Op::Create {
            path: self.place.piece(name, first + number),
            data: piece.to_vec(),
            access: Access::new(),
        };
        let mut ops: Vec<Op> = pieces.into_iter().enumerate().map(create).collect();
        // The pieces are whole once this is written.
        ops.push(Op::Set { path: self.place.target(name), data: json(&whole), expected: None });
        Ok(ops)
    }

    /// Encrypts everything here for the owner of the `next` key. If this is interrupted, the next call continues.
    pub(super) async fn pass_on(&self, next: &OperatorKey) -> Result<(), DeployError> {
        for name in self.store.children(&self.place.targets()).await? {
            let Some(whole) = self.whole(&name).await? else { continue };
            let sealed = self.text(&name, &whole).await?;
            let end = whole.first + whole.pieces;
            if open(&sealed, &next.opener()).is_err() {
                let source = self.opened(&sealed)?;
                self.remove(&name, |number| number >= end).await?;
                self.store.apply(self.pieces(&name, end, &source, next)?).await?;
                self.remove(&name, |number| number < end).await?;
            } else {
                self.remove(&name, |number| number < whole.first || number >= end).await?;
            }
        }
        Ok(())
    }

    /// Removes the pieces with these numbers.
    async fn remove(&self, name: &str, is_over: impl Fn(usize) -> bool) -> Result<(), DeployError> {
        let pieces = self.store.children(&self.place.target(name)).await?;
        let numbers = pieces.iter().filter_map(|piece| piece.parse().ok());
        let removals = numbers.filter(|number| is_over(*number));
        let removals: Vec<Op> = removals.map(|number| Op::Delete { path: self.place.piece(name, number) }).collect();
        Ok(self.store.apply(removals).await?)
    }

    /// Reads all pieces; `None` as long as some are missing.
    async fn whole(&self, name: &str) -> Result<Option<Whole>, DeployError> {
        let held: Option<(Held, _)> = get(&self.store, &self.stack, &self.place.target(name)).await?;
        Ok(held.and_then(|(held, _)| match held {
            Held::Whole(whole) => Some(whole),
            Held::Begun(_) => None,
        }))
    }

    async fn text(&self, name: &str, whole: &Whole) -> Result<String, DeployError> {
        let mut sealed = String::new();
        for number in whole.first..whole.first + whole.pieces {
            let node = self.store.get(&self.place.piece(name, number)).await?;
            sealed.push_str(&String::from_utf8_lossy(&node.map(|node| node.data).unwrap_or_default()));
        }
        Ok(sealed)
    }

    fn opened(&self, sealed: &str) -> Result<Name, DeployError> {
        match open(sealed, &self.key.opener()).map_err(|source| self.sealed(source))? {
            Value::Str(source) => Ok(source),
            _ => Err(self.sealed(crate::space::SealError::Value)),
        }
    }

    /// The target with this name. It is made on first use.
    pub(super) async fn take(&mut self, name: &str) -> Result<Arc<dyn Target>, DeployError> {
        if let Some((_, target)) = self.known.iter().find(|(known, _)| known == name) {
            return Ok(Arc::clone(target));
        }
        let source = self.source(name).await?;
        let target: Arc<dyn Target> = Arc::new(Later { source, maker: Arc::clone(&self.maker), made: OnceLock::new() });
        self.known.push((name.to_owned(), Arc::clone(&target)));
        Ok(target)
    }

    /// The source of the target with this name.
    pub(super) async fn source(&self, name: &str) -> Result<Name, DeployError> {
        let whole = self.whole(name).await?.unwrap_or_default();
        self.opened(&self.text(name, &whole).await?)
    }

    /// The name of a target from here; `None` for the one that requests nothing.
    pub(super) fn name_of(&self, target: &Arc<dyn Target>) -> Option<String> {
        let is_it = |known: &Arc<dyn Target>| std::ptr::addr_eq(Arc::as_ptr(known), Arc::as_ptr(target));
        self.known.iter().find(|(_, known)| is_it(known)).map(|(name, _)| name.clone())
    }

    fn sealed(&self, source: crate::space::SealError) -> DeployError {
        DeployError::Sealed { stack: self.stack.clone(), source }
    }
}

/// Whether the target is whole, or was abandoned before this time.
pub(super) fn is_over(data: &[u8], now: Time) -> bool {
    match serde_json::from_slice(data) {
        Ok(Held::Begun(Begun { begun })) => begun + UNFINISHED <= now,
        Ok(Held::Whole(_)) | Err(_) => true,
    }
}

/// The operations that remove everything under a name.
pub(super) async fn removal(store: &Arc<dyn Store>, place: &Place, name: &str) -> Result<Vec<Op>, DeployError> {
    let top = place.target(name);
    let pieces = store.children(&top).await?;
    let pieces = pieces.iter().map(|piece| Op::Delete { path: format!("{top}/{piece}") });
    Ok(pieces.chain([Op::Delete { path: top.clone() }]).collect())
}

/// A target that is made on first use: of ten desired states that are kept, nine are never used.
struct Later {
    source: Name,
    maker: Arc<dyn Maker>,
    made: OnceLock<Result<Arc<dyn Target>, String>>,
}

impl fmt::Debug for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its source contains secrets.
        f.debug_struct("Later").finish_non_exhaustive()
    }
}

/// The name of the one resource of a target that cannot be made.
const UNMADE: &str = "template";

impl Later {
    fn made(&self) -> &Result<Arc<dyn Target>, String> {
        self.made.get_or_init(|| self.maker.make(&self.source))
    }
}

impl Target for Later {
    /// A target that cannot be made requests one impossible resource. If it requested nothing, everything would be
    /// deleted.
    fn resources(&self) -> Vec<(Name, Vec<Name>)> {
        match self.made() {
            Ok(target) => target.resources(),
            Err(_) => vec![(UNMADE.into(), Vec::new())],
        }
    }

    fn resolve(&self, name: &str, known: &Known<'_>) -> Result<Wanted, String> {
        self.made().as_ref().map_err(String::clone)?.resolve(name, known)
    }
}
