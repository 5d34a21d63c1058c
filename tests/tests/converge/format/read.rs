//! Reads a file of scenarios. Reports all faults at once, each with its scenario and step.

use std::collections::{BTreeMap, BTreeSet};

use serde_yaml::{Mapping, Value as Yaml};
use wattle::model::{Name, Value};

use super::{At, Change, Expect, NOTHING, Scenario, Step, Taken};
use crate::template::{Property, Resource, Template, dependencies};

/// The only version of the format.
const FORMAT: &str = "convergence-scenarios/1";

/// Reads a file's text.
///
/// # Errors
///
/// All faults in it.
pub(crate) fn scenarios(text: &str) -> Result<Vec<Scenario>, Vec<String>> {
    let yaml: Yaml = serde_yaml::from_str(text).map_err(|error| vec![format!("this is not YAML: {error}")])?;
    let mut reader = Reader { problems: Vec::new() };
    let file = reader.map("the file", &yaml, &["format", "legend", "scenarios"]);
    match file.get("format").copied().and_then(Yaml::as_str) {
        Some(FORMAT) => {}
        Some(other) => {
            reader.problem("the file", format!("its format is `{other}`, and `{FORMAT}` is what can be read"));
        }
        None => reader.problem("the file", format!("`format: {FORMAT}` is missing")),
    }
    let list = file.get("scenarios").map_or(&[][..], |list| reader.list("`scenarios`", list));
    if list.is_empty() {
        reader.problem("the file", "it has no scenarios");
    }
    let mut names = BTreeSet::new();
    let scenarios: Vec<Scenario> = list.iter().enumerate().map(|(place, yaml)| reader.scenario(place, yaml)).collect();
    for scenario in &scenarios {
        if !names.insert(&scenario.name) {
            reader.problem("the file", format!("two scenarios have the name `{}`", scenario.name));
        }
    }
    if reader.problems.is_empty() { Ok(scenarios) } else { Err(reader.problems) }
}

struct Reader {
    problems: Vec<String>,
}

/// A map's entries by key.
type Entries<'a> = BTreeMap<&'a str, &'a Yaml>;

impl Reader {
    fn problem(&mut self, at: &str, what: impl Into<String>) {
        self.problems.push(format!("{at}: {}", what.into()));
    }

