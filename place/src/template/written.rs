//! Writes the places of servers into the template's files.

use std::collections::BTreeMap;

use wattle_heat::yaml::Node;
use wattle_heat::{Loaded, template};
use wattle_model::{Diagnostic, IndexMap, Source, Value};
use wattle_words::names::some;

use crate::codes::{LEFT, UNKNOWN};

use super::edit::Text;
use super::guarantee::Group;
use super::servers::Servers;
use super::{Order, Way, Where};

/// The changed files. A server whose text cannot be changed is left to Nova and reported.
pub(super) fn files(
    order: Order<'_>,
    servers: &Servers,
    all: &mut [Where],
    groups: &[Group],
    found: &mut Vec<Diagnostic>,
) -> Result<Vec<(String, String)>, Vec<Diagnostic>> {
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (file, _) in servers.all.iter().filter_map(|one| one.own.as_ref()) {
        texts.entry(file.clone()).or_insert_with(|| (order.text)(file));
    }
    let mut files = Vec::new();
    for (file, text) in &texts {
        let (Some(text), Some(root)) = (text, root(order.loaded, file)) else { continue };
        let mut edited = Edited { text: Text::of(text), expected: root.constant() };
        for (one, place) in servers.all.iter().zip(all.iter_mut()) {
            let Some((_, definition)) = one.own.as_ref().filter(|(own, _)| own == file) else { continue };
            let zone = match place.way {
                // Keep the author's own words.
                Way::Host if one.asks.host.is_some() => None,
                Way::Host => Some(format!("{}:{}", place.host.zone, place.host.name)),
                Way::Zone | Way::Nova => Some(place.host.zone.clone()),
                Way::Stays | Way::Somewhere => one
                    .runs
                    .as_ref()
                    .and_then(|runs| runs.asked.clone())
                    .filter(|asked| one.zone.as_ref() != Some(asked)),
            };
            let of_group = groups.iter().find(|group| group.members.contains(&one.asks.name));
            if zone.is_none() && of_group.is_none() {
                continue;
            }
            if edited.place(definition, &one.asks.name, zone.as_deref(), of_group).is_none() {
                place.way = Way::Nova;
            }
        }
        for group in groups.iter().filter(|group| group.file == *file) {
            edited.add(root, group);
        }
        let Some(text) = edited.text.finish(&edited.expected) else {
            let message = format!("the places of the servers cannot be written into `{file}`");
            let diagnostic = UNKNOWN.about.diagnostic(message);
            let label = "a value with an anchor (`&`) is the same wherever it is referred to";
            let at = Source { file: file.clone().into(), line: 1, column: 1 };
            return Err(vec![diagnostic.label(&at, label).help("write each server's properties out, without anchors")]);
        };
        files.push((file.clone(), text));
    }
    left(servers, all, found);
    Ok(files)
}

fn root<'l>(loaded: &'l Loaded, file: &str) -> Option<&'l Node> {
    if *loaded.template.file == *file {
        return Some(&loaded.template.root);
    }
    loaded.library.templates.get(file).map(|nested| &nested.template.root)
}

/// A file that is being edited, and its intended meaning.
struct Edited<'t> {
    text: Text<'t>,
    expected: Value,
}

impl Edited<'_> {
    /// Gives a server its zone and its group. `None` if its properties are written somewhere else.
    fn place(
        &mut self,
        definition: &template::Resource,
        full: &str,
        zone: Option<&str>,
        group: Option<&Group>,
    ) -> Option<()> {
        let (whole, properties) = (definition.node.span, definition.properties.as_ref()?);
        let is_own = (whole.start..=whole.end).contains(&properties.span.start);
        let name = full.rsplit('/').next().unwrap_or(full);
        if !is_own
            || whole.start < definition.name_span.start
            || !self.text.stands(&definition.node)
            || !self.text.stands(properties)
        {
            return None;
        }
        let own = self.properties(name)?;
        if let Some(zone) = zone {
            own.insert("availability_zone".into(), zone.into());
        }
        if let Some(group) = group {
            own.insert("scheduler_hints".into(), map([("group", map([("get_resource", group.name.as_str().into())]))]));
        }
        if let Some(group) = group {
            let hints = format!("{{\"group\": {{\"get_resource\": {}}}}}", super::edit::quoted(&group.name));
            self.text.insert(properties, "scheduler_hints", &hints)?;
        }
        match zone {
            Some(zone) => self.text.set(properties, "availability_zone", zone),
            None => Some(()),
        }
    }

    fn properties(&mut self, name: &str) -> Option<&mut IndexMap<wattle_model::Name, Value>> {
        let mut at = &mut self.expected;
        for key in ["resources", name, "properties"] {
            let Value::Map(items) = at else { return None };
            at = items.get_mut(key)?;
        }
        match at {
            Value::Map(items) => Some(items),
            _ => None,
        }
    }

    /// Adds a server group.
    fn add(&mut self, root: &Node, group: &Group) {
        let Some(resources) = root.get("resources") else { return };
        let (kind, policy) = ("OS::Nova::ServerGroup", &*group.policy);
        let text = format!("{{\"type\": \"{kind}\", \"properties\": {{\"policies\": [\"{policy}\"]}}}}");
        let value = map([("type", kind.into()), ("properties", map([("policies", Value::List(vec![policy.into()]))]))]);
        if let Value::Map(items) = &mut self.expected
            && let Some(Value::Map(items)) = items.get_mut("resources")
            && self.text.insert(resources, &group.name, &text).is_some()
        {
            items.insert(group.name.as_str().into(), value);
        }
    }
}

fn map<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::Map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

/// Reports the servers that are left to Nova. Those written at one place are reported together.
fn left(servers: &Servers, all: &[Where], found: &mut Vec<Diagnostic>) {
    let mut by_place: IndexMap<&Source, Vec<&Where>> = IndexMap::default();
    for (one, place) in servers.all.iter().zip(all).filter(|(_, place)| place.way == Way::Nova) {
        by_place.entry(&one.asks.at).or_default().push(place);
    }
    for (at, of) in by_place {
        let names = some(of.iter().map(|one| &*one.server), 6);
        let (verb, them) = if of.len() == 1 { ("is", "it") } else { ("are", "them") };
        let hosts: std::collections::BTreeSet<&str> = of.iter().map(|one| &*one.host.name).collect();
        let why = if of[0].server.contains('/') {
            "members of a group, and servers of a nested template that is used several times, are written only once"
        } else {
            "its properties are written elsewhere and come from an alias or a merge"
        };
        let diagnostic = LEFT.about.diagnostic(format!("{names} {verb} left to Nova")).label(at, why);
        found.push(diagnostic.note(format!("room for {them} is reserved on {}", some(hosts, 6))));
    }
}
