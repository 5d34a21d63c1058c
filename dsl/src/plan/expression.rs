//! Values of templates as what Heat compares: parameters and conditions resolved as far as they are known, nested stacks
//! looked through, and all else left as an expression.

use std::borrow::Cow;

use indexmap::IndexMap;

use crate::lower::is_heats;
use crate::model::{Name, Value};

use super::Compute;

/// Begins the key of a map that stands for the value of a hidden parameter: its name, and the value.
pub(super) const SECRET: &str = "\u{0}secret";

/// How deep values are looked through that refer to one another.
const DEPTH: usize = 24;

/// A template, and what is known of its parameters.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    /// All files of the deployment.
    pub(super) files: &'a IndexMap<String, Value>,
    pub(super) template: &'a Value,
    /// The template's file.
    pub(super) file: Cow<'a, str>,
    /// What is before the names of its resources: the resources of which it is the nested stack.
    pub(super) prefix: String,
    /// Parameters whose values are known, or are expressions of the stack above.
    pub(super) parameters: IndexMap<Name, Value>,
    /// What functions of known values give.
    pub(super) compute: Option<Compute>,
    pub(super) depth: usize,
}

/// An entry of a map that is a value.
pub(super) fn entry<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    match value {
        Value::Map(items) => items.get(key),
        _ => None,
    }
}

/// The function that a value calls, and its argument.
pub(super) fn call(value: &Value) -> Option<(&str, &Value)> {
    let Value::Map(items) = value else { return None };
    let (name, argument) = items.first()?;
    (items.len() == 1).then_some((&**name, argument))
}

