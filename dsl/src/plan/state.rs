//! A deployed state, or one to be deployed: templates, parameters, seed.

use wattle_heat::evaluate;
use wattle_heat::parameters::{Inputs, Origin, Parameters};
use wattle_heat::{Desired, Facts, Loaded};

use crate::lower::Seed;
use crate::model::{IndexMap, Name, Value};

use super::files::{InFolder, ROOTS};
use super::setting::{SETTINGS, settings};

/// A deployed state, or one to be deployed.
#[derive(Clone, Debug)]
pub struct State {
    /// The template with all files that it names.
    loaded: Loaded,
    /// The values of parameters.
    pub(super) parameters: IndexMap<Name, Value>,
    /// The work of servers; `None` if Heat runs the software.
    pub(super) seed: Option<Seed>,
    /// Differences from Heat, if wattle brings up the infrastructure itself.
    pub(super) own: Option<Own>,
    /// The settings given to the blueprint, in the form that `--set` accepts.
    pub(super) settings: IndexMap<Name, String>,
}

/// A template without resources.
const EMPTY: &str = "heat_template_version: 2021-04-16\n";

/// Whether something applies to a property of a type.
pub type IsOf = fn(ty: &str, property: &str) -> bool;

/// What wattle does differently from Heat when it brings up the infrastructure itself.
#[derive(Clone, Copy, Debug)]
pub struct Own {
    /// Properties that it cannot change in place although Heat can.
    pub is_fixed: IsOf,
    /// Properties that stay as they are in the cloud once a template no longer sets them.
    pub stays: IsOf,
}

/// Why a state cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// There is no template.
    #[error("there is no template.yaml and no template.json")]
    NoTemplate,
    /// An invalid file.
    #[error("`{file}` cannot be read: {reason}")]
    Malformed {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl StateError {
    fn malformed(file: &str, reason: impl ToString) -> Self {
        Self::Malformed { file: file.to_owned(), reason: reason.to_string() }
    }
}

impl State {
    /// The state in `files`: the template, and everything that it names ([`gather`](super::gather)).
    ///
    /// # Errors
    /// If there is no template, or it cannot be read.
    pub fn new(
        files: &IndexMap<String, String>,
        parameters: IndexMap<Name, Value>,
        seed: Option<Seed>,
    ) -> Result<Self, StateError> {
        Self::of(&mut |name| files.get(name).cloned(), parameters, seed)
    }

    /// The state in the files that `emit` or `wattle lower` wrote to a folder, with these values of parameters. `read`
    /// returns the text of a file there.
    ///
    /// # Errors
    /// If there is no template, or a file cannot be read.
    pub fn of_folder(
        read: &mut dyn FnMut(&str) -> Option<String>,
        parameters: IndexMap<Name, Value>,
    ) -> Result<Self, StateError> {
        let seed = match read("seed.yaml") {
            Some(text) => Some(Seed::read(&text).map_err(|error| StateError::malformed("seed.yaml", error))?),
            None => None,
        };
        let given = match read(SETTINGS) {
            Some(text) => settings(&text).map_err(|error| StateError::malformed(SETTINGS, error))?,
            None => IndexMap::default(),
        };
        Ok(Self::of(read, parameters, seed)?.with_settings(given))
    }

    fn of(
        read: &mut dyn FnMut(&str) -> Option<String>,
        parameters: IndexMap<Name, Value>,
        seed: Option<Seed>,
    ) -> Result<Self, StateError> {
        let root = ROOTS.into_iter().find_map(|name| Some((name, read(name)?)));
        let (name, text) = root.ok_or(StateError::NoTemplate)?;
        let loaded = Loaded::load(&text, name, &InFolder::new(read), &Inputs::default());
        let nested = loaded.library.templates.iter().map(|(name, nested)| (name.as_str(), nested.unreadable.as_ref()));
        for (name, unreadable) in std::iter::once((name, loaded.unreadable.as_ref())).chain(nested) {
            unreadable.map_or(Ok(()), |error| Err(StateError::malformed(name, error)))?;
        }
        Ok(Self { loaded, parameters, seed, own: None, settings: IndexMap::default() })
    }

    /// The same state, with infrastructure that wattle brings up without Heat.
    #[must_use]
    pub fn without_heat(self, own: Own) -> Self {
        Self { own: Some(own), ..self }
    }

    /// The same state, with these settings of the blueprint.
    #[must_use]
    pub fn with_settings(self, settings: IndexMap<Name, String>) -> Self {
        Self { settings, ..self }
    }

    /// The same state, with none of its resources created yet.
    #[must_use]
    pub fn without_resources(self) -> Self {
        let loaded = Loaded::load(EMPTY, ROOTS[0], &InFolder::new(&mut |_| None), &Inputs::default());
        Self { loaded, ..self }
    }

    /// The same state, with the resources that were requested in the cloud, by the name of a file, with these parameters.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_resources(
        self,
        files: &IndexMap<String, String>,
        parameters: IndexMap<Name, Value>,
    ) -> Result<Self, StateError> {
        Ok(Self { own: self.own, settings: self.settings, ..Self::new(files, parameters, self.seed)? })
    }

    /// The stack's name, if a seed has it.
    pub fn stack(&self) -> Option<&Name> {
        self.seed.as_ref().map(|seed| &seed.stack)
    }

    /// The work of servers.
    pub fn seed(&self) -> Option<&Seed> {
        self.seed.as_ref()
    }

    /// The desired state of the template, as far as its parameters have values.
    pub fn asked_for(&self) -> Desired {
        self.desired(None)
    }

    /// The desired state of the template. A parameter has a value here if it has one in `other`, too, or is not a parameter
    /// there: a value that is known on only one side would appear as a difference that may not exist.
    pub(super) fn desired(&self, other: Option<&Self>) -> Desired {
        let mut loaded = self.loaded.clone();
        loaded.parameters = self.values();
        let others = other.map(Self::values).unwrap_or_default().values;
        let is_missing = |name: &str| others.get(name).is_some_and(|valued| valued.origin == Origin::Missing);
        for (name, valued) in &mut loaded.parameters.values {
            if is_missing(name) {
                valued.value = evaluate::Value::Unknown;
            }
        }
        Desired::of(&loaded, &Facts::default())
    }

    fn values(&self) -> Parameters {
        let given = |(name, value): (&Name, &Value)| (name.to_string(), evaluate::Value::of_model(value));
        let given = self.parameters.iter().map(given).collect();
        let template = &self.loaded.template;
        let mut parameters = Parameters::of(template, &Inputs { given, ..Inputs::default() });
        // A hidden value may be a digest, which is always text.
        for (name, value) in &self.parameters {
            if template.parameters.get(&**name).is_some_and(|parameter| parameter.hidden)
                && let Some(valued) = parameters.values.get_mut(&**name)
            {
                valued.value = evaluate::Value::of_model(value);
            }
        }
        parameters
    }
}
