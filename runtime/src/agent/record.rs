//! What a journal holds.

use indexmap::IndexMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use wattle::model::Name;

use crate::space::{Content, Failure, PlannedComponent, Step};

/// A revision. Numbers begin anew when a data space is made anew; digests tell such revisions apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RevisionId {
    pub(super) number: u64,
    pub(super) digest: String,
}

/// An output as it is published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) content: Content,
    /// For whom a secret is encrypted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) recipients: Vec<String>,
}

/// What happened to a component, by its name on this server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Record {
    /// Its recipe is about to run.
    Started {
        component: Name,
        revision: RevisionId,
        at: Timestamp,
        planned: PlannedComponent,
        /// None when its inputs are only known once it has run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fingerprint: Option<String>,
        inputs: IndexMap<Name, Content>,
        /// What it had behind it then in its revision.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        past: Vec<Step>,
    },
    /// It publishes an output while it runs.
    Early { component: Name, output: Name, stored: Stored },
    /// It succeeded.
    Finished {
        component: Name,
        at: Timestamp,
        fingerprint: String,
        /// What it read, with the values that it had: all inputs but for Chef.
        inputs: IndexMap<Name, Content>,
        /// Inputs that it asked for and that are not wired.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        absent: Vec<Name>,
        outputs: IndexMap<Name, Stored>,
        /// What it had behind it then in its revision.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        past: Vec<Step>,
    },
    /// It is as it was when it finished, in a revision that has other readers, deadlines or a teardown for it.
    Kept { component: Name, planned: PlannedComponent, outputs: IndexMap<Name, Stored> },
    /// It failed, or what it depends on did.
    Failed {
        component: Name,
        revision: RevisionId,
        failure: Failure,
        /// What its recipe read, if only its run could tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inputs: Option<IndexMap<Name, Content>>,
        /// What it had behind it then in its revision.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        past: Vec<Step>,
    },
    /// Its teardown is about to run.
    Undoing { component: Name },
    /// It has left this server.
    Gone { component: Name },
}