fn function(name: &str, argument: Value) -> Value {
    Value::Map([(name.into(), argument)].into_iter().collect())
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Str(text) => Some(text.to_string()),
        Value::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The text of a list of texts, given a delimiter and that.
fn joined(argument: &Value) -> Option<Value> {
    let Value::List(items) = argument else { return None };
    let [Value::Str(delimiter), Value::List(parts)] = items.as_slice() else { return None };
    let parts = parts.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
    Some(parts.join(delimiter).into())
}

/// The way into a value.
fn walk(value: &Value, path: &[Value]) -> Option<Value> {
    let mut value = value.clone();
    for step in path {
        if let Some((SECRET, Value::List(parts))) = call(&value) {
            let inner = walk(parts.get(1)?, std::slice::from_ref(step))?;
            value = function(SECRET, Value::List(vec![parts[0].clone(), inner]));
            continue;
        }
        value = match (&value, step) {
            (Value::Map(items), step) => items.get(text(step)?.as_str())?.clone(),
            (Value::List(items), step) => items.get(text(step)?.parse::<usize>().ok()?)?.clone(),
            _ => return None,
        };
    }
    Some(value)
}

impl<'a> Scope<'a> {
    /// The resource of this name.
    fn resource(&self, name: &str) -> Option<&'a Value> {
        entry(entry(self.template, "resources")?, name)
    }

    /// The nested stack that a resource is.
    pub(super) fn nested(&self, name: &str, resource: &Value) -> Option<Scope<'a>> {
        if self.depth >= DEPTH {
            return None;
        }
        let ty = entry(resource, "type")?.as_str()?;
        let folder = self.file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let file = super::files::below(folder, ty).filter(|_| super::files::is_template(ty))?;
        let (_, template) = self.files.get_key_value(file.as_str())?;
        let mut parameters = IndexMap::new();
        if let Some(Value::Map(declared)) = entry(template, "parameters") {
            for (name, declared) in declared {
                let given = entry(resource, "properties").and_then(|given| entry(given, name));
                let value = match given {
                    Some(given) => Some(self.normal(given)),
                    None => entry(declared, "default").cloned(),
                };
                parameters.extend(value.map(|value| (name.clone(), value)));
            }
        }
        Some(Scope {
            files: self.files,
            template,
            file: file.into(),
            prefix: format!("{}{name}/", self.prefix),
            parameters,
            compute: self.compute,
            depth: self.depth + 1,
        })
    }

    /// A value with all that is known of it.
    pub(super) fn normal(&self, value: &Value) -> Value {
        match value {
            Value::List(items) => Value::List(items.iter().map(|item| self.normal(item)).collect()),
            Value::Map(items) => {
                if let Some((name, argument)) = call(value)
                    && let Some(value) = self.called(name, argument)
                {
                    return value;
                }
                Value::Map(items.iter().map(|(name, item)| (name.clone(), self.normal(item))).collect())
            }
            other => other.clone(),
        }
    }

    fn called(&self, name: &str, argument: &Value) -> Option<Value> {
        match name {
            "get_param" | "Ref" => {
                let (parameter, path) = match argument {
                    Value::List(items) => (items.first()?.as_str()?, self.normals(&items[1..])),
                    other => (other.as_str()?, Vec::new()),
                };
                if let Some(known) = self.parameters.get(parameter)
                    && let Some(value) = walk(known, &path)
                {
                    return Some(value);
                }
                if name == "Ref" && self.resource(parameter).is_some() {
                    return Some(function("get_resource", format!("{}{parameter}", self.prefix).into()));
                }
                None
            }
            "get_resource" => Some(function(name, format!("{}{}", self.prefix, argument.as_str()?).into())),
            "get_attr" | "Fn::GetAtt" => {
                let Value::List(items) = argument else { return None };
                let (resource, attribute) = (items.first()?.as_str()?, items.get(1));
                let path = self.normals(items.get(2..).unwrap_or_default());
                if let Some(value) = attribute.and_then(|attribute| self.attribute(resource, attribute.as_str()?))
                    && let Some(value) = walk(&value, &path)
                {
                    return Some(value);
                }
                let mut all = vec![Value::from(format!("{}{resource}", self.prefix))];
                all.extend(attribute.map(|attribute| self.normal(attribute)));
                all.extend(path);
                Some(function("get_attr", Value::List(all)))
            }
            "get_file" => {
                let folder = self.file.rsplit_once('/').map_or("", |(folder, _)| folder);
                self.files.get(&super::files::below(folder, argument.as_str()?)?).cloned()
            }
            "if" | "Fn::If" => {
                let Value::List(items) = argument else { return None };
                let (condition, yes, no) = match items.as_slice() {
                    [condition, yes, no] => (condition, yes, no),
                    // Without the last one, there is nothing in its place.
                    [condition, yes] => (condition, yes, &Value::Null),
                    _ => return None,
                };
                match self.condition(condition, 0) {
                    Some(true) => Some(self.normal(yes)),
                    Some(false) => Some(self.normal(no)),
                    None => {
                        let condition = self.condition_of(condition);
                        Some(function("if", Value::List(vec![condition, self.normal(yes), self.normal(no)])))
                    }
                }
            }
            "list_join" | "Fn::Join" => {
                let argument = self.normal(argument);
                Some(joined(&argument).unwrap_or_else(|| self.computed(name, argument)))
            }
            _ if !is_heats(name) => Some(self.computed(name, self.normal(argument))),
            _ => None,
        }
    }

    /// What a function gives, if it is known; else the call of it.
    fn computed(&self, name: &str, argument: Value) -> Value {
        let known = self.compute.filter(|_| !is_heats(name) && !is_open(&argument) && !has_secret(&argument));
        known.and_then(|compute| compute(name, &argument).ok()).unwrap_or_else(|| function(name, argument))
    }

    fn normals(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|value| self.normal(value)).collect()
    }

    /// The value of an attribute that is known from the template.
    fn attribute(&self, name: &str, attribute: &str) -> Option<Value> {
        if self.depth >= DEPTH {
            return None;
        }
        let resource = self.resource(name)?;
        if entry(resource, "type")?.as_str()? == "OS::Heat::Value" && attribute == "value" {
            let value = entry(entry(resource, "properties")?, "value")?;
            let deeper = Scope { depth: self.depth + 1, ..self.clone() };
            return Some(deeper.normal(value));
        }
        let nested = self.nested(name, resource)?;
        let output = entry(entry(nested.template, "outputs")?, attribute)?;
        Some(nested.normal(entry(output, "value")?))
    }

    /// Whether a condition holds, if that is known.
    pub(super) fn condition(&self, condition: &Value, depth: usize) -> Option<bool> {
        if depth > DEPTH {
            return None;
        }
        match condition {
            Value::Boolean(holds) => Some(*holds),
            Value::Str(name) => self.condition(entry(entry(self.template, "conditions")?, name)?, depth + 1),
            condition => {
                let (name, argument) = call(condition)?;
                let list = |argument: &Value| match argument {
                    Value::List(items) => Some(items.clone()),
                    _ => None,
                };
                match name {
                    "equals" | "Fn::Equals" => {
                        let items = self.normals(&list(argument)?);
                        let [a, b] = items.as_slice() else { return None };
                        (!is_open(a) && !is_open(b)).then(|| a == b)
                    }
                    "not" | "Fn::Not" => {
                        let one = match argument {
                            Value::List(items) => items.first()?,
                            other => other,
                        };
                        self.condition(one, depth + 1).map(|holds| !holds)
                    }
                    "and" | "Fn::And" | "or" | "Fn::Or" => {
                        let known: Vec<_> = list(argument)?.iter().map(|one| self.condition(one, depth + 1)).collect();
                        let decisive = name.to_lowercase().ends_with("or");
                        if known.contains(&Some(decisive)) {
                            return Some(decisive);
                        }
                        known.iter().all(Option::is_some).then_some(!decisive)
                    }
                    _ => match self.normal(condition) {
                        Value::Boolean(holds) => Some(holds),
                        Value::Str(text) => Some(matches!(text.to_lowercase().as_str(), "true" | "yes" | "on" | "1")),
                        _ => None,
                    },
                }
            }
        }
    }

    /// A condition as an expression.
    pub(super) fn condition_of(&self, condition: &Value) -> Value {
        match condition {
            Value::Str(name) => entry(self.template, "conditions")
                .and_then(|all| entry(all, name))
                .filter(|inner| *inner != condition)
                .map_or_else(|| condition.clone(), |inner| self.normal(inner)),
            other => self.normal(other),
        }
    }
}

