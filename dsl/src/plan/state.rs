//! What is deployed, or would be: templates, parameters, seed.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::lower::Seed;
use crate::model::{Name, Value};

use super::Compute;
use super::files::{self, ROOTS};

/// What is deployed, or would be.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The templates, and the text of the files that they name, by path.
    pub(super) files: IndexMap<String, Value>,
    /// What parameters are given.
    pub(super) parameters: IndexMap<Name, Value>,
    /// What servers do; none where Heat runs the software.
    pub(super) seed: Option<Seed>,
    pub(super) compute: Option<Compute>,
}

/// Why a state cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// There is no template.
    #[error("there is no template.yaml and no template.json")]
    NoTemplate,
    /// A file that is no such file.
    #[error("`{file}` cannot be read: {reason}")]
    Malformed {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
}

#[derive(Deserialize)]
struct Environment {
    #[serde(default)]
    parameters: Option<IndexMap<Name, Value>>,
    #[serde(default)]
    parameter_defaults: Option<IndexMap<Name, Value>>,
}

impl State {
    /// What `files` say: the template, and all that it names ([`gather`](super::gather)).
    ///
    /// # Errors
    /// When there is no template, or one that cannot be read.
    pub fn new(
        files: &IndexMap<String, String>,
        parameters: IndexMap<Name, Value>,
        seed: Option<Seed>,
    ) -> Result<Self, StateError> {
        let read = |(name, text): (&String, &String)| {
            if !files::is_template(name) {
                return Ok((name.clone(), Value::from(text.as_str())));
            }
            let value = files::parse(text).map_err(|reason| StateError::Malformed { file: name.clone(), reason })?;
            Ok((name.clone(), value))
        };
        let files = files.iter().map(read).collect::<Result<IndexMap<_, _>, StateError>>()?;
        let state = Self { files, parameters, seed, compute: None };
        state.root().ok_or(StateError::NoTemplate)?;
        Ok(state)
    }

    /// What the files say that `emit` or `wattle lower` wrote to a folder: `read` gives the text of a file there.
    ///
    /// # Errors
    /// When there is no template, or a file that cannot be read.
    pub fn of_folder(read: &mut dyn FnMut(&str) -> Option<String>) -> Result<Self, StateError> {
        let malformed = |file: &str, reason: String| StateError::Malformed { file: file.to_owned(), reason };
        let seed = match read("seed.yaml") {
            Some(text) => Some(Seed::read(&text).map_err(|error| malformed("seed.yaml", error.to_string()))?),
            None => None,
        };
        let mut parameters = IndexMap::new();
        if let Some(text) = read("environment.yaml") {
            parameters = environment(&text).map_err(|reason| malformed("environment.yaml", reason))?;
        }
        Self::new(&files::gather(read), parameters, seed)
    }

    /// Gives parameters values over those that they have.
    pub fn give(&mut self, parameters: IndexMap<Name, Value>) {
        self.parameters.extend(parameters);
    }

    /// Takes this for what Heat's functions give, whose values are compared then and not how they are written: they are no
    /// part of this crate. `wattle_heat::evaluate::apply` is what knows them. It is for both states of a plan, and said of
    /// the one that comes.
    #[must_use]
    pub fn computing(mut self, compute: Compute) -> Self {
        self.compute = Some(compute);
        self
    }

    /// The stack's name, where a seed tells.
    pub fn stack(&self) -> Option<&Name> {
        self.seed.as_ref().map(|seed| &seed.stack)
    }

    /// What parameters are given.
    pub fn parameters(&self) -> &IndexMap<Name, Value> {
        &self.parameters
    }

    /// What servers do.
    pub fn seed(&self) -> Option<&Seed> {
        self.seed.as_ref()
    }

    /// The template of the whole stack, and its file.
    pub(super) fn root(&self) -> Option<(&'static str, &Value)> {
        ROOTS.into_iter().find_map(|name| Some((name, self.files.get(name)?)))
    }
}

/// The parameters that an environment file gives.
///
/// # Errors
/// When it is no environment file.
pub fn environment(text: &str) -> Result<IndexMap<Name, Value>, String> {
    let read: Option<Environment> = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
    let Some(environment) = read else { return Ok(IndexMap::new()) };
    let mut parameters = environment.parameter_defaults.unwrap_or_default();
    parameters.extend(environment.parameters.unwrap_or_default());
    Ok(parameters)
}
