//! Functions of known arguments, for agents, which know values that Heat does not.

use wattle_model::Value as Known;

use crate::Loaded;
use crate::template::{Call, Function, Standing};
use crate::yaml::{Node, Span};

use super::call::{Shape, wrong};
use super::reference::select;
use super::{Defect, Fault, Mode, Scope, Value};

/// The result of the function with this name for an argument, in the newest HOT version.
///
/// Here conditions are booleans, `if` takes three values, and `get_param` takes a value and the path into it.
///
/// # Errors
/// The function does not accept the argument, or agents do not compute it ([`Function::is_computed`]).
pub fn apply(function: &str, argument: &Known) -> Result<Known, String> {
    let Some(known) = Function::of(function).filter(|known| known.is_computed()) else {
        return Err(format!("only Heat computes `{function}`"));
    };
    let loaded = Loaded::of("", "");
    let scope = Scope::new(&loaded, Mode::Known);
    let node = Node::null();
    let span = Span::default();
    let call = Call { function: known, argument: &node, span, name: span, standing: Standing::Known };
    let value = scope.apply(&call, Value::of_model(argument)).map_err(|fault| match fault.cause {
        Defect::Arguments { why, .. } => format!("`{function}`: {why}"),
        other => format!("`{function}`: {other:?}"),
    })?;
    if !value.is_known() {
        return Err(format!("`{function}` cannot be computed here for this value"));
    }
    Ok(value.to_model())
}

impl Scope<'_> {
    pub(super) fn apply(&self, call: &Call<'_>, argument: Value) -> Result<Value, Fault> {
        let arguments = match (Shape::of(call.function), argument) {
            (Shape::Parts(names), Value::Map(mut parts)) => {
                names.iter().map(|name| parts.shift_remove(*name).unwrap_or(Value::Null)).collect()
            }
            (Shape::Items, Value::List(items)) => items,
            (Shape::Parts(_) | Shape::Items, _) => Vec::new(),
            (Shape::Whole, whole) => vec![whole],
        };
        let truth = |value: &Value| match value {
            Value::Boolean(truth) => Ok(*truth),
            other => Err(wrong(call, format!("a condition must be true or false, but this is {}", other.kind()))),
        };
        match (call.function, arguments.as_slice()) {
            (Function::GetParam, [Value::List(way)]) => Ok(match way.split_first() {
                Some((value, path)) => select(value, path),
                None => Value::Null,
            }),
            (Function::If, [Value::List(parts)]) => {
                let part = |at: usize| parts.get(at).cloned().unwrap_or(Value::Null);
                Ok(if truth(&part(0))? { part(1) } else { part(2) })
            }
            (Function::Not | Function::And | Function::Or, conditions) => {
                conditions.iter().try_for_each(|condition| truth(condition).map(drop))?;
                self.give(call, arguments)
            }
            _ => self.give(call, arguments),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(function: &str, json: &str) -> Result<String, String> {
        apply(function, &serde_json::from_str(json).expect("JSON")).map(|value| value.to_string())
    }

    #[test]
    fn every_computed_function_is() {
        let examples = [
            ("and", "[true, false]", "false"),
            ("contains", r#"["a", ["a", "b"]]"#, "true"),
            ("digest", r#"["sha1", "abc"]"#, "\"a9993e364706816aba3e25717850c26c9cd0d89d\""),
            ("equals", "[1, 1.0]", "true"),
            ("filter", r#"[["a"], ["a", "b"]]"#, r#"["b"]"#),
            ("get_param", r#"[{"a": [1, 2]}, "a", 1]"#, "2"),
            ("if", "[true, 1, 2]", "1"),
            ("list_concat", "[[1], [1, 2]]", "[1,1,2]"),
            ("list_concat_unique", "[[1], [1, 2]]", "[1,2]"),
            ("list_join", r#"[",", ["a", {"b": 1}], ["c"]]"#, r#""a,{\"b\": 1},c""#),
            ("make_url", r#"{"scheme": "http", "host": "a", "port": 80, "path": "/b"}"#, r#""http://a:80/b""#),
            ("map_merge", r#"[{"a": 1}, {"a": 2, "b": 3}]"#, r#"{"a":2,"b":3}"#),
            ("map_replace", r#"[{"a": 1}, {"keys": {"a": "b"}}]"#, r#"{"b":1}"#),
            ("not", "false", "true"),
            ("or", "[true, false]", "true"),
            ("str_replace", r#"{"template": "$a!", "params": {"$a": 7}}"#, "\"7!\""),
            ("str_replace_strict", r#"{"template": "$a!", "params": {"$a": true}}"#, "\"True!\""),
            ("str_replace_vstrict", r#"{"template": "$a!", "params": {"$a": "x"}}"#, "\"x!\""),
            ("str_split", r#"[",", "a,b"]"#, r#"["a","b"]"#),
        ];
        assert_eq!(examples.map(|(function, ..)| function).as_slice(), crate::template::computed());
        for (function, argument, expected) in examples {
            assert_eq!(applied(function, argument), Ok(expected.to_owned()), "{function}");
        }
        assert_eq!(applied("digest", r#"["md5", ""]"#), Ok("\"d41d8cd98f00b204e9800998ecf8427e\"".to_owned()));
    }

    #[test]
    fn data_is_no_call() {
        let data = r#"[{"a": {"get_param": "x"}}, {"b": {"digest": ["md5", "x"]}}]"#;
        assert_eq!(applied("map_merge", data), Ok(r#"{"a":{"get_param":"x"},"b":{"digest":["md5","x"]}}"#.into()));
    }

    #[test]
    fn what_is_not_taken_is_said() {
        assert_eq!(applied("yaql", "{}"), Err("only Heat computes `yaql`".into()));
        assert!(applied("list_join", r#"[",", [1]]"#).is_err_and(|why| why.starts_with("`list_join`: it joins")));
    }
}
