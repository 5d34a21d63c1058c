//! Makes targets from templates.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use wattle::model::{IndexMap, Name, Value, json};
use wattle::plan::Own;
use wattle_converge::Target;
use wattle_deploy::{Deployment, ResourceTypes};
use wattle_heat::environment::Environment;
use wattle_heat::parameters::Inputs;
use wattle_heat::{Loaded, evaluate};
use wattle_openstack::driver;

use crate::deploy::{Identity, Maker, Planned};

/// A template with all files and values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateSource {
    /// The template's name among the files.
    pub template: String,
    /// The template and the files that it names, by path.
    pub files: IndexMap<String, String>,
    /// Environment files, each with its name; later ones override earlier ones.
    pub environments: Vec<(String, String)>,
    /// Values given by name.
    pub given: IndexMap<Name, Value>,
    /// The stack's name.
    pub stack: String,
    /// The text of the accompanying seed.
    pub seed: String,
    /// The settings of the blueprint, if any: the file that `emit` wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// The diagram, if there is one. A rollback to this source shows it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagram: Option<String>,
}

impl TemplateSource {
    /// Converts it to its stored form, which contains secrets.
    pub fn to_text(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// Parses the text of [`Self::to_text`].
    ///
    /// # Errors
    /// What is wrong with it, without quoting it.
    pub fn read(text: &str) -> Result<Self, String> {
        json::read(text.as_bytes())
    }

    /// Loads the template.
    pub fn loaded(&self) -> Loaded {
        let environments = self.environments.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let given = self.given.iter().map(|(name, value)| (name.to_string(), evaluate::Value::of_model(value)));
        let inputs = Inputs {
            given: given.collect(),
            environment: Arc::new(Environment::read(environments)),
            stack: Some(self.stack.clone()),
        };
        let files: BTreeMap<String, Vec<u8>> =
            self.files.iter().map(|(name, text)| (name.clone(), text.clone().into_bytes())).collect();
        let text = self.files.get(&self.template).map(String::as_str).unwrap_or_default();
        Loaded::load(text, &self.template, &files, &inputs)
    }
}

/// Makes targets from templates, with the types known to OpenStack's drivers.
///
/// By default they belong to no deployment: their targets can be checked, but not deployed.
#[derive(Clone, Debug, Default)]
pub struct Templates {
    key: [u8; 32],
}

impl Templates {
    /// Makes targets for the deployment with this identity.
    pub fn new(identity: &Identity) -> Self {
        Self { key: identity.key }
    }

    /// Makes the target that `source` describes.
    ///
    /// # Errors
    /// Everything that cannot be deployed without Heat.
    pub fn target(&self, source: &TemplateSource) -> Result<Deployment, Vec<wattle::model::Diagnostic>> {
        self.target_of(source.loaded())
    }

    /// Makes the target of a template that is already loaded.
    ///
    /// # Errors
    /// Everything that cannot be deployed without Heat.
    pub fn target_of(&self, loaded: Loaded) -> Result<Deployment, Vec<wattle::model::Diagnostic>> {
        Deployment::new(loaded, Arc::new(Drivers), self.key)
    }
}

impl Templates {
    fn read(&self, source: &str) -> Result<Deployment, String> {
        let source = TemplateSource::read(source).map_err(|error| format!("it cannot be read: {error}"))?;
        let refused = |refused: Vec<wattle::model::Diagnostic>| {
            let said: Vec<String> = refused.into_iter().map(|refused| refused.message).collect();
            said.join("; ")
        };
        self.target(&source).map_err(refused)
    }
}

impl Maker for Templates {
    fn make(&self, source: &str) -> Result<Arc<dyn Target>, String> {
        Ok(Arc::new(self.read(source)?))
    }

    fn planned(&self, source: &str) -> Result<Vec<Planned>, String> {
        let target = self.read(source)?;
        let kind = |name: &Name| target.written(name).map(|(kind, _)| kind.into());
        let planned = |(name, after): (Name, Vec<Name>)| Planned { kind: kind(&name), name, after };
        Ok(target.resources().into_iter().map(planned).collect())
    }
}

/// The differences between OpenStack's drivers and Heat.
pub const OWN: Own = Own { is_fixed, stays };

/// Whether a property of a type keeps its value in the cloud once it is no longer given.
fn stays(ty: &str, property: &str) -> bool {
    driver::kind(ty).is_some_and(|kind| kind.stays().contains(&property))
}

/// Whether changing a type's property requires a replacement, although Heat changes it in place.
fn is_fixed(ty: &str, property: &str) -> bool {
    Drivers.fixed(ty).contains(&property)
}

/// The types known to OpenStack's drivers.
#[derive(Debug)]
struct Drivers;

impl ResourceTypes for Drivers {
    fn is_driven(&self, ty: &str) -> bool {
        driver::kind(ty).is_some()
    }

    fn fixed(&self, ty: &str) -> &[&str] {
        driver::kind(ty).map_or(&[], driver::ResourceType::fixed)
    }

    fn beyond(&self, ty: &str, properties: &Value) -> Vec<(String, &'static str)> {
        driver::kind(ty).map(|kind| kind.beyond(properties)).unwrap_or_default()
    }

    fn exclusive(&self, ty: &str, properties: &Value) -> std::collections::BTreeSet<Name> {
        driver::kind(ty).map(|kind| kind.exclusive(properties)).unwrap_or_default()
    }

    fn turns(&self, ty: &str, properties: &Value) -> std::collections::BTreeSet<Name> {
        driver::kind(ty).map(|kind| kind.turns(properties)).unwrap_or_default()
    }

    fn shows(&self, ty: &str) -> &[&str] {
        driver::kind(ty).map_or(&[], driver::ResourceType::shows)
    }

    fn patience(&self, ty: &str) -> Option<std::time::Duration> {
        driver::kind(ty).map(driver::ResourceType::patience)
    }

    fn drains(&self, ty: &str) -> bool {
        driver::kind(ty).is_some_and(driver::ResourceType::drains)
    }
}
