//! The outputs of a deployed template.

use std::collections::BTreeSet;

use wattle_heat::Loaded;
use wattle_heat::desired::{Desired, Resource};
use wattle_model::{Name, Value};

use crate::random::RANDOM;
use crate::signals::HANDLE;

/// An output of a template.
#[derive(Clone, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: Name,
    /// Its description: what it is for.
    pub description: Option<Name>,
    /// Whether it contains a hidden parameter or a random string, and so must not be shown to everybody.
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

/// The names of the outputs that must not be shown to everybody: those that contain a hidden parameter, or what lets its reader log
/// in or send a signal.
pub fn secret_outputs(loaded: &Loaded) -> BTreeSet<String> {
    secrets(loaded, &Desired::unfolded(loaded))
}

/// The same of a template whose desired state is known already.
pub(crate) fn secrets(loaded: &Loaded, desired: &Desired) -> BTreeSet<String> {
    let reveals = |name: &str, is_identity: bool| {
        desired.resources.get(name).is_some_and(|resource| reveals(resource, is_identity))
    };
    let refers = |name: &str| {
        let mut found = false;
        if let Some(output) = desired.outputs.get(name) {
            output.value.references(&mut |name, is_identity| found |= reveals(name, is_identity));
        }
        found
    };
    // Only here the values of hidden parameters are told from others.
    let outputs = Desired::outputs_of(loaded);
    outputs
        .into_iter()
        .filter(|(name, output)| output.value.has_secret() || refers(name))
        .map(|(name, _)| name)
        .collect()
}

/// Whether a reference to a resource reveals a secret. It is not asked which attribute is read: those beside the secret one are
/// seldom outputs.
fn reveals(resource: &Resource, is_identity: bool) -> bool {
    match resource.made_by() {
        // The identity of a random string is the string itself, and that of most handles is a signed URL.
        RANDOM
        | HANDLE
        | "OS::Heat::UpdateWaitConditionHandle"
        | "OS::Heat::SwiftSignalHandle"
        | "AWS::CloudFormation::WaitConditionHandle"
        | "AWS::IAM::AccessKey" => true,
        "OS::Nova::KeyPair" | "OS::Heat::ScalingPolicy" | "AWS::AutoScaling::ScalingPolicy" => !is_identity,
        ty => !is_identity && ty.starts_with("OS::Barbican::"),
    }
}
