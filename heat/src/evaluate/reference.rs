//! Parameters, resources and files.

use std::borrow::Cow;

use crate::files::join;
use crate::template::Call;
use crate::yaml::Tree;

use super::call::{known, wrong};
use super::{Defect, Fault, Mode, Scope, Value};

impl Scope<'_> {
    pub(super) fn get_param(&self, call: &Call<'_>, argument: &Value) -> Result<Value, Fault> {
        let (name, path) = match argument {
            Value::Unknown => return Ok(Value::Unknown),
            Value::Text(name) if !name.is_empty() => (name, [].as_slice()),
            Value::List(items) => match items.split_first() {
                Some((Value::Text(name), path)) => (name, path),
                Some((Value::Unknown, _)) => return Ok(Value::Unknown),
                Some((other, _)) => {
                    return Err(wrong(
                        call,
                        format!("a parameter's name must be a string, but this is {}", other.kind()),
                    ));
                }
                None => return Err(wrong(call, "it takes the name of a parameter")),
            },
            other if other.truth() == Some(false) => return Err(wrong(call, "it takes the name of a parameter")),
            other => {
                let why = format!("it takes the name of a parameter, optionally with a path, not {}", other.kind());
                return Err(wrong(call, why));
            }
        };
        let Some(valued) = self.loaded.parameters.values.get(name) else {
            let span = match &*call.argument.tree {
                Tree::List(items) => items.first().map_or(call.argument.span, |first| first.span),
                _ => call.argument.span,
            };
            return Err(Fault::new(span, Defect::UnknownParameter { name: name.clone() }));
        };
        Ok(select(&valued.value, path))
    }

    /// Until a resource is created, a reference to it is its name.
    pub(super) fn get_resource(&self, argument: &Value) -> Value {
        match self.mode {
            Mode::Known | Mode::Partial(_) => Value::Unknown,
            Mode::Validation => match argument {
                Value::Text(name) => self.references.get(name).cloned().unwrap_or_else(|| argument.clone()),
                _ => argument.clone(),
            },
        }
    }

    /// Until a resource is created, its attributes are null.
    pub(super) fn get_attr(&self) -> Value {
        match self.mode {
            Mode::Known | Mode::Partial(_) => Value::Unknown,
            Mode::Validation => Value::Null,
        }
    }

    pub(super) fn reference(&self, call: &Call<'_>, argument: &Value) -> Result<Value, Fault> {
        match argument {
            Value::Text(name) if !self.template().resources.contains_key(name) => self.get_param(call, argument),
            _ => Ok(self.get_resource(argument)),
        }
    }

    /// Heat receives only files that the template names literally. It does not find a file by a computed path.
    pub(super) fn get_file(&self, call: &Call<'_>, argument: &Value) -> Result<Value, Fault> {
        let Value::Text(path) = known!(argument) else {
            return Err(wrong(call, format!("it takes the path of a file, not {}", argument.kind())));
        };
        if call.argument.tree.as_text().is_none() {
            let why = "a computed path is never found: the client sends only files that the template names";
            return Err(wrong(call, why));
        }
        match self.loaded.content(&join(&self.template().file, path)) {
            Some(Ok(text)) => Ok(self.afford(text.len() / 64, Value::Text(text.to_owned()))),
            Some(Err(_)) => Err(Fault::new(call.argument.span, Defect::MissingFile { path: path.clone() })),
            None => Ok(Value::Unknown),
        }
    }
}

/// The part of a value that a path of keys and indices selects. Empty text if it leads nowhere.
pub(super) fn select(value: &Value, path: &[Value]) -> Value {
    let nothing = || Value::Text(String::new());
    let mut value = Cow::Borrowed(value);
    for key in path {
        let index = |length: usize| {
            let index = match key {
                Value::Integer(index) => *index,
                Value::Boolean(index) => i128::from(*index),
                Value::Text(text) => text.trim().parse().ok()?,
                _ => return None,
            };
            let length = i128::try_from(length).ok()?;
            usize::try_from(if index < 0 { index + length } else { index }).ok()
        };
        let found = match (&*value, key) {
            (Value::Unknown | Value::Open(_), _) | (_, Value::Unknown | Value::Open(_)) => return Value::Unknown,
            (Value::Map(items), Value::Text(key)) => items.get(key).cloned(),
            (Value::List(items), _) => index(items.len()).and_then(|index| items.get(index)).cloned(),
            (Value::Text(text), _) => index(text.chars().count())
                .and_then(|index| text.chars().nth(index))
                .map(|character| Value::Text(character.to_string())),
            _ => None,
        };
        match found {
            Some(found) => value = Cow::Owned(found),
            None => return nothing(),
        }
    }
    value.into_owned()
}
