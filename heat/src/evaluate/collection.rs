//! Functions of lists and maps.

use wattle_model::IndexMap;

use crate::template::Call;
use crate::value::json;

use super::call::{known, wrong};
use super::{Fault, Scope, Value};

impl Scope<'_> {
    pub(super) fn map_merge(call: &Call<'_>, maps: Value) -> Result<Value, Fault> {
        let maps = match known!(maps) {
            Value::List(maps) => maps,
            Value::Text(text) if text.is_empty() => Vec::new(),
            other => return Err(wrong(call, format!("it takes a list of maps, not {}", other.kind()))),
        };
        let mut merged = IndexMap::default();
        let mut unknown = false;
        for map in maps {
            match map {
                Value::Map(map) => merged.extend(map),
                Value::Null => {}
                Value::Unknown => unknown = true,
                other => return Err(wrong(call, format!("it merges maps, but this is {}", other.kind()))),
            }
        }
        Ok(if unknown { Value::Unknown } else { Value::Map(merged) })
    }

    pub(super) fn map_replace(call: &Call<'_>, arguments: Value) -> Result<Value, Fault> {
        let form = || wrong(call, "it takes a list of a map and a map with `keys` and `values` to replace");
        let Value::List(arguments) = known!(arguments) else { return Err(form()) };
        let map = |value: &Value| match value {
            Value::Null => Some(IndexMap::default()),
            Value::Map(map) => Some(map.clone()),
            _ => None,
        };
        let [input, replacements] = arguments.as_slice() else { return Err(form()) };
        if matches!(input, Value::Unknown) || matches!(replacements, Value::Unknown) {
            return Ok(Value::Unknown);
        }
        let (Some(input), Some(replacements)) = (map(input), map(replacements)) else { return Err(form()) };
        if let Some(key) = replacements.keys().find(|key| !matches!(&***key, "keys" | "values")) {
            return Err(wrong(call, format!("it replaces `keys` and `values`, but does not know `{key}`")));
        }
        let part = |name: &str| match replacements.get(name) {
            None => Ok(IndexMap::default()),
            Some(Value::Unknown) => Err(None),
            Some(value) => map(value).ok_or_else(|| Some(form())),
        };
        let (keys, values) = match (part("keys"), part("values")) {
            (Ok(keys), Ok(values)) => (keys, values),
            (Err(Some(fault)), _) | (_, Err(Some(fault))) => return Err(fault),
            _ => return Ok(Value::Unknown),
        };
        let mut replaced = IndexMap::default();
        for (key, value) in &input {
            let new = match keys.get(key) {
                None | Some(Value::Null) => key.clone(),
                Some(Value::Unknown) => return Ok(Value::Unknown),
                Some(Value::List(_) | Value::Map(_)) => {
                    return Err(wrong(call, format!("the new key for `{key}` is not text")));
                }
                Some(new) => {
                    let new = new.python();
                    if (input.contains_key(&new) && new != *key) || replaced.contains_key(&new) {
                        return Err(wrong(call, format!("the new key `{new}` is already in the map")));
                    }
                    new
                }
            };
            let value = value.as_text().and_then(|text| values.get(text)).unwrap_or(value);
            replaced.insert(new, value.clone());
        }
        Ok(Value::Map(replaced))
    }

    pub(super) fn list_concat(&self, call: &Call<'_>, lists: Value, unique: bool) -> Result<Value, Fault> {
        let lists = match known!(lists) {
            Value::List(lists) => lists,
            other => return Err(wrong(call, format!("it takes a list of lists, not {}", other.kind()))),
        };
        let mut all = Vec::new();
        let mut unknown = false;
        for list in lists {
            match list {
                Value::List(list) => all.extend(list),
                Value::Null => {}
                Value::Unknown => unknown = true,
                other => return Err(wrong(call, format!("it joins lists into one, but this is {}", other.kind()))),
            }
        }
        if unknown {
            return Ok(Value::Unknown);
        }
        if !unique {
            return Ok(self.afford(all.len(), Value::List(all)));
        }
        let mut once: Vec<Value> = Vec::new();
        for item in all {
            if !self.can_afford(once.len()) {
                return Ok(Value::Unknown);
            }
            self.afford(once.len(), Value::Null);
            let mut known = false;
            for other in &once {
                match item.equals(other) {
                    Some(true) => known = true,
                    Some(false) => {}
                    None => return Ok(Value::Unknown),
                }
            }
            if !known {
                once.push(item);
            }
        }
        Ok(Value::List(once))
    }

    pub(super) fn filter(&self, call: &Call<'_>, values: &Value, list: Value) -> Result<Value, Fault> {
        let list = match known!(list) {
            Value::List(list) => list,
            other if other.truth() == Some(false) => return Ok(other),
            other => return Err(wrong(call, format!("it removes values from a list, but this is {}", other.kind()))),
        };
        let values = match known!(values) {
            Value::List(values) => values.as_slice(),
            other if other.truth() == Some(false) => &[],
            other => {
                return Err(wrong(call, format!("the values that it removes must be a list, not {}", other.kind())));
            }
        };
        let mut kept = Vec::new();
        for item in list {
            match self.is_in(&item, values) {
                Some(true) => {}
                Some(false) => kept.push(item),
                None => return Ok(Value::Unknown),
            }
        }
        Ok(Value::List(kept))
    }

    /// Whether `item` is one of `values`. `None` if that is not known, or if there is too much to compare.
    fn is_in(&self, item: &Value, values: &[Value]) -> Option<bool> {
        if !self.can_afford(values.len()) {
            return None;
        }
        self.afford(values.len(), Value::Null);
        let mut unknown = false;
        for value in values {
            match item.equals(value) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => unknown = true,
            }
        }
        (!unknown).then_some(false)
    }

    pub(super) fn contains(&self, call: &Call<'_>, value: &Value, sequence: &Value) -> Result<Value, Fault> {
        match (known!(sequence), value) {
            (Value::List(items), value) => Ok(self.is_in(value, items).map_or(Value::Unknown, Value::Boolean)),
            (Value::Text(_), Value::Unknown) => Ok(Value::Unknown),
            (Value::Text(text), Value::Text(part)) => Ok(Value::Boolean(text.contains(&**part))),
            (Value::Text(_), other) => Err(wrong(call, format!("a string does not contain {}", other.kind()))),
            (other, _) => Err(wrong(call, format!("it searches a list or a string, but this is {}", other.kind()))),
        }
    }

    pub(super) fn select(call: &Call<'_>, index: &Value, collection: Value) -> Result<Value, Fault> {
        let collection = match known!(collection) {
            Value::Text(text) if text.is_empty() => return Ok(Value::Text(text)),
            Value::Text(text) => {
                json::loads(&text).map_err(|why| wrong(call, format!("its text is not JSON: {why}")))?
            }
            other => other,
        };
        match (collection, known!(index)) {
            (Value::Map(items), Value::Text(key)) => Ok(items.get(key).cloned().unwrap_or_else(|| "".into())),
            (Value::Map(_), other) => Err(wrong(call, format!("a key must be a string, not {}", other.kind()))),
            (
                list @ Value::List(_),
                index @ (Value::Integer(_) | Value::Boolean(_) | Value::Text(_) | Value::Float(_)),
            ) => {
                let index = match index {
                    #[expect(clippy::cast_possible_truncation, reason = "an index this large is never valid")]
                    Value::Float(index) => Value::Integer(*index as i128),
                    Value::Text(text) if text.trim().parse::<i128>().is_err() => {
                        return Err(wrong(call, format!("an index must be a whole number, not `{text}`")));
                    }
                    other => other.clone(),
                };
                Ok(super::reference::select(&list, &[index]))
            }
            (Value::List(_), other) => {
                Err(wrong(call, format!("an index must be a whole number, not {}", other.kind())))
            }
            (Value::Null, _) => Ok("".into()),
            (other, _) => Err(wrong(call, format!("it selects from a list or a map, but this is {}", other.kind()))),
        }
    }

    pub(super) fn member_list_to_map(call: &Call<'_>, arguments: &Value) -> Result<Value, Fault> {
        let Value::List(arguments) = known!(arguments) else { return Ok(Value::Unknown) };
        let [Value::Text(key), Value::Text(value), Value::List(members)] = arguments.as_slice() else {
            return if arguments.contains(&Value::Unknown) {
                Ok(Value::Unknown)
            } else {
                Err(wrong(call, "it takes the names of key and value and a list"))
            };
        };
        // `.member.N.Name=text`, by number and name.
        let mut found: IndexMap<String, (Option<String>, Option<String>)> = IndexMap::default();
        for member in members {
            let text = match member {
                Value::Text(text) => text,
                Value::Unknown => return Ok(Value::Unknown),
                other => return Err(wrong(call, format!("its members must be strings, not {}", other.kind()))),
            };
            let Some((path, text)) = text.split_once('=') else {
                return Err(wrong(call, format!("`{}` has no `=`", text.escape_debug())));
            };
            let parts: Vec<_> = path.split('.').collect();
            if let ["", "member", number, name] = parts.as_slice() {
                let pair = found.entry((*number).to_owned()).or_default();
                if name == key {
                    pair.0 = Some(text.to_owned());
                } else if name == value {
                    pair.1 = Some(text.to_owned());
                }
            }
        }
        let pairs = found.into_values().filter_map(|(key, value)| Some((key?, Value::Text(value?))));
        Ok(Value::Map(pairs.collect()))
    }
}
