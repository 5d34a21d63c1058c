//! Blueprints: functions from parameters to a topology.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::model::{Model, Source};

use super::exports::Exports;
use super::parameters::Parameters;
use super::topology::Topology;

/// A blueprint. Implemented by `#[blueprint]` for the function that it stands on.
#[diagnostic::on_unimplemented(
    message = "this is not a blueprint",
    label = "`#[blueprint]` does not stand on it",
    note = "put `#[blueprint]` on the function: `#[blueprint] pub fn name(t: &mut Topology, p: Settings) -> Exports`"
)]
pub trait Blueprint {
    /// The function's name, which names the stack.
    const NAME: &'static str;
    /// What its documentation says.
    const DESCRIPTION: &'static str;
    /// What the source says of the settings: those whose struct was found.
    const SETTINGS: &'static [Setting] = &[];
    /// What is chosen at deployment.
    type Parameters: Parameters;
    /// What is chosen while building.
    type Config: DeserializeOwned + Default;

    /// Where it stands.
    fn at(&self) -> Source;

    /// Runs the function.
    fn build(&self, t: &mut Topology, parameters: Self::Parameters, config: Self::Config) -> Exports;

    /// The model of the blueprint for one configuration.
    fn model(&self, config: Self::Config) -> Model {
        let mut t = Topology::new(Self::NAME);
        Self::DESCRIPTION.clone_into(&mut t.model.description);
        t.model.at = self.at();
        let parameters = Self::Parameters::declare(&mut t);
        let exports = self.build(&mut t, parameters, config);
        t.finish(exports)
    }
}

/// What the source says of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The field's name.
    pub name: &'static str,
    /// Its documentation; empty if it has none.
    pub doc: &'static str,
    /// Its default, if that is a constant; of an enum, the name of the variant.
    pub default: Option<&'static str>,
}

/// The configuration of a blueprint that has none.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoConfig {}

// A blueprint that exports nothing may return nothing.
impl From<()> for Exports {
    fn from((): ()) -> Self {
        Self::new()
    }
}