    /// The entries of a map. With `known`, other keys are errors.
    fn entries<'a>(&mut self, at: &str, yaml: &'a Yaml) -> Entries<'a> {
        let empty = || {
            static NONE: std::sync::OnceLock<Mapping> = std::sync::OnceLock::new();
            NONE.get_or_init(Mapping::new)
        };
        let map = match yaml {
            Yaml::Mapping(map) => map,
            other => {
                self.problem(at, format!("expected a map, found {}", kind(other)));
                empty()
            }
        };
        let mut entries = Entries::new();
        for (key, value) in map {
            match key.as_str() {
                Some(key) => drop(entries.insert(key, value)),
                None => self.problem(at, format!("expected text as a key, found {}", kind(key))),
            }
        }
        entries
    }

    fn map<'a>(&mut self, at: &str, yaml: &'a Yaml, known: &[&str]) -> Entries<'a> {
        let entries = self.entries(at, yaml);
        for key in entries.keys().filter(|key| !known.contains(key)) {
            let known = known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            self.problem(at, format!("unknown key `{key}`; known are {known}"));
        }
        entries
    }

    fn list<'a>(&mut self, at: &str, yaml: &'a Yaml) -> &'a [Yaml] {
        match yaml {
            Yaml::Sequence(list) => list,
            other => {
                self.problem(at, format!("expected a list, found {}", kind(other)));
                &[]
            }
        }
    }

    fn text(&mut self, at: &str, yaml: &Yaml) -> Name {
        match yaml {
            Yaml::String(text) => text.as_str().into(),
            other => {
                self.problem(at, format!("expected text, found {}", kind(other)));
                "".into()
            }
        }
    }

    fn texts(&mut self, at: &str, yaml: &Yaml) -> Vec<Name> {
        self.list(at, yaml).iter().map(|item| self.text(at, item)).collect()
    }

    fn count(&mut self, at: &str, yaml: &Yaml) -> usize {
        let number = yaml.as_u64().and_then(|number| usize::try_from(number).ok());
        number.unwrap_or_else(|| {
            self.problem(at, format!("expected a number of things, found {}", kind(yaml)));
            0
        })
    }

    fn counts(&mut self, at: &str, yaml: &Yaml, names: &BTreeSet<Name>) -> BTreeMap<Name, usize> {
        let entries = self.entries(at, yaml);
        entries.into_iter().map(|(name, count)| (self.known(at, name, names), self.count(at, count))).collect()
    }

    /// A name that occurs in some template.
    fn known(&mut self, at: &str, name: &str, names: &BTreeSet<Name>) -> Name {
        if !names.contains(name) {
            self.problem(at, format!("no template has a resource `{name}`"));
        }
        name.into()
    }

    fn scenario(&mut self, place: usize, yaml: &Yaml) -> Scenario {
        let named = yaml.get("name").and_then(Yaml::as_str);
        let at = named.map_or_else(|| format!("scenario {}", place + 1), |name| format!("scenario `{name}`"));
        let entries = self.map(&at, yaml, &["name", "about", "templates", "steps", "final"]);
        if named.is_none() {
            self.problem(&at, "it has no `name`");
        }
        let mut templates = BTreeMap::from([(Name::from(NOTHING), Template::default())]);
        for (name, template) in entries.get("templates").map(|yaml| self.entries(&at, yaml)).unwrap_or_default() {
            if name == NOTHING {
                self.problem(&at, format!("`{NOTHING}` is the empty template and cannot be another one"));
            }
            let template = self.template(&format!("{at}, template `{name}`"), template);
            templates.insert(name.into(), template);
        }
        let mut replace_on: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
        for (name, resource) in templates.values().flat_map(|template| &template.resources) {
            replace_on.entry(name.clone()).or_default().extend(resource.replace_on.iter().cloned());
        }
        templates.values_mut().for_each(|template| template.replace_on = replace_on.clone());
        let resources: BTreeSet<Name> =
            templates.values().flat_map(|template| template.resources.keys().cloned()).collect();
        let mut remembered = BTreeSet::new();
        let steps = entries.get("steps").map_or(&[][..], |yaml| self.list(&at, yaml));
        if steps.is_empty() {
            self.problem(&at, "it has no `steps`");
        }
        let steps = steps
            .iter()
            .enumerate()
            .filter_map(|(number, step)| {
                let at = format!("{at}, step {}", number + 1);
                self.step(&at, step, &templates, &resources, &mut remembered)
            })
            .collect();
        let end = entries.get("final").and_then(|yaml| {
            let at = format!("{at}, `final`");
            let entries = self.map(&at, yaml, &["reality"]);
            Some(self.counts(&at, entries.get("reality")?, &resources))
        });
        let end = end.map(|counts| counts.into_iter().filter(|(_, count)| *count > 0).collect());
        Scenario { name: named.unwrap_or("?").to_owned(), templates, steps, end }
    }

    fn template(&mut self, at: &str, yaml: &Yaml) -> Template {
        let mut template = Template::default();
        for (name, resource) in self.entries(at, yaml) {
            let resource = self.resource(&format!("{at}, `{name}`"), resource);
            template.resources.insert(name.into(), resource);
        }
        for (name, resource) in &template.resources {
            let at = format!("{at}, `{name}`");
            for dependency in dependencies(resource) {
                if !template.resources.contains_key(&dependency) {
                    self.problem(&at, format!("it depends on `{dependency}`, which the template does not have"));
                }
            }
            for (key, property) in &resource.props {
                let Property::Attr(other, read) = property else { continue };
                if template.resources.get(other).is_some_and(|other| !other.props.contains_key(read)) {
                    self.problem(&at, format!("`{key}` reads `{read}` of `{other}`, which has no such property"));
                }
            }
        }
        template
    }

    fn resource(&mut self, at: &str, yaml: &Yaml) -> Resource {
        let entries = self.map(at, yaml, &["props", "replace_on", "after"]);
        let props = entries.get("props").map(|yaml| self.entries(at, yaml)).unwrap_or_default();
        let props: BTreeMap<Name, Property> = props
            .into_iter()
            .map(|(key, value)| (key.into(), self.property(&format!("{at}, `{key}`"), value)))
            .collect();
        let mut texts =
            |key: &str| entries.get(key).map(|yaml| self.texts(&format!("{at}, `{key}`"), yaml)).unwrap_or_default();
        let (replace_on, after) = (texts("replace_on").into_iter().collect(), texts("after"));
        Resource { props, replace_on, after }
    }

    fn property(&mut self, at: &str, yaml: &Yaml) -> Property {
        match yaml {
            Yaml::Sequence(items) => Property::List(items.iter().map(|item| self.property(at, item)).collect()),
            Yaml::Mapping(map) => {
                let entries = self.entries(at, yaml);
                match (map.len(), entries.get("ref"), entries.get("attr")) {
                    (1, Some(name), _) => Property::Ref(self.text(at, name)),
                    (1, _, Some(pair)) => match &self.texts(at, pair)[..] {
                        [name, property] => Property::Attr(name.clone(), property.clone()),
                        other => {
                            self.problem(
                                at,
                                format!("`attr` is a resource and its property, and not a list of {}", other.len()),
                            );
                            Property::Literal(Value::Null)
                        }
                    },
                    _ => Property::Map(
                        entries.into_iter().map(|(key, item)| (key.into(), self.property(at, item))).collect(),
                    ),
                }
            }
            literal => {
                let value = serde_yaml::from_value(literal.clone());
                Property::Literal(value.unwrap_or_else(|error| {
                    self.problem(at, error.to_string());
                    Value::Null
                }))
            }
        }
    }

    fn step(
        &mut self,
        at: &str,
        yaml: &Yaml,
        templates: &BTreeMap<Name, Template>,
        names: &BTreeSet<Name>,
        remembered: &mut BTreeSet<Name>,
    ) -> Option<Step> {
        // The keys after `ticks` are expectations, which a step may also contain directly.
        const WORDS: [&str; 12] = [
            "create", "update", "rollback", "delete", "expect", "ticks", "matches", "total", "count", "remember",
            "same", "differs",
        ];
        let known: Vec<&str> = WORDS.into_iter().chain(["at"]).collect();
        let entries = self.map(at, yaml, &known);
        let words: Vec<&'static str> = WORDS.into_iter().filter(|word| entries.contains_key(word)).collect();
        let [word] = words[..] else {
            let all = WORDS.map(|word| format!("`{word}`")).join(", ");
            self.problem(at, format!("a step has one of {all}; this one has {}", words.len()));
            return None;
        };
        let given = entries[word];
        let taken = match word {
            "create" | "update" => {
                let template = self.text(at, given);
                self.is_template(at, &template, templates);
                Taken::Desire(template)
            }
            "rollback" | "delete" => {
                if given.as_bool() != Some(true) {
                    self.problem(at, format!("`{word}` is `true`, or the step is not there"));
                }
                if word == "delete" { Taken::Desire(NOTHING.into()) } else { Taken::Rollback }
            }
            "ticks" => {
                self.count(at, given);
                Taken::Ticks
            }
            "expect" => {
                let entries = self.map(at, given, &["matches", "total", "count", "remember", "same", "differs"]);
                if entries.is_empty() {
                    self.problem(at, "it expects nothing");
                }
                Taken::Expect(self.expect(at, &entries, templates, names, remembered))
            }
            _ => Taken::Expect(self.expect(at, &entries, templates, names, remembered)),
        };
        let moment = entries.get("at").map(|yaml| self.at(&format!("{at}, `at`"), yaml, names));
        if moment.is_some() && taken == Taken::Ticks {
            self.problem(at, "`ticks` has no `at`");
        }
        Some(Step { word, taken, at: moment })
    }

    fn is_template(&mut self, at: &str, template: &Name, templates: &BTreeMap<Name, Template>) {
        if !templates.contains_key(template) {
            let known = templates.keys().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            self.problem(at, format!("there is no template `{template}`; there are {known}"));
        }
    }

    fn expect(
        &mut self,
        at: &str,
        entries: &Entries<'_>,
        templates: &BTreeMap<Name, Template>,
        names: &BTreeSet<Name>,
        remembered: &mut BTreeSet<Name>,
    ) -> Expect {
        let matches = entries.get("matches").map(|yaml| self.text(at, yaml));
        if let Some(template) = &matches {
            self.is_template(at, template, templates);
        }
        let pairs = |reader: &mut Self, key: &str| -> BTreeMap<Name, Name> {
            let pairs = entries.get(key).map(|yaml| reader.entries(at, yaml)).unwrap_or_default();
            pairs.into_iter().map(|(key, value)| (key.into(), reader.text(at, value))).collect()
        };
        let (remember, same, differs) = (pairs(self, "remember"), pairs(self, "same"), pairs(self, "differs"));
        for (key, name) in &remember {
            self.known(at, name, names);
            remembered.insert(key.clone());
        }
        for (name, key) in same.iter().chain(&differs) {
            self.known(at, name, names);
            if !remembered.contains(key) {
                self.problem(at, format!("nothing is remembered as `{key}` by then"));
            }
        }
        Expect {
            matches,
            total: entries.get("total").map(|yaml| self.count(at, yaml)),
            count: entries.get("count").map(|yaml| self.counts(at, yaml, names)).unwrap_or_default(),
            remember,
            same,
            differs,
        }
    }

    fn at(&mut self, at: &str, yaml: &Yaml, names: &BTreeSet<Name>) -> At {
        if yaml.as_str() == Some("idle") {
            return At::Idle;
        }
        if let Some(text) = yaml.as_str() {
            self.problem(at, format!("it is `idle` or a map, and not `{text}`"));
            return At::Idle;
        }
        let entries = self.map(at, yaml, &["done", "one_of", "seen", "open", "allocated"]);
        let changes = |reader: &mut Self, key: &str| -> Vec<Change> {
            let at = format!("{at}, `{key}`");
            let texts = entries.get(key).map(|yaml| reader.texts(&at, yaml)).unwrap_or_default();
            texts.iter().filter_map(|text| reader.change(&at, text, names)).collect()
        };
        let (done, one_of) = (changes(self, "done"), changes(self, "one_of"));
        let of_names = |reader: &mut Self, key: &str| -> Vec<Name> {
            let at = format!("{at}, `{key}`");
            let texts = entries.get(key).map(|yaml| reader.texts(&at, yaml)).unwrap_or_default();
            texts.iter().map(|name| reader.known(&at, name, names)).collect()
        };
        // `seen` and `allocated` have no effect here: things that need no change are seen immediately, and rows without
        // a thing exist only while the thing is being created.
        of_names(self, "seen");
        let open = of_names(self, "open");
        if let Some(yaml) = entries.get("allocated") {
            self.counts(at, yaml, names);
        }
        At::Moment { done, one_of, open }
    }

    fn change(&mut self, at: &str, text: &str, names: &BTreeSet<Name>) -> Option<Change> {
        let Some((verb @ ("create" | "update" | "delete"), name)) = text.split_once(' ') else {
            self.problem(at, format!("expected `create`, `update` or `delete` and a name, found `{text}`"));
            return None;
        };
        Some(Change { verb: verb.to_owned(), name: self.known(at, name, names) })
    }
}

fn kind(yaml: &Yaml) -> &'static str {
    match yaml {
        Yaml::Null => "nothing",
        Yaml::Bool(_) => "a boolean",
        Yaml::Number(_) => "a number",
        Yaml::String(_) => "text",
        Yaml::Sequence(_) => "a list",
        Yaml::Mapping(_) => "a map",
        Yaml::Tagged(_) => "a value with a tag",
    }
}
