//! Compares the `plan` of a change with what Heat and the services do: an unchanged resource keeps its ID, one that changes
//! in place has an event and keeps it, a replaced one has another ID, and Nova itself reports what it did to a server.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use wattle::plan::{Action, Plan, State, plan};
use wattle_runtime::openstack::TemplateSource;

use super::{RealHeat, RealStack, ids};

/// An external view of a stack.
pub struct Looked {
    /// The ID of each resource in the cloud, including those of nested stacks.
    ids: BTreeMap<String, String>,
    /// The number of events of each resource of the stack itself.
    events: BTreeMap<(String, String), usize>,
    /// The number of rebuilds of each server of the stack itself.
    rebuilt: BTreeMap<String, usize>,
}

impl Looked {
    /// Views a stack.
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
            // A resource whose ID is its name, or that of what it connects, keeps its ID even if it is replaced.
            (Some(_), Some(_)) if is_new("CREATE_COMPLETE") => Action::Replace,
            _ if self.rebuilt.get(name) > before.rebuilt.get(name) => Action::Rebuild,
            _ if is_new("UPDATE_COMPLETE") => Action::Update,
            _ => Action::Unchanged,
        }
    }

    /// Deviations from `plan` since then, a line for each resource. `refused` is one that Heat refuses: earlier effects of
    /// that are ignored.
    pub fn differences(&self, before: &Self, plan: &Plan, refused: Option<&str>) -> Vec<String> {
        let mut wrong = Vec::new();
        for (name, resource) in &plan.resources {
            if refused.is_some_and(|refused| refused != &**name) {
                continue;
            }
            let planned = resource.action;
            let (is_so, done) = if name.contains('/') {
                // Actions within nested stacks have their own events, so the IDs have to be enough.
                let (earlier, later) = (before.ids.get(&**name), self.ids.get(&**name));
                let is_so = match planned {
                    Action::Unchanged | Action::Update | Action::Rebuild => earlier == later,
                    Action::Create => earlier.is_none() && later.is_some(),
                    Action::Delete => earlier.is_some() && later.is_none(),
                    // Some resources have a name as their ID, which their replacement has as well.
                    _ => earlier.is_some() && later.is_some(),
                };
                (is_so, format!("{earlier:?}, then {later:?}"))
            } else {
                let done = self.since(before, name);
                // Heat updates every nested stack, and its content decides.
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

/// Whether the observed action matches the planned one.
fn is_one_of(planned: Action, done: Action) -> bool {
    match planned {
        Action::MayUpdate => matches!(done, Action::Unchanged | Action::Update),
        Action::MayRebuild => matches!(done, Action::Unchanged | Action::Update | Action::Rebuild),
        Action::MayReplace => matches!(done, Action::Unchanged | Action::Update | Action::Replace),
        action => action == done,
    }
}

/// The plan of a change to `after`.
pub fn planned(before: &TemplateSource, after: &TemplateSource) -> Plan {
    let state = |source: &TemplateSource| {
        let given = source.environments.iter().map(|(name, text)| (name.clone(), text.clone()));
        let files = given.chain(source.files.clone()).collect();
        State::new(&files, source.given.clone(), None).expect("a state")
    };
    plan(Some(&state(before)), &state(after))
}

/// The same template with a different value of one property of each resource that has a property which can always be
/// changed.
pub fn changed(source: &TemplateSource) -> TemplateSource {
    let mut changed = source.clone();
    for (name, text) in &mut changed.files {
        if name.ends_with(".yaml") || name.ends_with(".json") {
            *text = changed_template(text).unwrap_or_else(|| text.clone());
        }
    }
    changed
}

/// The same for one template, as JSON; `None` if the text is not a template. If nothing can be changed, values are.
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

/// A value that no template of the tests sets for a property of this type.
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
