//! Merges diagnostics that a loop or a closure of the blueprint causes for each of its servers, so that one mistake yields
//! one diagnostic. For a place in a library's source, adds the module that it belongs to.

use std::collections::HashMap;

use crate::model::{Diagnostic, Label, Model, Source};

/// The most names that a note lists.
const NAMES: usize = 5;

/// Sorts the diagnostics, and merges those that say the same about other names at the same places.
pub(super) fn gathered(model: &Model, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut all: Vec<(Diagnostic, Vec<String>)> = Vec::new();
    for diagnostic in found {
        let others = all.last_mut().and_then(|(first, others)| Some((others, other_name(first, &diagnostic)?)));
        match others {
            Some((others, name)) => others.push(name),
            None => all.push((diagnostic, Vec::new())),
        }
    }
    let modules = Modules::of(model);
    let noted = all.into_iter().map(|(diagnostic, others)| {
        let same = || format!("the same place has the same error for {}", listed(&others));
        if others.is_empty() { diagnostic } else { diagnostic.note(same()) }
    });
    noted.map(|diagnostic| modules.shown(diagnostic)).collect()
}

/// The one name in which `other` differs from `first`, if the two are otherwise equal and at the same places.
fn other_name(first: &Diagnostic, other: &Diagnostic) -> Option<String> {
    let places = |diagnostic: &Diagnostic| diagnostic.labels.iter().map(|label| label.at.clone()).collect::<Vec<_>>();
    let same = first.code == other.code && places(first) == places(other);
    if !same || !first.place().is_some_and(Source::is_known) {
        return None;
    }
    // Names are in backticks.
    let [one, two] = [first, other].map(|diagnostic| diagnostic.message.split('`'));
    let (name, other_name) = one.zip(two).find(|(one, two)| one != two)?;
    let renamed = |text: &String| text.replace(&format!("`{name}`"), &format!("`{other_name}`"));
    let is_same = renamed(&first.message) == other.message
        && first.help.iter().map(renamed).eq(other.help.iter().cloned())
        && first.notes.iter().map(renamed).eq(other.notes.iter().cloned());
    is_same.then(|| other_name.to_owned())
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().take(NAMES).map(|name| format!("`{name}`")).collect();
    match (names.len(), quoted.split_last()) {
        (more, _) if more > NAMES => format!("{} and {} more", quoted.join(", "), more - NAMES),
        (_, Some((last, []))) => last.clone(),
        (_, Some((last, before))) => format!("{} and {last}", before.join(", ")),
        (_, None) => String::new(),
    }
}

/// The modules behind places of the model.
struct Modules<'m> {
    /// The names of the parts added at a place within a module.
    parts: HashMap<&'m Source, Vec<&'m str>>,
    model: &'m Model,
}

impl<'m> Modules<'m> {
    fn of(model: &'m Model) -> Self {
        let mut parts: HashMap<&Source, Vec<&str>> = HashMap::new();
        if !model.modules.is_empty() {
            let properties = model.resources.iter().flat_map(|(name, resource)| {
                let properties = resource.properties.values().map(|binding| &binding.at);
                properties.chain([&resource.at]).map(move |at| (name, at))
            });
            let inputs = model.components.iter().flat_map(|(name, component)| {
                let inputs = component.inputs.values().map(|binding| &binding.at);
                inputs.chain([&component.at]).map(move |at| (name, at))
            });
            let requirements = model.requirements.iter().map(|(name, requirement)| (name, &requirement.at));
            for (name, at) in properties.chain(inputs).chain(requirements).filter(|(name, _)| name.contains('.')) {
                let names = parts.entry(at).or_default();
                if names.last() != Some(&&**name) {
                    names.push(name);
                }
            }
        }
        Self { parts, model }
    }

    /// Adds the place where the author adds the module that the diagnostic is in, as its first place, if the module is from
    /// another crate: the wrong value comes from there.
    fn shown(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let Some(first) = diagnostic.labels.first() else { return diagnostic };
        let Some(names) = self.parts.get(&first.at) else { return diagnostic };
        if self.is_own(&first.at) {
            return diagnostic;
        }
        // A module that is added several times has the same places each time: the message tells which one is meant.
        let is_named = |name: &&&str| diagnostic.message.contains(&format!("`{name}`"));
        let Some(name) = names.iter().find(is_named).or_else(|| names.first().filter(|_| names.len() == 1)) else {
            return diagnostic;
        };
        let ends = name.rmatch_indices('.').map(|(at, _)| &name[..at]);
        let added = ends.filter_map(|name| Some((name, &self.model.modules.get(name)?.at)));
        if let Some((name, at)) = added.into_iter().find(|(_, at)| self.is_own(at)) {
            diagnostic
                .labels
                .insert(0, Label { at: at.clone(), text: format!("through the inputs of the module `{name}`") });
        }
        diagnostic
    }

