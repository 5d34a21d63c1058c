//! The result of a Chef run, as written by `wattle.rb`.

use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use serde::Deserialize;
use wattle::model::{IndexMap, Name, Value, json};
use wattle::values;

use crate::recipe::{Broken, RecipeRun};
use crate::space::{self, FailureKind};

/// How long to wait for the failure of an input that the recipe has received.
const ANSWER: Duration = Duration::from_secs(5);

/// The result of a run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Report {
    /// All its resources converged. The value is its outputs, published or not.
    Outputs(IndexMap<Name, Value>),
    /// It failed.
    Failure(ChefFailure),
}

/// Why a run failed.
#[derive(Debug, Deserialize)]
pub(super) struct ChefFailure {
    pub(super) message: String,
    /// The input that could not be read, if that is the cause.
    input: Option<String>,
    /// The output that was not published, if that is the cause.
    output: Option<Refused>,
}

#[derive(Debug, Deserialize)]
struct Refused {
    name: String,
    value: Value,
}

/// Reads the report; `None` if the run did not reach it.
pub(super) fn read(path: &Path) -> Result<Option<Report>, Broken> {
    let unreadable =
        |error: io::Error| Broken::new(FailureKind::Recipe, format!("cannot read {}: {error}", path.display()));
    match fs::read(path) {
        Ok(text) => json::read(&text).map(Some).map_err(|reason| unreadable(io::Error::other(reason))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(error)),
    }
}

impl ChefFailure {
    /// The kind of failure.
    pub(super) fn kind(&self, job: &RecipeRun) -> FailureKind {
        let output = |refused: &Refused| Some((job.component.outputs.get(&*refused.name)?, refused.value.clone()));
        match (&self.input, &self.output) {
            (Some(_), _) => FailureKind::Input,
            (None, Some(refused))
                if output(refused).is_some_and(|(to, value)| values::fit(&to.declared.ty, value).is_ok()) =>
            {
                FailureKind::Size
            }
            (None, Some(_)) => FailureKind::Type,
            (None, None) => FailureKind::Recipe,
        }
    }

    /// The failure of the input, if that is the cause.
    pub(super) async fn cause(&self, job: &RecipeRun) -> Option<Box<space::Failure>> {
        let asked = job.live.input(self.input.as_ref()?);
        tokio::time::timeout(ANSWER, asked).await.ok()?.err().map(Box::new)
    }
}
