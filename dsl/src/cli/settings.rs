//! Settings, which are chosen while building, from `--config` and `--set`.

use std::path::Path;

use serde_yaml::{Mapping, Value};

use crate::author::Blueprint;
use crate::manners::reason;
use crate::names::{did_you_mean, list, meant, nearest};

use super::chosen::Chosen;
use super::help;
use super::shape::{self, Place, Shape, Step};
use crate::manners::CommandError;

/// The configuration: the settings of the file, overridden by those of `--set` in order. Also returns the given settings.
pub(crate) fn config<B: Blueprint>(file: Option<&Path>, set: &[String]) -> Result<(B::Config, Chosen), CommandError> {
    let settings = Settings { blueprint: B::NAME, at: shape::at::<B::Config>, is_parameter: help::is_parameter::<B> };
    let whole = shape::at::<B::Config>(&[]).shape;
    if !matches!(whole, Shape::Settings(_) | Shape::Map | Shape::Unknown) {
        let failure = CommandError::usage(format!("the configuration of the blueprint `{}` is not a struct", B::NAME));
        return Err(failure
            .note(format!("it takes {whole}, and settings are given by name"))
            .help("make it a struct with `#[derive(Deserialize)]`, `#[serde(default)]` and a `Default`"));
    }
    let given = settings.given(file, set)?;
    if given.is_empty() {
        return Ok((B::Config::default(), Chosen::default()));
    }
    let mut ignored = Vec::new();
    let config = serde_ignored::deserialize(Value::Mapping(given.clone()), |path| ignored.push(path.to_string()));
    // Names that serde ignores within parts whose names cannot be probed.
    if let Some(name) = ignored.first() {
        return Err(CommandError::usage(format!("unknown setting `{}`", name.replace(".?", ""))));
    }
    let config = config.map_err(|error: serde_yaml::Error| {
        let fits_without = |name: &&String| {
            let mut rest = given.clone();
            rest.shift_remove(name.as_str());
            serde_yaml::from_value::<B::Config>(Value::Mapping(rest)).is_ok()
        };
        let names = given.keys().filter_map(|key| match key {
            Value::String(name) => Some(name),
            _ => None,
        });
        refused(&error.to_string(), names.into_iter().find(fits_without))
    })?;
    Ok((config, Chosen(given)))
}

/// serde's error about a value that passed the earlier checks.
fn refused(error: &str, setting: Option<&String>) -> CommandError {
    if let Some(missing) = error.strip_prefix("missing field ") {
        let name = missing.trim_matches('`');
        return CommandError::usage(format!("the setting `{name}` is needed as well"))
            .help(format!("give it with `--set {name}=VALUE`"))
            .help("settings that may be left out need `#[serde(default)]` on the blueprint's configuration");
    }
    match setting {
        Some(name) => CommandError::usage(format!("the setting `{name}` does not fit: {error}")),
        None => CommandError::usage(format!("the settings do not fit: {error}")),
    }
}

/// The known settings of a blueprint.
struct Settings {
    blueprint: &'static str,
    at: fn(&[Step]) -> Place,
    is_parameter: fn(&str) -> bool,
}

impl Settings {
    fn given(&self, file: Option<&Path>, set: &[String]) -> Result<Mapping, CommandError> {
        let mut given = Mapping::new();
        if let Some(path) = file {
            given = read(path)?;
            let whole = Value::Mapping(given.clone());
            self.check(&whole, &mut Vec::new()).map_err(|mut failure| {
                failure.notes.insert(0, format!("in `{}`", path.display()));
                failure
            })?;
        }
        for argument in set {
            let (path, value) = self.assignment(argument)?;
            let whole = path.iter().rev().fold(value.clone(), |value, name| {
                Value::Mapping(Mapping::from_iter([(Value::String((*name).into()), value)]))
            });
            self.check(&whole, &mut Vec::new())?;
            put(&mut given, &path, value);
        }
        Ok(given)
    }

