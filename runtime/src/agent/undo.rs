//! What a teardown may ask while it runs.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use wattle::model::{IndexMap, Name, Value};

use crate::recipe::{Broken, Live};
use crate::space::{Failure, Kind, PlannedComponent};

use super::shared::Shared;

/// The teardown of a component: its inputs are those that it last had, and nobody reads outputs of it.
pub(super) struct Undo {
    shared: Arc<Shared>,
    planned: PlannedComponent,
    token: String,
    inputs: IndexMap<Name, Value>,
}

impl Undo {
    pub(super) fn new(shared: &Arc<Shared>, planned: &PlannedComponent, inputs: &IndexMap<Name, Value>) -> Arc<Self> {
        let token = shared.runs.token();
        Arc::new(Self { shared: Arc::clone(shared), planned: planned.clone(), token, inputs: inputs.clone() })
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }
}

impl fmt::Debug for Undo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Undo")
    }
}

#[async_trait]
impl Live for Undo {
    async fn input(&self, name: &str) -> Result<Option<Value>, Failure> {
        Ok(self.inputs.get(name).cloned())
    }

    async fn publish(&self, name: &str, _value: Value) -> Result<(), Broken> {
        let message = format!("output `{name}` cannot be published by a teardown");
        Err(Broken { kind: Kind::Type, message, log: Vec::new(), cause: None })
    }

    fn published(&self, _name: &str) -> Option<Value> {
        None
    }

    fn waited(&self) -> Duration {
        Duration::ZERO
    }

    fn secrets(&self) -> Vec<Value> {
        let is_secret = |name: &Name| self.planned.inputs.get(name).is_some_and(|input| input.ty.is_secret());
        self.inputs.iter().filter(|(name, _)| is_secret(name)).map(|(_, value)| value.clone()).collect()
    }

    fn socket(&self) -> Option<(PathBuf, String)> {
        Some((self.shared.socket.clone(), self.token.clone()))
    }
}
