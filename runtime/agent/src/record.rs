//! The records of a journal.

use serde::{Deserialize, Serialize};
use wattle_model::{IndexMap, Name};

use crate::content::Content;
use crate::failure::Failure;
use crate::revision::Revision;
use crate::server_plan::PlannedComponent;
use crate::status::Step;
use crate::time::Time;

/// Identifies a revision in which a server's plan changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct RevisionId {
    /// The revision.
    #[serde(flatten)]
    pub revision: Revision,
    /// The digest of the seed if the data space has no name, as in earlier versions. Otherwise empty, because a plan
    /// may stay the same while the seed changes.
    digest: String,
}

/// The form in a journal. Journals of earlier versions always have the digest.
#[derive(Deserialize)]
struct Written {
    #[serde(flatten)]
    revision: Revision,
    digest: String,
}

impl From<Written> for RevisionId {
    fn from(Written { revision, digest }: Written) -> Self {
        Self::new(revision, digest)
    }
}

impl RevisionId {
    /// Creates the identifier of `revision`, whose seed has this digest.
    pub fn new(revision: Revision, digest: String) -> Self {
        let digest = if revision.space.is_some() { String::new() } else { digest };
        Self { revision, digest }
    }
}

/// An output in published form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// The content for its entry.
    pub content: Content,
    /// The recipients that a secret is encrypted for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipients: Vec<String>,
}

/// An event in the history of a component: a line of a journal. Components are given by their names on their server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Record {
    /// Its recipe is about to run.
    Started {
        /// The component.
        component: Name,
        /// The revision in which it runs.
        revision: RevisionId,
        /// When it begins.
        at: Time,
        /// The server's plan for it.
        planned: PlannedComponent,
        /// Its fingerprint. `None` if its inputs are known only after the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fingerprint: Option<String>,
        /// Its inputs.
        inputs: IndexMap<Name, Content>,
        /// Its past steps in this revision.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        past: Vec<Step>,
    },
    /// It publishes an output while it runs.
    Early {
        /// The component.
        component: Name,
        /// The output.
        output: Name,
        /// What is published.
        stored: Stored,
    },
    /// It succeeded.
    Finished {
        /// The component.
        component: Name,
        /// When it ended.
        at: Time,
        /// Its fingerprint.
        fingerprint: String,
        /// The inputs that it read, with their values: all of them, except for Chef.
        inputs: IndexMap<Name, Content>,
        /// The inputs that it requested and that are not wired.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        absent: Vec<Name>,
        /// Its outputs.
        outputs: IndexMap<Name, Stored>,
        /// Its past steps in this revision.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        past: Vec<Step>,
    },
    /// It is the same as when it finished, in a revision that gives it other readers, deadlines or another teardown.
    Kept {
        /// The component.
        component: Name,
        /// The server's present plan for it.
        planned: PlannedComponent,
        /// Its outputs, for their present readers.
        outputs: IndexMap<Name, Stored>,
    },
    /// It failed, or a dependency did.
    Failed {
        /// The component.
        component: Name,
        /// The revision in which it failed.
        revision: RevisionId,
        /// The failure.
        failure: Failure,
        /// The inputs that its recipe read, if they are known only after the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inputs: Option<IndexMap<Name, Content>>,
        /// Its past steps in this revision.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        past: Vec<Step>,
    },
    /// Its teardown is about to run.
    Undoing {
        /// The component.
        component: Name,
    },
    /// It has left this server.
    Gone {
        /// The component.
        component: Name,
    },
}
