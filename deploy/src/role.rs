//! The roles that a template's resources have for the engine.

use wattle_heat::desired::Resource;

use crate::random::RANDOM;
use crate::resource_types::ResourceTypes;
use crate::signals::{CONDITION, HANDLE};

/// The role of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A thing in the cloud, which has a row.
    Row,
    /// A nested stack or a group. Its resources have roles of their own.
    Stack,
    /// A value that others read.
    Value,
    /// A text passed to servers.
    Config(Config),
    /// Nothing: it accepts any property, and all of its attributes are null.
    Nothing,
}

/// A type of text passed to servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Config {
    /// `OS::Heat::SoftwareConfig`
    Software,
    /// `OS::Heat::StructuredConfig`
    Structured,
    /// `OS::Heat::CloudConfig`
    Cloud,
    /// `OS::Heat::MultipartMime`
    Multipart,
}

/// Groups whose members are created here. All other groups are groups of deployments.
const GROUPS: [&str; 4] =
    ["OS::Heat::AutoScalingGroup", "OS::Heat::InstanceGroup", "OS::Heat::ResourceChain", "OS::Heat::ResourceGroup"];

impl Role {
    /// The role of a resource; `None` if its type is not supported.
    pub(crate) fn of(resource: &Resource, resource_types: &dyn ResourceTypes) -> Option<Self> {
        let ty = resource.made_by();
        if resource.is_group() {
            return (resource.is_stack && GROUPS.contains(&ty)).then_some(Self::Stack);
        }
        if resource.is_stack {
            return Some(Self::Stack);
        }
        match ty {
            "" => None,
            RANDOM | HANDLE | CONDITION => Some(Self::Row),
            "OS::Heat::Value" => Some(Self::Value),
            "OS::Heat::SoftwareConfig" => Some(Self::Config(Config::Software)),
            "OS::Heat::StructuredConfig" => Some(Self::Config(Config::Structured)),
            "OS::Heat::CloudConfig" => Some(Self::Config(Config::Cloud)),
            "OS::Heat::MultipartMime" => Some(Self::Config(Config::Multipart)),
            ty if resource_types.is_driven(ty) => Some(Self::Row),
            _ if resource.is_placeholder() => Some(Self::Nothing),
            _ => None,
        }
    }
}
