//! What happens to settings, which are chosen while a blueprint is run. They change nothing by themselves: their
//! effects are among the resources and components.

use serde_yaml::{Mapping, Value};

use crate::model::{IndexMap, IndexSet, Name};

use super::SettingPlan;
use super::state::State;

/// The file that keeps the settings of an emission beside what it wrote.
pub const SETTINGS: &str = "wattle-settings.yaml";

/// The settings in the text of such a file, in the form that `--set` accepts: `cell.name` by its path, `[1, 2]` as YAML.
///
/// # Errors
/// Why it is not such a file.
pub fn settings(text: &str) -> Result<IndexMap<Name, String>, String> {
    serde_yaml::from_str(text).map(|given| flat(&given)).map_err(|error| error.to_string())
}

/// The same for settings that have been read already.
pub(crate) fn flat(given: &Mapping) -> IndexMap<Name, String> {
    let mut found = IndexMap::default();
    add(given, "", &mut found);
    found
}

fn add(given: &Mapping, outer: &str, found: &mut IndexMap<Name, String>) {
    for (key, value) in given {
        let Value::String(key) = key else { continue };
        let name = if outer.is_empty() { key.clone() } else { format!("{outer}.{key}") };
        match value {
            Value::Mapping(inner) if !inner.is_empty() && inner.keys().all(is_step) => add(inner, &name, found),
            value => drop(found.insert(name.into(), text(value))),
        }
    }
}

/// Whether `--set` can name a part by this key.
fn is_step(key: &Value) -> bool {
    key.as_str().is_some_and(|key| !key.is_empty() && key.trim() == key && !key.contains(['.', '=']))
}

/// A value as YAML, in one line.
fn text(value: &Value) -> String {
    let is_plain = |text: &str| {
        text.trim() == text && matches!(serde_yaml::from_str(text), Ok(Value::String(read)) if read == text)
    };
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        Value::Tagged(tagged) => format!("{} {}", tagged.tag, text(&tagged.value)),
        value => serde_json::to_string(value).unwrap_or_else(|_| "?".to_owned()),
    }
}

/// What happens to each setting that has changed. For a first deployment, none has.
pub(super) fn plan(before: Option<&State>, after: &State) -> IndexMap<Name, SettingPlan> {
    before.map(|before| between(&before.settings, &after.settings)).unwrap_or_default()
}

/// The same for settings alone.
pub(crate) fn between(before: &IndexMap<Name, String>, after: &IndexMap<Name, String>) -> IndexMap<Name, SettingPlan> {
    let names: IndexSet<&Name> = after.keys().chain(before.keys()).collect();
    let plans = names
        .into_iter()
        .map(|name| (name.clone(), SettingPlan { from: before.get(name).cloned(), to: after.get(name).cloned() }));
    plans.filter(|(_, plan)| plan.from != plan.to).collect()
}

#[cfg(test)]
mod tests {
    use super::settings;

    #[test]
    fn each_is_as_set_takes_it() {
        let text =
            "a: 5\nb: {c: x y, d: '8', e: {}}\nf: [1, two]\ng: {h.i: 1}\nj: !custom {cores: 4}\nk: null\nl: ''\n";
        let found = settings(text).expect("reads");
        let found: Vec<String> = found.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let expected = [
            "a=5",
            "b.c=x y",
            "b.d=\"8\"",
            "b.e={}",
            "f=[1,\"two\"]",
            "g={\"h.i\":1}",
            "j=!custom {\"cores\":4}",
            "k=null",
            "l=\"\"",
        ];
        assert_eq!(found, expected);
        settings("- 1").expect_err("a list");
    }
}
