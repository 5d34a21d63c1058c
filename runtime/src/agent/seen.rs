//! The newest revision that this server has received, on disk, so that no one can make it go back to an older one.
//!
//! The operator's signatures stay valid. Without this record, anyone who controls what an agent can read could serve it
//! last year's desired revision and plans, with recipes that had to be replaced since.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use wattle::model::json;

use crate::space::{Authority, DesiredRevision, Revision, ServerStatus};

use super::durable;

/// The file name.
pub(super) const NAME: &str = "revision";

/// The newest revision received.
#[derive(Debug)]
pub(super) struct Seen {
    path: PathBuf,
    newest: Mutex<Option<Note>>,
}

/// The part of a desired revision that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Note {
    #[serde(flatten)]
    revision: Revision,
    /// The number of the server's own plan.
    plan: u64,
    /// The key that signed it, if that is not the one in the user data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operator: Option<Succeeded>,
}

/// An operator's key that came after the one in the user data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Succeeded {
    #[serde(rename = "told")]
    given: Authority,
    now: Authority,
}

impl Seen {
    /// Opens the note in the agent's folder.
    ///
    /// # Errors
    /// The note cannot be read, because then it is unknown which revisions are older.
    pub(super) fn open(state: &Path) -> io::Result<Self> {
        let path = state.join(NAME);
        let newest = match fs::read(&path) {
            Ok(text) => Some(json::read(&text).map_err(io::Error::other)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(Self { path, newest: Mutex::new(newest) })
    }

    /// Returns the key to trust for a server whose user data has the key `given`: never one that preceded a key that
    /// the server has acted on.
    pub(super) fn operator(&self, given: Authority) -> Authority {
        let newest = self.newest();
        let succeeded = newest.as_ref().and_then(|note| note.operator.as_ref());
        succeeded.filter(|succeeded| succeeded.given == given).map_or(given, |succeeded| succeeded.now)
    }

    /// Records a desired revision, as far as it concerns `server`. The user data has the key `given`, and the desired
    /// revision is signed `by` another.
    ///
    /// # Errors
    /// A message, if a newer desired revision has been received before or this one cannot be recorded.
    pub(super) fn admit(
        &self,
        desired: &DesiredRevision,
        server: &str,
        (given, by): (Authority, Authority),
    ) -> Result<(), String> {
        let mut newest = self.newest();
        let revision = desired.of();
        let plan = desired.plans.as_ref().map_or(revision.number, |plans| plans.of(server));
        let operator = (given != by).then_some(Succeeded { given, now: by });
        let note = Note { revision, plan, operator };
        if let Some(newest) = newest.as_ref().filter(|newest| note.revision < newest.revision) {
            let (ours, newest) = (&note.revision, &newest.revision);
            return Err(format!("it is {ours}, and this server has already seen {newest}"));
        }
        if newest.as_ref() != Some(&note) {
            self.note(&note).map_err(|error| format!("cannot record {}: {error}", note.revision))?;
            *newest = Some(note);
        }
        Ok(())
    }

    /// Dates the status before the server has begun with anything to the last plan that the server received, because
    /// its earlier statuses are not newer than that.
    pub(super) fn dated(&self, status: ServerStatus) -> ServerStatus {
        match &*self.newest() {
            Some(note) if status.revision == 0 => {
                ServerStatus { revision: note.plan, space: note.revision.space.clone(), ..status }
            }
            _ => status,
        }
    }

    fn newest(&self) -> MutexGuard<'_, Option<Note>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, note: &Note) -> io::Result<()> {
        durable::write(&self.path, &serde_json::to_vec(note)?, 0o666)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn authority() -> Authority {
        crate::space::OperatorKey::generate().signer().authority()
    }

    fn desired_revision(space: Option<&str>, revision: u64) -> DesiredRevision {
        let desired = serde_json::json!({"revision": revision, "space": space, "digest": "", "plans": {"most": 1}});
        serde_json::from_value(desired).unwrap()
    }

    #[test]
    fn an_older_revision_is_refused_also_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let by = [authority(); 2].into();
        let admit = |seen: &Seen, space, number| seen.admit(&desired_revision(Some(space), number), "db", by);
        let seen = Seen::open(folder.path()).unwrap();
        for (space, number) in [("2026-01-01", 1), ("2026-01-01", 7), ("2026-01-01", 7)] {
            admit(&seen, space, number).unwrap();
        }
        let seen = Seen::open(folder.path()).unwrap();
        assert_eq!(
            admit(&seen, "2026-01-01", 6).unwrap_err(),
            "it is revision 6 of the data space of 2026-01-01, and this server has already seen revision 7 of the data \
             space of 2026-01-01"
        );
        admit(&seen, "2026-01-01", 7).unwrap();
        // What the server publishes in the meantime is not older than what it published when it began its plan.
        let said = serde_json::from_str(r#"{"revision": 0, "since": "2026-01-01T00:00:00Z"}"#).unwrap();
        let said = seen.dated(said);
        assert_eq!((said.revision, said.space.as_deref()), (1, Some("2026-01-01")));
        // A new data space is newer, whatever its numbers.
        admit(&seen, "2026-02-01", 1).unwrap();
        admit(&seen, "2026-01-01", 9).unwrap_err();
        seen.admit(&desired_revision(None, 9), "db", by).unwrap_err();
    }

    #[test]
    fn an_operators_key_that_came_later_counts_also_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let [given, now, other] = [(); 3].map(|()| authority());
        let seen = Seen::open(folder.path()).unwrap();
        assert_eq!(seen.operator(given), given);
        seen.admit(&desired_revision(Some("2026-01-01"), 1), "db", (given, now)).unwrap();
        let seen = Seen::open(folder.path()).unwrap();
        assert_eq!(seen.operator(given), now);
        // The server was given other user data and kept its disk.
        assert_eq!(seen.operator(other), other);
    }

    #[test]
    fn what_cannot_be_noted_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let seen = Seen::open(&folder.path().join("gone")).unwrap();
        seen.admit(&desired_revision(None, 1), "db", [authority(); 2].into()).unwrap_err();
        fs::write(folder.path().join(NAME), "{").unwrap();
        Seen::open(folder.path()).unwrap_err();
    }
}
