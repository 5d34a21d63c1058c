//! The places of servers, as far as the deployment has placed them.

use wattle::diagram::{Diagram, Place};
use wattle::model::{IndexMap, Name};

use crate::seed;
use crate::space::{Revision, Space};

use super::StackSnapshot;

/// The placement of a stack's servers, from the diagram of the deployment. Servers whose host Nova chose are not in it.
#[derive(Debug, Default)]
pub struct Stands {
    places: IndexMap<Name, Place>,
    of: Option<Revision>,
}

impl Stands {
    /// Reads the diagram again if the deployed revision has changed. If it cannot be read, nothing is known.
    pub async fn look(&mut self, space: &Space, snapshot: &StackSnapshot) {
        if snapshot.desired.is_none() || self.of.as_ref() == Some(&snapshot.of()) {
            return;
        }
        let text = seed::diagram(space.store(), space.layout()).await.ok().flatten();
        let diagram = text.and_then(|text| Diagram::from_json(&text).ok());
        self.places = diagram.map(|diagram| diagram.places).unwrap_or_default();
        self.of = Some(snapshot.of());
    }

    /// The place of a server.
    pub fn place(&self, server: &str) -> Option<&Place> {
        self.places.get(server)
    }

    /// The host of a server.
    pub fn host(&self, server: &str) -> Option<&str> {
        self.place(server)?.host.as_deref()
    }
}
