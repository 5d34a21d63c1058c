//! Compares `plan`'s report of a change to what Heat and the services then do: an unchanged resource keeps its id, an
//! updated one has an event and keeps it, a replaced one has another, and Nova lists its actions on a server.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use wattle::plan::{Action, Plan, State, plan};
use wattle_runtime::openstack::TemplateSource;

use super::{RealHeat, RealStack, ids};

/// The external state of a stack.
pub struct Looked {
    /// The id of each resource in the cloud, including those of nested stacks.
    ids: BTreeMap<String, String>,
    /// The number of actions on each resource of the stack itself.
    events: BTreeMap<(String, String), usize>,
    /// The number of rebuilds of each server of the stack itself.
    rebuilt: BTreeMap<String, usize>,
}

impl Looked {
    /// Reads the state of a stack.
    pub fn at(heat: &RealHeat, stack: &RealStack<'_>) -> Self {
        let tree = stack.tree();
        let servers = tree.resources.values().filter(|resource| &*resource.kind == "OS::Nova::Server");
        let rebuilt = servers.map(|server| {
            let done = heat.ask("compute", &format!("/servers/{}/os-instance-actions", server.phys));
            let done = done["instanceActions"].as_array().expect("a list").clone();
            let count = done.iter().filter(|action| action["action"] == "rebuild").count();
            (server.path.to_string(), count)
        });
        let rebuilt = rebuilt.collect();
        Self { ids: ids(&tree), events: stack.events(), rebuilt }
    }

    /// The action on a resource since then.
    pub fn since(&self, before: &Self, name: &str) -> Action {
        let events = |looked: &Self, status: &str| {
            looked.events.get(&(name.to_owned(), status.to_owned())).copied().unwrap_or_default()
        };
        let is_new = |status: &str| events(self, status) > events(before, status);
        if is_new("UPDATE_FAILED") {
            return Action::Refused;
        }
        match (before.ids.get(name), self.ids.get(name)) {
            (None, Some(_)) => Action::Create,
            (Some(_), None) => Action::Delete,
            // A resource identified by its name, or by what it joins, may be replaced under the same id, or have a new
            // one although it stays.
            (Some(_), Some(_)) if is_new("CREATE_COMPLETE") => Action::Replace,
            _ if self.rebuilt.get(name) > before.rebuilt.get(name) => Action::Rebuild,
            _ if is_new("UPDATE_COMPLETE") => Action::Update,
            _ => Action::Unchanged,
        }
    }

    /// The actions since then that differ from `plan`, a line for each resource. `refused` is one that Heat refuses:
    /// actions that Heat began before are ignored.
    pub fn differences(&self, before: &Self, plan: &Plan, refused: Option<&str>) -> Vec<String> {
        let mut wrong = Vec::new();
        for (name, resource) in &plan.resources {
            if refused.is_some_and(|refused| refused != &**name) {
                continue;
            }
            let planned = resource.action;
            let (is_so, done) = if name.contains('/') {
                // Resources in nested stacks have events of their own; compare their ids.
                let (earlier, later) = (before.ids.get(&**name), self.ids.get(&**name));
                let stays = matches!(planned, Action::Unchanged | Action::Update | Action::Rebuild);
                (!stays || earlier == later, format!("{earlier:?}, then {later:?}"))
            } else {
                let done = self.since(before, name);
                // Heat updates every nested stack, and its contents decide.
                let is_stack = self.ids.keys().any(|path| path.starts_with(&format!("{name}/")));
                let is_asked_again = is_stack && (planned, done) == (Action::Unchanged, Action::Update);
                (is_asked_again || is_one_of(planned, done), format!("{done:?}"))
            };
            if !is_so {
                wrong.push(format!("of {name} the plan says {planned:?}, and done was {done}"));
            }
        }
        wrong
    }
}

/// Whether the action matches the planned one.
fn is_one_of(planned: Action, done: Action) -> bool {
    match planned {
        Action::MayUpdate => matches!(done, Action::Unchanged | Action::Update),
        Action::MayRebuild => matches!(done, Action::Unchanged | Action::Update | Action::Rebuild),
        Action::MayReplace => matches!(done, Action::Unchanged | Action::Update | Action::Replace),
        action => action == done,
    }
}

/// The plan for an update to `after`.
pub fn planned(before: &TemplateSource, after: &TemplateSource) -> Plan {
    let state = |source: &TemplateSource| {
        let given = source.environments.iter().map(|(name, text)| (name.clone(), text.clone()));
        let files = given.chain(source.files.clone()).collect();
        State::new(&files, source.given.clone(), None).expect("a state")
    };
    plan(Some(&state(before)), &state(after))
}

/// The same source with a new value for one property of each resource that can be changed in any template.
pub fn changed(source: &TemplateSource) -> TemplateSource {
    let mut changed = source.clone();
    for (name, text) in &mut changed.files {
        if name.ends_with(".yaml") || name.ends_with(".json") {
            *text = changed_template(text).unwrap_or_else(|| text.clone());
        }
    }
    changed
}

/// Changes one template, as JSON; `None` if the text is not a template. If nothing can be changed, changes values.
pub fn changed_template(text: &str) -> Option<String> {
    let mut template = json!(wattle_heat::yaml::read(text).ok()?.constant());
    template.get("heat_template_version")?;
    let mut resources: Vec<&mut Value> = template["resources"].as_object_mut()?.values_mut().collect();
    let mut is_changed = false;
    for resource in &mut resources {
        if let Some((property, value)) = resource["type"].as_str().and_then(another) {
            resource["properties"][property] = value;
            is_changed = true;
        }
    }
    for resource in resources.into_iter().filter(|resource| !is_changed && resource["type"] == "OS::Heat::Value") {
        if resource["properties"].get("type").is_none() {
            resource["properties"]["value"] = json!("changed");
        }
    }
    Some(template.to_string())
}

/// A value that no template of the tests uses for a property of this type.
fn another(ty: &str) -> Option<(&'static str, Value)> {
    Some(match ty {
        "OS::Nova::Server" => ("metadata", json!({ "changed": "yes" })),
        "OS::Cinder::Volume" | "OS::Neutron::SecurityGroup" => ("description", json!("changed")),
        "OS::Neutron::Net" | "OS::Neutron::Port" | "OS::Neutron::Router" | "OS::Neutron::Subnet" => {
            ("tags", json!(["changed"]))
        }
        "OS::Heat::TestResource" => ("value", json!("changed")),
        "OS::Heat::RandomString" => ("length", json!(20)),
        "OS::Heat::None" => ("changed", json!("yes")),
        _ => return None,
    })
}