    /// Whether a place is in the sources of the blueprint's own crate.
    fn is_own(&self, at: &Source) -> bool {
        sources(&at.file) == sources(&self.model.at.file)
    }
}

/// The folder with all sources of a file's crate, in Cargo's layout.
fn sources(file: &str) -> &str {
    match file.rfind("src/") {
        Some(at) => &file[..at],
        None => file.rsplit_once('/').map_or("", |(folder, _)| folder),
    }
}

#[cfg(test)]
mod tests {
    use crate::author::{Exports, Module, RawResource, Topology};
    use crate::check::{Limits, check};
    use crate::model::{Diagnostic, Model, Source};

    fn found(model: &Model) -> Vec<Diagnostic> {
        check(model, &Limits::default())
    }

    fn unlike(names: &[&str]) -> Vec<Diagnostic> {
        let mut t = Topology::new("demo");
        for name in names {
            // One closure has one place.
            t.add(name, RawResource::new("OS::Neutron::Net").property("mtu", "many"));
        }
        let mut model = t.finish(Exports::new());
        let schema = r#"{"props": {"mtu": {"t": "integer"}}}"#;
        model.schemas.insert("OS::Neutron::Net".into(), serde_json::from_str(schema).expect("a schema"));
        found(&model)
    }

    #[test]
    fn what_a_loop_gets_wrong_is_one_mistake() {
        let [one] = &unlike(&["a", "b", "c"])[..] else { panic!("one diagnostic") };
        assert!(one.message.contains("`a`"), "{}", one.message);
        assert_eq!(one.notes, ["the same place has the same error for `b` and `c`"]);
        let [many] = &unlike(&["a", "b", "c", "d", "e", "f", "g"])[..] else { panic!("one diagnostic") };
        assert_eq!(many.notes, ["the same place has the same error for `b`, `c`, `d`, `e`, `f` and 1 more"]);
    }

    #[test]
    fn a_name_may_stand_in_the_help_as_well() {
        let mut t = Topology::new("demo");
        let manager = t.add("db", RawResource::new("OS::Nova::Server"));
        for name in ["a", "b"] {
            let server = RawResource::new("OS::Nova::Server").property("name", manager.attribute::<String>("name"));
            t.add(name, server);
        }
        let mut model = t.finish(Exports::new());
        let sound = crate::check::testing::sound().model;
        model.components = sound.components;
        model.declarations = sound.declarations;
        let of_servers = |one: &&Diagnostic| one.code == "W0303";
        let found = found(&model);
        let found: Vec<_> = found.iter().filter(of_servers).collect();
        let [one] = &found[..] else { panic!("one diagnostic: {found:#?}") };
        assert_eq!(one.notes.last().map(String::as_str), Some("the same place has the same error for `b`"));
    }

    #[test]
    fn other_mistakes_of_one_place_stay_apart() {
        let mut t = Topology::new("demo");
        t.add("net", RawResource::new("OS::Neutron::Net").property("map", [("one", "x"), ("other", "y")]));
        let mut model = t.finish(Exports::new());
        let schema =
            r#"{"props": {"map": {"t": "map", "keys": {"one": {"t": "integer"}, "other": {"t": "boolean"}}}}}"#;
        model.schemas.insert("OS::Neutron::Net".into(), serde_json::from_str(schema).expect("a schema"));
        assert_eq!(found(&model).len(), 2);
    }

    struct Wide(&'static str);

    impl Module for Wide {
        type Outputs = ();

        fn build(self, t: &mut Topology) {
            t.add("net", RawResource::new("OS::Neutron::Net").property("mtu", self.0));
        }
    }

    /// Two modules, one of which gets a wrong value.
    fn modules() -> Model {
        let mut t = Topology::new("demo");
        t.add("left", Wide("1500"));
        t.add("right", Wide("many"));
        let mut model = t.finish(Exports::new());
        let schema = r#"{"props": {"mtu": {"t": "integer"}}}"#;
        model.schemas.insert("OS::Neutron::Net".into(), serde_json::from_str(schema).expect("a schema"));
        model
    }

    #[test]
    fn what_a_module_of_another_crate_is_given_is_shown_where_it_is_given() {
        let mut model = modules();
        for (line, module) in (3..).zip(model.modules.values_mut()) {
            module.at = Source::new("src/main.rs", line, 5);
        }
        model.at = Source::new("src/main.rs", 1, 1);
        let [one] = &found(&model)[..] else { panic!("one diagnostic") };
        assert_eq!(
            (&one.labels[0].at, &*one.labels[0].text),
            (&Source::new("src/main.rs", 4, 5), "through the inputs of the module `right`")
        );
        assert!(one.labels[1].at.file.ends_with("gathered.rs"), "{:?}", one.labels);
    }

    #[test]
    fn what_a_module_of_ones_own_does_is_shown_there() {
        let [one] = &found(&modules())[..] else { panic!("one diagnostic") };
        assert_eq!(one.labels.len(), 1);
    }
}
