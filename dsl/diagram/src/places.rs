//! The places of servers: frames of zones, rooms, racks and hosts around them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::{Deserialize, Serialize};
use wattle_model::Name;
use wattle_model::placement::Level;

use super::{Diagram, Module, Resource};

/// The place of a server, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The availability zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<Name>,
    /// The room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<Name>,
    /// The rack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rack: Option<Name>,
    /// The host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Name>,
}

impl Place {
    /// Its name at a level.
    pub fn at(&self, level: Level) -> Option<&Name> {
        match level {
            Level::Host => self.host.as_ref(),
            Level::Rack => self.rack.as_ref(),
            Level::Room => self.room.as_ref(),
            Level::Zone => self.zone.as_ref(),
        }
    }
}

impl Diagram {
    /// Sets the place of a server. The unqualified name of a server in a nested stack is accepted if it is unambiguous.
    pub fn put(&mut self, server: &str, place: Place) {
        let last = |name: &str| name.rsplit('/').next() == server.rsplit('/').next();
        let is_known = |name: &Name| self.resources.iter().any(|resource| resource.name == *name);
        let known = Name::from(server);
        let mut alike = self.resources.iter().filter(|resource| last(&resource.name)).map(|resource| &resource.name);
        let name = match (alike.next(), alike.next()) {
            (Some(one), None) if !is_known(&known) => one.clone(),
            _ => known,
        };
        self.places.insert(name, place);
    }

    /// The diagram with a frame around the servers of each rack and each host, in place of the frames of their modules.
    /// There are frames of zones and of rooms if there are several. A server with an unknown place stays where it is.
    pub fn framed(&self) -> Cow<'_, Self> {
        let is_server = |resource: &&Resource| self.places.contains_key(&resource.name);
        let known: Vec<&Place> =
            self.resources.iter().filter(is_server).map(|server| &self.places[&server.name]).collect();
        let levels: Vec<Level> = Level::ALL.into_iter().rev().filter(|level| is_drawn(*level, &known)).collect();
        if levels.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut framed = self.clone();
        let mut paths: BTreeSet<Vec<(Level, &Name)>> = BTreeSet::new();
        for server in &mut framed.resources {
            let Some(place) = self.places.get(&server.name) else { continue };
            let path: Vec<(Level, &Name)> =
                levels.iter().filter_map(|level| Some((*level, place.at(*level)?))).collect();
            if path.is_empty() {
                continue;
            }
            server.module = Some(frame(&path));
            for end in 1..=path.len() {
                paths.insert(path[..end].to_vec());
            }
        }
        drop_empty(&mut framed);
        // Each frame comes before those within it, because its path is shorter.
        framed.modules.extend(paths.into_iter().map(|path| {
            let (level, title) = path[path.len() - 1];
            Module {
                name: frame(&path),
                module: (path.len() > 1).then(|| frame(&path[..path.len() - 1])),
                kind: level.word().into(),
                title: Some(title.clone()),
                at: Name::default(),
            }
        }));
        Cow::Owned(framed)
    }
}

/// Whether there are frames of a level: racks and hosts always, larger ones only if there are several.
fn is_drawn(level: Level, places: &[&Place]) -> bool {
    let names: BTreeSet<_> = places.iter().filter_map(|place| place.at(level)).collect();
    names.len() > usize::from(matches!(level, Level::Room | Level::Zone))
}

/// The name of the frame of a place. No other name in a diagram contains blanks.
fn frame(path: &[(Level, &Name)]) -> Name {
    let words: Vec<String> = path.iter().map(|(level, name)| format!("{level} {name}")).collect();
    words.join(", ").into()
}

/// Removes modules that are empty.
fn drop_empty(diagram: &mut Diagram) {
    let mut used: HashSet<Name> = HashSet::new();
    let around: BTreeMap<&Name, Option<&Name>> =
        diagram.modules.iter().map(|module| (&module.name, module.module.as_ref())).collect();
    for resource in &diagram.resources {
        let mut at = resource.module.as_ref();
        while let Some(name) = at.filter(|name| !used.contains(*name)) {
            used.insert(name.clone());
            at = around.get(name).copied().flatten();
        }
    }
    diagram.modules.retain(|module| used.contains(&module.name));
}

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;

    fn place(zone: &str, rack: &str, host: &str) -> Place {
        let name = |text: &str| Some(text).filter(|text| !text.is_empty()).map(Name::from);
        Place { zone: name(zone), room: None, rack: name(rack), host: name(host) }
    }

    fn diagram(servers: &[&str]) -> Diagram {
        let mut diagram = Diagram::new("shop");
        let module =
            Module { name: "cell".into(), module: None, kind: "Cell".into(), title: None, at: Name::default() };
        diagram.modules.push(module);
        for name in servers {
            let mut server = Resource::new(*name, "OS::Nova::Server", Role::ServerBox);
            server.module = Some("cell".into());
            diagram.resources.push(server);
        }
        diagram
    }

    /// The frames with their content.
    fn shown(diagram: &Diagram) -> Vec<String> {
        let of = |name: Option<&Name>| {
            let modules = diagram.modules.iter().filter(|module| module.module.as_ref() == name);
            let servers = diagram.resources.iter().filter(|server| server.module.as_ref() == name);
            let inside = modules.map(|module| module.title.clone().unwrap_or_else(|| module.name.clone()));
            inside.chain(servers.map(|server| server.name.clone())).collect::<Vec<_>>().join(" ")
        };
        let all = diagram.modules.iter().map(|module| format!("{}: {}", module.name, of(Some(&module.name))));
        std::iter::once(format!(": {}", of(None))).chain(all).collect()
    }

    #[test]
    fn racks_and_hosts_are_around_their_servers() {
        let mut all = diagram(&["web", "db", "app"]);
        all.put("web", place("nova", "r2", "c.example.org"));
        all.put("db", place("nova", "r1", "a"));
        all.put("app", place("nova", "r1", "a"));
        assert_eq!(
            shown(&all.framed()),
            [
                ": r1 r2",
                "rack r1: a",
                "rack r1, host a: db app",
                "rack r2: c.example.org",
                "rack r2, host c.example.org: web"
            ]
        );
    }

    #[test]
    fn what_is_not_known_stays_in_its_module_and_zones_show_if_there_are_several() {
        let mut all = diagram(&["web", "db", "app"]);
        assert!(matches!(all.framed(), Cow::Borrowed(_)));
        all.put("web", place("az1", "", "h1"));
        all.put("db", place("az2", "", ""));
        assert_eq!(
            shown(&all.framed()),
            [": cell az1 az2", "cell: app", "zone az1: h1", "zone az1, host h1: web", "zone az2: db"]
        );
    }

    #[test]
    fn servers_of_nested_stacks_are_known_by_their_own_names() {
        let mut all = diagram(&["web", "db"]);
        all.put("part1/db", place("", "", "h1"));
        assert_eq!(shown(&all.framed()), [": cell h1", "cell: web", "host h1: db"]);
    }
}
