//! How a server gets its agent: its user data, and the resource and parameters that the user data is built on.
//!
//! The text is the same for every server except for its identity, which comes last. So the template contains it only
//! once, in an `OS::Heat::Value` that every server reads. That is also the single root on which all servers depend:
//! Heat's convergence engine sleeps for a second after each resource that requires nothing (`heat/engine/stack.py`),
//! which would be 100 s for 100 servers.

use std::collections::{HashMap, HashSet};

use crate::model::{Constraint, IndexMap, Model, Name, ParameterType, Reference, Resource, Value};

use super::hot::{Hot, HotParameter, HotResource};
use super::resolve::{attribute_for_heat, for_heat};
use super::workload::{HeatValue, Server};

/// The resource that holds the user data's text without the identity.
pub(super) const ROOT: &str = "wattle_agent";

/// The parameter through which a nested stack gets the text.
pub(super) const TEXT: &str = "wattle_user_data";

const USER_DATA: &str = include_str!("user_data.yaml");

const STACK: &str = "wattle_stack";
/// The parameter for the location of the data space.
pub(super) const SPACE: &str = "wattle_space";
const CA: &str = "wattle_space_ca";
/// The parameter that holds each server's credential.
pub const CREDENTIALS: &str = "wattle_credentials";
const URL: &str = "wattle_agent_url";
const SHA256: &str = "wattle_agent_sha256";

/// The largest size, in bytes, of the certificates in a server's user data.
const MOST_CA: u32 = 8 * 1024;

const URL_KEY: &str = "@agent_url@";
const SHA256_KEY: &str = "@agent_sha256@";

/// The minimum size, in bytes, of each server's generated user data. Values that only Heat or the operator knows count as
/// empty.
pub(crate) fn user_data_sizes(model: &Model) -> HashMap<&Name, usize> {
    let mut sizes = HashMap::new();
    let mut counted = HashSet::new();
    for component in model.components.values() {
        let size = sizes.entry(&component.server).or_insert(USER_DATA.len() + component.server.len());
        for binding in component.inputs.values() {
            for reference in binding.value.references() {
                if let Reference::Attribute { resource, attribute, path } = reference
                    && !model.resources.get(resource).is_some_and(Resource::is_server)
                    && counted.insert((&component.server, resource, attribute, path.len()))
                {
                    *size += resource.len() + attribute.len() + r#""." : "", "#.len();
                }
            }
        }
    }
    sizes
}

/// The parameters of a stack with agents, in addition to its author's.
pub(super) fn parameters(stack: &Name) -> [(Name, HotParameter); 6] {
    let parameter = |name: &str, ty, description: &str| {
        let mut parameter = HotParameter::new(ty);
        description.clone_into(&mut parameter.description);
        (Name::from(name), parameter)
    };
    let (stack_name, mut stack_parameter) =
        parameter(STACK, ParameterType::Str, "Name of the stack in the data space.");
    stack_parameter.default = Some(Value::Str(stack.clone()));
    let (space_name, mut space) =
        parameter(SPACE, ParameterType::Str, "Where the data space is: zookeeper+tls://HOST:PORT[,HOST:PORT...].");
    space.constraints.push(Constraint::AllowedPattern(r"\S+".into()));
    let (ca_name, mut ca) = parameter(
        CA,
        ParameterType::Str,
        "Certificate authority of the data space, in PEM; empty when servers know it already.",
    );
    ca.default = Some("".into());
    ca.constraints.push(Constraint::Length { min: None, max: Some(MOST_CA) });
    let (credentials_name, mut credentials) =
        parameter(CREDENTIALS, ParameterType::Json, "Credential of each server, by its name; made with the seed.");
    credentials.default = Some(Value::Map(IndexMap::default()));
    credentials.hidden = true;
    let (url_name, mut url) =
        parameter(URL, ParameterType::Str, "Where servers fetch the agent; empty when the image has it.");
    url.default = Some("".into());
    url.constraints.push(Constraint::AllowedPattern(r"\S*".into()));
    let (sha256_name, mut sha256) = parameter(SHA256, ParameterType::Str, "SHA-256 of the agent, in hexadecimal.");
    sha256.default = Some("".into());
    sha256.constraints.push(Constraint::AllowedPattern("([0-9a-f]{64})?".into()));
    [
        (space_name, space),
        (ca_name, ca),
        (credentials_name, credentials),
        (url_name, url),
        (sha256_name, sha256),
        (stack_name, stack_parameter),
    ]
}

