//! What a journal holds.

use serde::{Deserialize, Serialize};
use wattle_model::{IndexMap, Name};

use crate::content::Content;
use crate::failure::Failure;
use crate::plan::PlannedComponent;
use crate::revision::Revision;
use crate::status::Step;
use crate::time::Time;

/// A revision in which a server's plan was last another, so that it can be told from any other one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Told")]
pub struct RevisionId {
    /// Which.
    #[serde(flatten)]
    pub revision: Revision,
    /// Where its data space has no name, as those of former versions, the digest of its seed; else nothing: a seed may change
    /// and a plan stand.
    digest: String,
}

/// As a journal has it: those of former versions have the digest in any case.
#[derive(Deserialize)]
struct Told {
    #[serde(flatten)]
    revision: Revision,
    digest: String,
}

impl From<Told> for RevisionId {
    fn from(Told { revision, digest }: Told) -> Self {
        Self::new(revision, digest)
    }
}

impl RevisionId {
    /// A revision, whose seed has this digest.
    pub fn new(revision: Revision, digest: String) -> Self {
        let digest = if revision.space.is_some() { String::new() } else { digest };
        Self { revision, digest }
    }
}

/// An output as it is published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// What its entry is to hold.
    pub content: Content,
    /// For whom a secret is encrypted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipients: Vec<String>,
}

/// What happened to a component: a line of a journal. Components are called by their names on their server.
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
        /// What the server's plan says of it.
        planned: PlannedComponent,
        /// What it comes to; none when its inputs are only known once it has run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fingerprint: Option<String>,
        /// What it is given.
        inputs: IndexMap<Name, Content>,
        /// What it had behind it then in its revision.
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
        /// What it came to.
        fingerprint: String,
        /// What it read, with the values that it had: all inputs but for Chef.
        inputs: IndexMap<Name, Content>,
        /// Inputs that it asked for and that are not wired.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        absent: Vec<Name>,
        /// What it wrote.
        outputs: IndexMap<Name, Stored>,
        /// What it had behind it then in its revision.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        past: Vec<Step>,
    },
    /// It is as it was when it finished, in a revision that has other readers, deadlines or a teardown for it.
    Kept {
        /// The component.
        component: Name,
        /// What the server's plan says of it now.
        planned: PlannedComponent,
        /// What it wrote, for those who read it now.
        outputs: IndexMap<Name, Stored>,
    },
    /// It failed, or what it depends on did.
    Failed {
        /// The component.
        component: Name,
        /// The revision in which it failed.
        revision: RevisionId,
        /// Why.
        failure: Failure,
        /// What its recipe read, if only its run could tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inputs: Option<IndexMap<Name, Content>>,
        /// What it had behind it then in its revision.
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
