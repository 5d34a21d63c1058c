//! What browsers are sent, as JSON: the format `wattle-live/1` of docs/live-view.md.

use std::sync::Arc;

use serde_json::{Value, json};
use wattle::model::{IndexMap, Name};
use wattle_agent_core::time::Time;

use crate::clock;
use crate::report::{self, Condition, Exported, Infrastructure, StackSnapshot, Standing, critical_path, roots};
use crate::space::{ServerPlan, Written};

use super::{entry, plan};

/// The format of the events.
const FORMAT: &str = "wattle-live/1";
/// The largest number of causes that are sent.
const CAUSES: usize = 20;

/// Everything at one moment, with each piece as JSON.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// Pieces that exist only once.
    top: IndexMap<&'static str, Arc<str>>,
    servers: Pieces,
    components: Pieces,
    entries: Pieces,
    /// What servers have to do.
    plans: Pieces,
    resources: Pieces,
    // The infrastructure whose resources were serialised, so that each state is serialised only once.
    built: Option<Arc<Infrastructure>>,
    // The plan from which each piece was serialised, so that it is serialised only once.
    of: IndexMap<Name, Arc<ServerPlan>>,
}

type Pieces = IndexMap<Name, Arc<str>>;

impl View {
    /// Makes a view from `snapshot`, the content of the entries, and the infrastructure as it is `built` (or why that
    /// is not known). What `before` already has is reused.
    pub(super) fn of(
        snapshot: &StackSnapshot,
        entries: &IndexMap<Name, Option<Written>>,
        exports: &[(Name, Exported)],
        built: Result<Option<Arc<Infrastructure>>, String>,
        now: Time,
        before: &Self,
    ) -> Self {
        let revision = snapshot.revision();
        let tally = snapshot.tally();
        let text = |value: Value| -> Arc<str> { value.to_string().into() };
        let top = [
            ("stack", json!(snapshot.stack)),
            ("revision", json!(revision)),
            ("applying", json!(snapshot.desired.as_ref().and_then(|desired| desired.applying))),
            ("over", json!(tally.is_over() && tally.all > 0)),
            ("tally", report::json_of_tally(tally)),
            (
                "causes",
                roots(snapshot).iter().take(CAUSES).map(|root| report::json_of_root(root, now)).collect::<Value>(),
            ),
            ("critical", critical_path(snapshot, now).iter().map(hop).collect()),
            ("exports", exports.iter().map(export).collect()),
            ("trouble", Value::Null),
            (
                "infrastructure",
                match &built {
                    Ok(built) => json!(built.as_ref().map(|built| built.to_json())),
                    Err(why) => json!({ "trouble": why }),
                },
            ),
        ];
        let (resources, built) = match built {
            Ok(Some(now)) if before.built.as_ref().is_some_and(|then| Arc::ptr_eq(then, &now)) => {
                (before.resources.clone(), Some(now))
            }
            Ok(Some(now)) => {
                let pieces = now.resources.iter().map(|resource| (resource.key.clone(), text(resource.to_json())));
                (pieces.collect(), Some(now))
            }
            Ok(None) => (Pieces::default(), None),
            Err(_) => (before.resources.clone(), before.built.clone()),
        };
        let plan_of = |server: &Name| snapshot.servers.get(server).and_then(|standing| standing.plan.as_ref());
        let mut plans = Pieces::default();
        let mut of = IndexMap::default();
        for server in snapshot.servers.keys() {
            let Some(plan) = plan_of(server) else { continue };
            let same = before.of.get(server).filter(|before| Arc::ptr_eq(before, plan));
            let written = same.and_then(|_| before.plans.get(server)).cloned();
            plans.insert(server.clone(), written.unwrap_or_else(|| text(plan::json(plan))));
            of.insert(server.clone(), Arc::clone(plan));
        }
        let component = |part: report::Part<'_>| {
            let mut object = report::json_of_condition(part.condition);
            if matches!(part.condition, Condition::Said(_))
                && snapshot.servers.get(part.server).is_some_and(|standing| standing.alive.is_none())
            {
                object["stopped"] = json!(true);
            }
            (Name::from(part.path()), text(object))
        };
        let entry = |(name, held): (&Name, &Option<Written>)| {
            let of = name.split('/').next().and_then(|server| snapshot.revision_of(server));
            (name.clone(), text(entry::json(held.as_ref(), entry::declared(snapshot, name), of.as_ref())))
        };
        Self {
            top: top.into_iter().map(|(key, value)| (key, text(value))).collect(),
            servers: snapshot.servers.iter().map(|(name, standing)| (name.clone(), text(server(standing)))).collect(),
            components: snapshot.parts().map(component).collect(),
            entries: entries.iter().map(entry).collect(),
            plans,
            resources,
            built,
            of,
        }
    }

    /// The same view, with a note that it may no longer be current.
    pub(super) fn in_trouble(&self, why: &str) -> Self {
        let mut view = self.clone();
        view.top.insert("trouble", json!(why).to_string().into());
        view
    }

    /// Whether nothing has been seen yet.
    pub(super) fn is_empty(&self) -> bool {
        self.top.is_empty()
    }

    /// Whether there is such a server, or such a component `SERVER/COMPONENT`.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.servers.contains_key(name) || self.components.contains_key(name)
    }

    /// Whether there is such a server.
    pub(super) fn has_server(&self, name: &str) -> bool {
        self.servers.contains_key(name)
    }

    fn maps(&self) -> [(&'static str, &Pieces); 5] {
        [
            ("servers", &self.servers),
            ("components", &self.components),
            ("plans", &self.plans),
            ("entries", &self.entries),
            ("resources", &self.resources),
        ]
    }

    /// All of it, as one object.
    pub(super) fn whole(&self) -> String {
        let top = self.top.iter().map(|(key, value)| (*key, &**value));
        let maps =
            self.maps().map(|(key, pieces)| (key, object(pieces.iter().map(|(name, piece)| (&**name, &**piece)))));
        let maps = maps.iter().map(|(key, text)| (*key, text.as_str()));
        let format = format!("\"{FORMAT}\"");
        let at = json!(clock::now()).to_string();
        object([("format", format.as_str()), ("at", &at)].into_iter().chain(top).chain(maps))
    }

    /// What has changed since `before`; removed pieces are `null`. `None` if nothing has changed.
    pub(super) fn since(&self, before: &Self) -> Option<String> {
        let changed = self.top.iter().filter(|(key, value)| before.top.get(*key) != Some(*value));
        let mut found: Vec<(&str, String)> = changed.map(|(key, value)| (*key, value.to_string())).collect();
        for ((key, now), (_, then)) in self.maps().into_iter().zip(before.maps()) {
            let new = now.iter().filter(|(name, piece)| then.get(*name) != Some(*piece));
            let new = new.map(|(name, piece)| (&**name, &**piece));
            let gone = then.keys().filter(|name| !now.contains_key(*name)).map(|name| (&**name, "null"));
            let text = object(new.chain(gone));
            if text != "{}" {
                found.push((key, text));
            }
        }
        if found.is_empty() {
            return None;
        }
        let at = json!(clock::now()).to_string();
        Some(object([("at", at.as_str())].into_iter().chain(found.iter().map(|(key, text)| (*key, text.as_str())))))
    }
}

