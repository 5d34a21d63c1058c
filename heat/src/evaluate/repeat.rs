//! `repeat`.

use wattle_model::IndexMap;

use crate::template::{Call, Version};

use super::call::{known, wrong};
use super::{Fault, Scope, Value};

impl Scope<'_> {
    pub(super) fn repeat(&self, call: &Call<'_>, template: &Value, for_each: Value) -> Result<Value, Fault> {
        let for_each = known!(for_each);
        let Value::Map(for_each) = for_each else {
            let what = "a map of lists, each under the text in `template` that its items replace";
            return Err(wrong(call, format!("its `for_each` must be {what}, but this gives {}", for_each.kind())));
        };
        if for_each.is_empty() {
            return Err(wrong(call, "its `for_each` is empty"));
        }
        let product = self.version() < Version::V2017_09_01
            || call.argument.get("permutations").is_none_or(|node| Value::literal(node) != Value::Boolean(false));
        let maps = self.version() >= Version::V2016_10_14 && product;
        let mut lists = Vec::new();
        let mut unknown = false;
        let mut lengths = Vec::new();
        for (key, value) in &for_each {
            let items = match value {
                Value::Null => Vec::new(),
                Value::List(items) => items.clone(),
                Value::Map(items) if maps => items.keys().map(|key| Value::Text(key.clone())).collect(),
                Value::Unknown => {
                    unknown = true;
                    continue;
                }
                other => {
                    let what = if maps { "a list or a map" } else { "a list" };
                    return Err(wrong(call, format!("`{key}` iterates over {what}, but this is {}", other.kind())));
                }
            };
            if *value != Value::Null {
                lengths.push(items.len());
            }
            lists.push((key, items));
        }
        if !product && lengths.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(wrong(call, "without permutations, all its lists must have the same length"));
        }
        if unknown || !template.is_known() {
            return Ok(Value::Unknown);
        }
        let rounds = if product {
            lists.iter().try_fold(1_usize, |rounds, (_, items)| rounds.checked_mul(items.len())).unwrap_or(usize::MAX)
        } else {
            lists.iter().map(|(_, items)| items.len()).min().unwrap_or(0)
        };
        let mut results = Vec::new();
        for round in 0..rounds {
            if !self.can_afford(1) {
                return Ok(Value::Unknown);
            }
            let mut rest = round;
            let mut pairs: Vec<(&str, &Value)> = Vec::with_capacity(lists.len());
            // The last list varies fastest.
            for (key, items) in lists.iter().rev() {
                let at = if product { rest % items.len() } else { round };
                rest = if product { rest / items.len() } else { rest };
                pairs.push((key, &items[at]));
            }
            pairs.reverse();
            match self.replaced(call, template, &pairs)? {
                Value::Unknown => return Ok(Value::Unknown),
                value => results.push(value),
            }
        }
        Ok(Value::List(results))
    }

    /// `template` with each key replaced by its value, wherever it occurs in a text.
    fn replaced(&self, call: &Call<'_>, template: &Value, pairs: &[(&str, &Value)]) -> Result<Value, Fault> {
        Ok(match template {
            Value::Text(text) => {
                let mut text = text.clone();
                for (key, value) in pairs {
                    match value {
                        Value::Text(value) => {
                            let grown = text.len().saturating_mul(value.len().saturating_add(1));
                            if value.len() > key.len() && !self.can_afford(grown / 64) {
                                return Ok(Value::Unknown);
                            }
                            text = text.replace(key, value);
                        }
                        Value::Unknown => return Ok(Value::Unknown),
                        other => {
                            let why = format!(
                                "`{key}` is replaced in text, but is {}: quote the items of its list",
                                other.kind()
                            );
                            return Err(wrong(call, why));
                        }
                    }
                }
                self.afford(text.len() / 64, Value::Text(text))
            }
            Value::List(items) => {
                let items: Result<Vec<_>, _> = items.iter().map(|item| self.replaced(call, item, pairs)).collect();
                let items = items?;
                if items.contains(&Value::Unknown) { Value::Unknown } else { Value::List(items) }
            }
            Value::Map(items) => {
                let mut map = IndexMap::default();
                for (key, value) in items {
                    let key = self.replaced(call, &Value::Text(key.clone()), pairs)?;
                    match (key, self.replaced(call, value, pairs)?) {
                        (Value::Text(key), value) if value != Value::Unknown => {
                            map.insert(key, value);
                        }
                        _ => return Ok(Value::Unknown),
                    }
                }
                Value::Map(map)
            }
            other => self.afford(1, other.clone()),
        })
    }
}
