//! How a run of Chef ended, as `wattle.rb` wrote it.

use std::path::Path;
use std::{fs, io};

use indexmap::IndexMap;
use serde::Deserialize;
use wattle::model::{Name, Value};

use super::super::{Broken, Job, Mask, parse};
use super::broken;
use crate::space::{Kind, Script};

/// How a run ended.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Report {
    /// All its resources converged. Its outputs, published or not.
    Outputs(IndexMap<Name, Value>),
    /// It failed.
    Failure(Failure),
}

/// Why a run failed.
#[derive(Debug, Deserialize)]
pub(super) struct Failure {
    message: String,
    /// The input that could not be read, if that is why.
    input: Option<String>,
    /// The output that was not published, if that is why.
    output: Option<Refused>,
}

#[derive(Debug, Deserialize)]
struct Refused {
    name: String,
    value: Value,
}

impl Report {
    /// Reads the report, and removes it: there may be secrets in it. None if the run did not come to it.
    pub(super) fn take(path: &Path) -> Result<Option<Self>, Broken> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(broken(Kind::Recipe, format!("cannot read {}: {error}", path.display()))),
        };
        fs::remove_file(path)
            .map_err(|error| broken(Kind::Recipe, format!("cannot remove {}: {error}", path.display())))?;
        let malformed = |error| broken(Kind::Recipe, format!("{} is malformed: {error}", path.display()));
        serde_json::from_slice(&text).map(Some).map_err(malformed)
    }
}

impl Failure {
    /// As the run's.
    pub(super) async fn into_broken(self, job: &Job, log: Vec<String>) -> Broken {
        let cause = match &self.input {
            // What failed once has failed for good: this does not wait.
            Some(input) => job.live.input(input).await.err().map(Box::new),
            None => None,
        };
        let kind = match (&self.input, &self.output) {
            (Some(_), _) => Kind::Input,
            (None, Some(refused)) => match job.component.outputs.get(&*refused.name) {
                Some(output) if parse::fit(&output.ty, refused.value.clone()).is_err() => Kind::Type,
                _ => Kind::Size,
            },
            (None, None) => Kind::Recipe,
        };
        let mut mask = Mask::of(job);
        job.live.secrets().iter().for_each(|secret| mask.add(secret));
        Broken { kind, message: mask.text(&self.message), log, cause }
    }
}

/// The outputs of `job`, each of its type, of which Chef reports `values`.
pub(super) fn outputs(job: &Job, mut values: IndexMap<Name, Value>) -> Result<IndexMap<Name, Value>, Broken> {
    let mut outputs = IndexMap::new();
    if job.script == Script::Teardown {
        return Ok(outputs);
    }
    let mut missing = Vec::new();
    for (name, output) in &job.component.outputs {
        let value = match (job.live.published(name), values.shift_remove(name)) {
            (Some(value), _) => value,
            (None, Some(value)) => {
                parse::fit(&output.ty, value).map_err(|why| broken(Kind::Type, format!("output `{name}`: {why}")))?
            }
            (None, None) => {
                let place: String = output.path.iter().map(|key| format!("['{key}']")).collect();
                missing.push(format!("`{name}` (node{place})"));
                continue;
            }
        };
        outputs.insert(name.clone(), value);
    }
    if missing.is_empty() {
        return Ok(outputs);
    }
    Err(broken(Kind::Missing, format!("the recipe ended well, but never wrote {}", missing.join(", "))))
}