/// A JSON object from values that are JSON already.
fn object<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let pairs = pairs.map(|(key, value)| format!("{}:{value}", json!(key)));
    format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
}

fn export((name, exported): &(Name, Exported)) -> Value {
    match exported {
        Exported::Value(text, former) => json!({ "name": name, "value": text, "revision": former }),
        Exported::Secret => json!({ "name": name, "secret": true }),
        Exported::Unknown => json!({ "name": name }),
    }
}

/// A hop. For one in progress, the time of looking means nothing and is left out.
fn hop(hop: &report::Hop) -> Value {
    let mut object = json!(hop);
    if hop.open
        && let Some(object) = object.as_object_mut()
    {
        object.remove("until");
    }
    object
}

fn server(standing: &Standing) -> Value {
    json!({
        "agent": standing.alive,
        "troubles": standing.some_troubles(),
        "leaving": standing.some_leaving().collect::<Vec<_>>(),
        "finishing": standing.finishing.iter().take(report::FEW).collect::<Vec<_>>(),
        "behind": standing.is_behind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(top: &str, components: &[(&str, &str)]) -> View {
        View {
            top: [("revision", top.into())].into_iter().collect(),
            components: components.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect(),
            ..View::default()
        }
    }

    fn changes(before: &View, after: &View) -> Option<Value> {
        let mut changes: Value = serde_json::from_str(&after.since(before)?).unwrap();
        assert!(changes.as_object_mut().unwrap().remove("at").is_some());
        Some(changes)
    }

    #[test]
    fn only_what_has_changed_is_reported() {
        let before = view("1", &[("a/x", "1"), ("a/y", "2")]);
        assert_eq!(changes(&before, &before.clone()), None);
        let after = view("1", &[("a/x", "3"), ("a/z", "4")]);
        assert_eq!(changes(&before, &after), Some(json!({ "components": { "a/x": 3, "a/z": 4, "a/y": null } })));
        assert_eq!(changes(&before, &view("2", &[("a/x", "1"), ("a/y", "2")])), Some(json!({ "revision": 2 })));
    }

    #[test]
    fn everything_is_one_object() {
        let whole: Value = serde_json::from_str(&view("1", &[("a/\"x", "{}")]).whole()).unwrap();
        assert_eq!(whole["format"], "wattle-live/1");
        assert_eq!(whole["components"]["a/\"x"], json!({}));
        assert_eq!(whole["entries"], json!({}));
    }
}