/// Whether a value has something in it that is not known before Heat makes it.
pub(super) fn is_open(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(is_open),
        Value::Map(items) => {
            let is_call = call(value).is_some_and(|(name, _)| {
                name.starts_with("get_")
                    || name.starts_with("Fn::")
                    || matches!(
                        name,
                        "Ref"
                            | "if"
                            | "str_replace"
                            | "list_join"
                            | "repeat"
                            | "yaql"
                            | "digest"
                            | "str_split"
                            | "map_merge"
                            | "list_concat"
                            | "contains"
                            | "filter"
                            | "make_url"
                            | "resource_facade"
                            | "str_replace_strict"
                            | "str_replace_vstrict"
                            | "list_concat_unique"
                            | "map_replace"
                    )
            });
            is_call || items.values().any(is_open)
        }
        _ => false,
    }
}

/// Whether the value of a hidden parameter is in a value.
pub(super) fn has_secret(value: &Value) -> bool {
    match value {
        Value::List(items) => items.iter().any(has_secret),
        Value::Map(items) => call(value).is_some_and(|(name, _)| name == SECRET) || items.values().any(has_secret),
        _ => false,
    }
}

/// What a value refers to: resources by their full names, and whether by identity or by an attribute.
pub(super) fn references<'v>(value: &'v Value, visit: &mut impl FnMut(&'v str, bool)) {
    match value {
        Value::List(items) => items.iter().for_each(|item| references(item, visit)),
        Value::Map(items) => {
            match call(value) {
                Some(("get_resource", Value::Str(name))) => visit(name, true),
                Some(("get_attr", Value::List(parts))) => {
                    if let Some(Value::Str(name)) = parts.first() {
                        visit(name, false);
                    }
                }
                _ => {}
            }
            items.values().for_each(|item| references(item, visit));
        }
        _ => {}
    }
}
