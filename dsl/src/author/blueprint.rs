//! Blueprints: functions from parameters to a topology.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::model::{Model, Source};

use super::exports::Exports;
use super::parameters::Parameters;
use super::topology::Topology;

/// A blueprint. `#[blueprint]` implements it for the function it annotates.
#[diagnostic::on_unimplemented(
    message = "this is not a blueprint",
    label = "it has no `#[blueprint]`",
    note = "add `#[blueprint]` to the function: `#[blueprint] pub fn name(t: &mut Topology, p: Settings) -> Exports`"
)]
pub trait Blueprint {
    /// The function's name, which is also the name of the stack.
    const NAME: &'static str;
    /// The function's documentation.
    const DESCRIPTION: &'static str;
    /// The settings as described in the source, if the configuration struct was found.
    const SETTINGS: &'static [Setting] = &[];
    /// The values that are chosen at deployment.
    type Parameters: Parameters;
    /// The values that are chosen while building.
    type Config: DeserializeOwned + Default;

    /// Where the function stands in the source.
    fn at(&self) -> Source;

    /// Runs the function.
    fn build(&self, t: &mut Topology, parameters: Self::Parameters, config: Self::Config) -> Exports;

    /// Returns the blueprint's model for one configuration.
    fn model(&self, config: Self::Config) -> Model {
        let mut t = Topology::new(Self::NAME);
        Self::DESCRIPTION.clone_into(&mut t.model.description);
        t.model.at = self.at();
        let parameters = Self::Parameters::declare(&mut t);
        let exports = self.build(&mut t, parameters, config);
        t.finish(exports)
    }
}

/// A setting, as described in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The field's name.
    pub name: &'static str,
    /// Its documentation; empty if it has none.
    pub doc: &'static str,
    /// Its default, if that is a constant. For an enum, this is the name of the variant.
    pub default: Option<&'static str>,
}

/// The configuration of a blueprint that has none.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoConfig {}

// Lets a blueprint that exports nothing return nothing.
impl From<()> for Exports {
    fn from((): ()) -> Self {
        Self::new()
    }
}
