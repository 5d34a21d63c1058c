//! Wait conditions, which servers signal with a handle's `curl_cli`. Without Heat, wattle's agent reports signals to
//! the data space.

use std::collections::BTreeSet;
use std::time::Duration;

use wattle_converge::Job;
use wattle_heat::desired::Resource;
use wattle_heat::evaluate::{Open, Value};
use wattle_heat::template::Function;
use wattle_model::{IndexMap, Name, Resource as Model, Value as Known};

use crate::digest::Key;
use crate::needs::Roles;
use crate::role::Role;
use crate::user_data;

/// The type of signal handles.
pub const HANDLE: &str = "OS::Heat::WaitConditionHandle";

/// The type of wait conditions.
pub const CONDITION: &str = "OS::Heat::WaitCondition";

/// How much longer than its `timeout` a wait condition may take, so that the waiting process can still report how many
/// signals were missing.
const BEYOND: Duration = Duration::from_mins(1);

/// The transports whose signals are reported to the data space: those that servers send through Heat's own interface.
const TRANSPORTS: [&str; 2] = ["TOKEN_SIGNAL", "HEAT_SIGNAL"];

/// The signals that a wait condition waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Waits {
    /// The handle's name in the cloud.
    pub handle: Name,
    /// How many signals of success are needed.
    pub count: usize,
    /// The maximum time to wait.
    pub timeout: Duration,
}

impl Waits {
    /// The signals that a wait condition with these properties waits for.
    pub fn of(properties: &Known) -> Option<Self> {
        let Known::Map(properties) = properties else { return None };
        let number = |name: &str| match properties.get(name)? {
            Known::Integer(number) => u32::try_from(*number).ok().map(f64::from),
            Known::Float(number) => Some(*number),
            _ => None,
        };
        Some(Self {
            handle: properties.get("handle")?.as_str()?.into(),
            count: match properties.get("count") {
                Some(Known::Integer(count)) => usize::try_from(*count).ok()?,
                _ => 1,
            },
            timeout: Duration::try_from_secs_f64(number("timeout")?).ok()?,
        })
    }

    /// How long the engine lets it wait.
    pub(crate) fn patience(properties: &Known) -> Option<Duration> {
        Self::of(properties).map(|waits| waits.timeout + BEYOND)
    }
}

/// Adds a secret to the properties of a handle. Anyone who knows it may signal, so it must be unguessable.
pub(crate) fn with_secret(key: &Key, name: &str, mut properties: IndexMap<Name, Known>) -> IndexMap<Name, Known> {
    properties.insert("secret".into(), Known::Str(key.digest(&["wait condition handle", name])));
    properties
}

/// The thing that a job yields for a handle. A replacement is a different handle, although it has the same name:
/// earlier signals do not count for it.
pub(crate) fn handle(job: &Job, properties: &IndexMap<Name, Known>) -> Option<wattle_converge::Thing> {
    let phys = format!("{}-{}", job.row, properties.get("secret")?.as_str()?);
    let curl_cli = Known::from(format!("wattle signal {phys}"));
    Some(wattle_converge::Thing {
        phys: phys.into(),
        attributes: [("curl_cli".into(), curl_cli)].into_iter().collect(),
    })
}

/// The reason why a handle or a condition can never work without Heat, with advice.
pub(crate) fn refused(resource: &Resource, roles: &Roles<'_>) -> Option<(String, &'static str)> {
    match resource.made_by() {
        HANDLE => {
            let transport = resource.property("signal_transport");
            let transport = transport.as_text().filter(|transport| !TRANSPORTS.contains(transport))?;
            let what = format!("`signal_transport: {transport}` reaches only Heat");
            Some((what, "remove it, and signal with `curl_cli`"))
        }
        CONDITION => {
            let mut is_one = false;
            let given = resource.given("handle")?;
            given.references(&mut |name, is_identity| is_one |= is_identity && is_handle(name, roles));
            let what = "its `handle` is not one of the template's own";
            (!is_one).then(|| (what.to_owned(), "write `{get_resource: NAME}` of an `OS::Heat::WaitConditionHandle`"))
        }
        _ => None,
    }
}

fn is_handle(name: &str, roles: &Roles<'_>) -> bool {
    roles.get(name).is_some_and(|(resource, _)| resource.made_by() == HANDLE)
}

/// Whether an attribute of a resource can never be known here.
pub(crate) fn unknown(resource: &Resource, attribute: &str) -> bool {
    resource.made_by() == HANDLE && attribute != "curl_cli" || resource.made_by() == CONDITION && attribute != "data"
}

/// The servers that cannot signal and the conditions that wait in vain, each with the reason and advice.
pub(crate) fn in_vain<'r>(roles: &Roles<'r>) -> Vec<(&'r str, String, &'static str)> {
    let mut found = Vec::new();
    for (handle, (resource, _)) in roles {
        if resource.made_by() != HANDLE {
            continue;
        }
        let servers = servers_given(handle, roles);
        let (able, unable): (Vec<&str>, Vec<&str>) =
            servers.into_iter().partition(|server| user_data::agent(roles[server].0).is_some());
        for server in &unable {
            let what = format!("it signals `{handle}` with `curl_cli`, which needs wattle's agent on the server");
            found.push((*server, what, "let a component send the signal, or deploy the template with Heat"));
        }
        if !able.is_empty() || !unable.is_empty() {
            continue;
        }
        for (condition, (resource, _)) in roles.iter().filter(|(_, (resource, _))| resource.made_by() == CONDITION) {
            let mut waits = false;
            let given = resource.given("handle").into_iter();
            given.for_each(|given| given.references(&mut |name, _| waits |= name == *handle));
            if waits {
                let what = format!("nothing can signal `{handle}`: no server gets its `curl_cli`");
                found.push((*condition, what, "give it to a component as an input"));
            }
        }
    }
    found
}

/// The servers that get a handle's `curl_cli`, directly or through values and texts.
fn servers_given<'r>(handle: &'r str, roles: &Roles<'r>) -> BTreeSet<&'r str> {
    let mut servers = BTreeSet::new();
    let mut seen: BTreeSet<&str> = BTreeSet::from([handle]);
    let mut next = vec![handle];
    while let Some(from) = next.pop() {
        for (name, (resource, role)) in roles {
            let is_given = resource.all_given().any(|(_, value)| reads(value, from, from == handle));
            if !is_given || !seen.insert(name) {
                continue;
            }
            match role {
                Role::Row if resource.made_by() == Model::SERVER => drop(servers.insert(*name)),
                Role::Value | Role::Config(_) => next.push(name),
                Role::Row | Role::Stack | Role::Nothing => {}
            }
        }
    }
    servers
}

/// Whether a value reads a resource. For a handle, whether the value reads how to signal it.
fn reads(value: &Value, name: &str, is_handle: bool) -> bool {
    let mut found = false;
    value.each(&mut |part| {
        let Value::Open(open) = part else { return };
        found |= match &**open {
            Open::Call(Function::GetResource, Value::Text(read)) => !is_handle && read == name,
            Open::Call(Function::GetAttr, Value::List(way)) => match way.as_slice() {
                [Value::Text(read), Value::Text(attribute), ..] if is_handle => read == name && attribute == "curl_cli",
                [Value::Text(read), ..] => read == name,
                _ => false,
            },
            _ => false,
        };
    });
    found
}