/// The resource that holds the user data's text without the identity.
pub(super) fn root() -> HotResource {
    let params = [(URL_KEY, URL), (SHA256_KEY, SHA256)];
    root_of(Hot::StrReplace {
        template: Box::new(USER_DATA.into()),
        params: params.into_iter().map(|(key, parameter)| (key.into(), Hot::parameter(parameter))).collect(),
    })
}

/// The root of a stack that gets the text from elsewhere.
pub(super) fn root_of(text: Hot) -> HotResource {
    let mut root = HotResource::new("OS::Heat::Value".into());
    root.set("type".into(), "string".into());
    root.set("value".into(), text);
    root
}

/// Names that occur in the user data of every server.
pub(super) struct Words {
    stack: Name,
    server: Name,
    space: Name,
    ca: Name,
    credential: Name,
    networks: Name,
    values: Name,
    stack_parameter: Name,
    space_parameter: Name,
    ca_parameter: Name,
    credentials_parameter: Name,
    root: Hot,
    indent: Hot,
    newline: Hot,
}

impl Words {
    pub(super) fn new() -> Self {
        Self {
            stack: "stack".into(),
            server: "server".into(),
            space: "space".into(),
            ca: "ca".into(),
            credential: "credential".into(),
            networks: "networks".into(),
            values: "values".into(),
            stack_parameter: STACK.into(),
            space_parameter: SPACE.into(),
            ca_parameter: CA.into(),
            credentials_parameter: CREDENTIALS.into(),
            root: Hot::GetAttr { resource: ROOT.into(), attribute: "value".into(), path: Vec::new() },
            indent: "      ".into(),
            newline: "\n".into(),
        }
    }

    /// The user data of one server.
    pub(super) fn user_data(&self, model: &Model, name: &Name, resource: &Resource, duties: &Server<'_>) -> Hot {
        let own_name = || Hot::Value(Value::Str(name.clone()));
        let mut identity = Vec::with_capacity(7);
        identity.push((self.stack.clone(), Hot::parameter(self.stack_parameter.clone())));
        identity.push((self.server.clone(), own_name()));
        identity.push((self.space.clone(), Hot::parameter(self.space_parameter.clone())));
        identity.push((self.ca.clone(), Hot::parameter(self.ca_parameter.clone())));
        let credential = Hot::GetParam { parameter: self.credentials_parameter.clone(), path: vec![own_name()] };
        identity.push((self.credential.clone(), credential));
        // Lets the agent distinguish its own addresses.
        let networks = model.networks_of(resource).known;
        if !networks.is_empty() {
            let networks = networks.into_iter().map(|network| (network.clone(), Hot::GetResource(network.clone())));
            identity.push((self.networks.clone(), Hot::Map(networks.collect())));
        }
        if !duties.from_heat.is_empty() {
            let values = duties.from_heat.iter().map(|(key, value)| {
                let value = match value {
                    HeatValue::Attribute(attribute) => attribute_for_heat(attribute),
                    HeatValue::Whole(value) => for_heat(value),
                };
                (key.as_str().into(), value)
            });
            identity.push((self.values.clone(), Hot::Map(values.collect())));
        }
        // Heat writes a map within text as one line of JSON, which fits the block scalar at the end of the text.
        Hot::Join(vec![self.root.clone(), self.indent.clone(), Hot::Map(identity), self.newline.clone()])
    }
}