    /// The path and the value of `NAME=VALUE`.
    fn assignment<'a>(&self, argument: &'a str) -> Result<(Vec<&'a str>, Value), CommandError> {
        let Some((name, text)) = argument.split_once('=') else {
            return Err(CommandError::usage(format!("`--set {argument}` has no value"))
                .help(format!("write `--set {argument}=VALUE`")));
        };
        if name.is_empty() {
            return Err(
                CommandError::usage(format!("`--set {argument}` names no setting")).help("write `--set NAME=VALUE`")
            );
        }
        let path: Vec<&str> = name.split('.').collect();
        if path.iter().any(|name| name.is_empty() || name.trim() != *name) {
            return Err(CommandError::usage(format!("`{name}` is not the name of a setting"))
                .help("write `--set NAME=VALUE`, or `--set NAME.PART=VALUE` for a part of a setting"));
        }
        let steps: Vec<Step> = path.iter().map(|name| Step::Key((*name).into())).collect();
        let place = (self.at)(&steps);
        match serde_yaml::from_str(text) {
            Ok(value @ Value::String(_)) => Ok((path, value)),
            Ok(Value::Null) if place.optional => Ok((path, Value::Null)),
            // Where text is accepted, a value that would be a number, a list or invalid YAML is text.
            _ if place.shape == Shape::Text => Ok((path, Value::String(text.into()))),
            Ok(value) => Ok((path, value)),
            Err(error) => Err(CommandError::usage(format!("the value of `{name}` is not YAML: {error}"))
                .help(format!("put text with special characters in quotes: `--set '{name}=\"...\"'`"))),
        }
    }

    /// Refuses a value that does not fit the place `path`, as far as its shape is known.
    fn check(&self, value: &Value, path: &mut Vec<Step>) -> Result<(), CommandError> {
        let place = (self.at)(path);
        match (place.shape, value) {
            (_, Value::Null) if place.optional => Ok(()),
            (Shape::Settings(names), Value::Mapping(given)) => {
                for (key, value) in given {
                    let name = key_text(key);
                    if !names.contains(&name.as_str()) {
                        return Err(self.unknown(&name, names, path));
                    }
                    self.check_at(Step::Key(name), value, path)?;
                }
                Ok(())
            }
            (Shape::Map, Value::Mapping(given)) => {
                given.iter().try_for_each(|(key, value)| self.check_at(Step::Key(key_text(key)), value, path))
            }
            (Shape::List, Value::Sequence(items)) => {
                items.iter().enumerate().try_for_each(|(index, item)| self.check_at(Step::Item(index), item, path))
            }
            (shape, value) if fits(shape, value) => Ok(()),
            (shape, value) => Err(misfit(shape, value, &display(path))),
        }
    }

    fn check_at(&self, step: Step, value: &Value, path: &mut Vec<Step>) -> Result<(), CommandError> {
        path.push(step);
        self.check(value, path)?;
        path.pop();
        Ok(())
    }

    fn unknown(&self, name: &str, names: &[&'static str], path: &[Step]) -> CommandError {
        let outer = display(path);
        let full = if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") };
        let whose = if outer.is_empty() { self.blueprint } else { &outer };
        let mut failure = CommandError::usage(format!("unknown setting `{full}`"));
        failure = match names {
            [] => failure.note(format!("`{whose}` has no settings")),
            [one] => failure.note(format!("the only setting of `{whose}` is `{one}`")),
            several => failure.note(format!("the settings of `{whose}` are {}", list(several.iter().copied(), "and"))),
        };
        if outer.is_empty() && (self.is_parameter)(name) {
            return failure.help(format!("`{name}` is a parameter: it is set at deployment, in `environment.yaml`"));
        }
        match nearest(name, names.iter().copied()) {
            Some(near) if outer.is_empty() => failure.help(did_you_mean(near)),
            Some(near) => failure.help(did_you_mean(format_args!("{outer}.{near}"))),
            None => failure,
        }
    }
}

fn read(path: &Path) -> Result<Mapping, CommandError> {
    let name = path.display();
    let text = crate::manners::read(path)
        .map_err(|error| CommandError::usage(format!("cannot read the settings in `{name}`: {}", reason(&error))))?;
    match serde_yaml::from_str(&text) {
        Ok(Value::Mapping(settings)) => Ok(settings),
        Ok(Value::Null) => Ok(Mapping::new()),
        Ok(other) => Err(CommandError::usage(format!("`{name}` holds {}, not settings", found(&other)))
            .help("write one `NAME: VALUE` per line")),
        Err(error) => Err(CommandError::usage(format!("`{name}` is not YAML: {error}"))),
    }
}

/// Sets the value at `path`, and creates the maps on the way there.
fn put(given: &mut Mapping, path: &[&str], value: Value) {
    let [name, rest @ ..] = path else { return };
    let slot = given.entry(Value::String((*name).into())).or_insert(Value::Null);
    if rest.is_empty() {
        *slot = value;
        return;
    }
    if !slot.is_mapping() {
        *slot = Value::Mapping(Mapping::new());
    }
    if let Value::Mapping(inner) = slot {
        put(inner, rest, value);
    }
}

fn fits(shape: Shape, value: &Value) -> bool {
    match (shape, value) {
        (Shape::Unknown, _)
        | (Shape::Boolean, Value::Bool(_))
        | (Shape::Float, Value::Number(_))
        | (Shape::Text, Value::String(_))
        | (_, Value::Tagged(_)) => true,
        (Shape::Integer { min, max }, Value::Number(number)) => {
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
            whole.is_some_and(|number| (min..=max).contains(&number))
        }
        (Shape::Choice(words), Value::String(word)) => words.contains(&word.as_str()),
        _ => false,
    }
}

fn misfit(shape: Shape, value: &Value, name: &str) -> CommandError {
    let failure = CommandError::usage(format!("`{name}` takes {shape}, not {}", found(value)));
    match (shape, value) {
        (Shape::Text, Value::Number(_) | Value::Bool(_)) => failure.help("put it in quotes to make it text"),
        (Shape::Choice(words), Value::String(word)) => failure.help_if(meant(word, words.iter().copied())),
        (Shape::List, _) => failure.help("write a list as `[a, b]`"),
        (Shape::Map, _) => failure.help("write a map as `{a: 1, b: 2}`"),
        _ => failure,
    }
}

fn found(value: &Value) -> String {
    match value {
        Value::Null => "an empty value".into(),
        Value::Bool(value) => format!("`{value}`"),
        Value::Number(number) => format!("`{number}`"),
        Value::String(text) if text.is_empty() => "empty text".into(),
        Value::String(text) => format!("the text `{text}`"),
        Value::Sequence(_) => "a list".into(),
        Value::Mapping(_) => "a map".into(),
        Value::Tagged(_) => "a tagged value".into(),
    }
}

fn key_text(key: &Value) -> String {
    match key {
        Value::String(name) => name.clone(),
        other => serde_yaml::to_string(other).map(|text| text.trim_end().to_owned()).unwrap_or_default(),
    }
}

fn display(path: &[Step]) -> String {
    path.iter().fold(String::new(), |text, step| match step {
        Step::Key(name) if text.is_empty() => name.clone(),
        Step::Key(name) => format!("{text}.{name}"),
        Step::Item(index) => format!("{text}[{index}]"),
    })
}
