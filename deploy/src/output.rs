//! The outputs of a deployed template.

use std::collections::BTreeSet;

use wattle_heat::Loaded;
use wattle_heat::desired::{Desired, Resource};
use wattle_heat::value::Value as Open;
use wattle_model::{Name, Value};

use crate::random::RANDOM;
use crate::signals::HANDLE;

/// An output of a template.
#[derive(Clone, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: Name,
    /// Its description.
    pub description: Option<Name>,
    /// Whether it contains a hidden parameter or a random string, and so must not be shown to everyone.
    pub is_secret: bool,
    /// Its value, or why it has none (yet).
    pub value: Result<Value, String>,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Output");
        shown.field("name", &self.name).field("description", &self.description);
        if self.is_secret { shown.finish_non_exhaustive() } else { shown.field("value", &self.value).finish() }
    }
}

/// The names of the outputs that must not be shown to everyone: those that contain a hidden parameter, or allow their
/// reader to log in or send a signal. An opaque value, such as a group or a whole nested stack, counts as secret if
/// anything in the template is.
pub fn secret_outputs(loaded: &Loaded) -> BTreeSet<String> {
    secrets(loaded, &Desired::unfolded(loaded))
}

/// Like [`secret_outputs`], for a template whose desired state is known already.
pub(crate) fn secrets(loaded: &Loaded, desired: &Desired) -> BTreeSet<String> {
    // Only the former distinguishes the values of hidden parameters, and only the latter knows the members of groups.
    let (compared, unfolded) = (Desired::outputs_of(loaded), &desired.outputs);
    let reader = Reader { desired, holds_secrets: holds_secrets(loaded, desired) };
    let is_secret = |name: &&String| {
        let both = [compared.get(*name), unfolded.get(*name)];
        both.iter().flatten().any(|output| reader.reveals(&output.value))
    };
    compared.keys().chain(unfolded.keys()).filter(is_secret).cloned().collect()
}

/// Whether a template has anything secret.
fn holds_secrets(loaded: &Loaded, desired: &Desired) -> bool {
    let nested = loaded.library.templates.values().map(|nested| &nested.template);
    let templates = nested.chain([&loaded.template]);
    templates.flat_map(|template| template.parameters.values()).any(|parameter| parameter.hidden)
        || desired.resources.values().any(|resource| by_attributes(resource.made_by(), None))
}

/// Looks for secrets in a value.
struct Reader<'d> {
    desired: &'d Desired,
    holds_secrets: bool,
}

impl Reader<'_> {
    fn reveals(&self, value: &Open) -> bool {
        // A value that could not be computed, or is cut off, may be anything.
        let mut found = value.has_secret() || value.is_cut() || *value == Open::Null;
        let of = |name: &str| self.desired.resources.get(name);
        value.references(&mut |name, is_identity| {
            found |= is_identity && of(name).is_some_and(|resource| by_identity(resource.made_by()));
        });
        value.attributes(&mut |name, attribute| {
            found |= match of(name).filter(|resource| !is_container(resource)).map(Resource::made_by) {
                Some(ty) => by_attributes(ty, attribute) || self.holds_secrets && echoes(ty),
                None => self.holds_secrets,
            };
        });
        found
    }
}

/// Whether attributes of a resource are those of others. A nested template has no type.
fn is_container(resource: &Resource) -> bool {
    resource.is_group() || matches!(resource.made_by(), "" | "OS::Heat::Stack")
}

/// Whether attributes of a resource of this type are texts of the template, which may contain a hidden parameter.
fn echoes(ty: &str) -> bool {
    matches!(
        ty,
        "OS::Heat::SoftwareConfig"
            | "OS::Heat::StructuredConfig"
            | "OS::Heat::CloudConfig"
            | "OS::Heat::MultipartMime"
            | "OS::Heat::SoftwareDeployment"
            | "OS::Heat::StructuredDeployment"
            | "OS::Heat::TestResource"
            | "OS::Heat::Value"
    )
}

/// Whether the identity of a resource of this type is a secret: a random string is its own identity, and that of most
/// handles is a signed URL.
fn by_identity(ty: &str) -> bool {
    matches!(
        ty,
        RANDOM
            | HANDLE
            | "OS::Heat::UpdateWaitConditionHandle"
            | "OS::Heat::SwiftSignalHandle"
            | "OS::Zaqar::SignedQueueURL"
            | "AWS::CloudFormation::WaitConditionHandle"
            | "AWS::IAM::AccessKey"
    )
}

/// Whether this attribute of a resource of this type is secret, or one of all its attributes.
fn by_attributes(ty: &str, attribute: Option<&str>) -> bool {
    let one_of = |secret: &[&str]| attribute.is_none_or(|name| secret.contains(&name));
    match ty {
        "OS::Nova::KeyPair" => one_of(&["private_key"]),
        "OS::Nova::Server" => attribute == Some("console_urls"),
        "OS::Heat::ScalingPolicy" | "AWS::AutoScaling::ScalingPolicy" => one_of(&["alarm_url", "signal_url"]),
        "OS::Mistral::Workflow" => one_of(&["alarm_url"]),
        "OS::Senlin::Receiver" => one_of(&["channel"]),
        "OS::Neutron::IPsecSiteConnection" => one_of(&["psk", "show"]),
        "OS::Manila::Share" | "OS::Trove::Instance" | "OS::Trove::Cluster" => one_of(&["show"]),
        ty => by_identity(ty) || ty.starts_with("OS::Barbican::"),
    }
}
