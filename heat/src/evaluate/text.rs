//! Functions that return text.

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use wattle_model::names::count;

use crate::template::{Call, Function};
use crate::value::json;

use super::call::{known, wrong};
use super::{Fault, Scope, Value};

/// Digests that Python's `hashlib` has but this crate does not compute.
const OTHER_DIGESTS: [&str; 9] =
    ["md5-sha1", "blake2b", "blake2s", "ripemd160", "sm3", "sha3_224", "sha3_256", "sha3_384", "sha3_512"];

impl Scope<'_> {
    pub(super) fn list_join(&self, call: &Call<'_>, delimiter: &Value, lists: &[Value]) -> Result<Value, Fault> {
        let mut items = Vec::new();
        let mut unknown = false;
        for list in lists {
            match list {
                Value::List(list) => items.extend(list),
                Value::Unknown => unknown = true,
                Value::Null => {}
                other if other.truth() == Some(false) && self.joins_many() => {}
                other => {
                    return Err(wrong(
                        call,
                        format!("it joins the items of lists, but one argument is {}", other.kind()),
                    ));
                }
            }
        }
        let delimiter = match delimiter {
            Value::Text(text) => text.as_str(),
            Value::Unknown => return Ok(Value::Unknown),
            other => return Err(wrong(call, format!("its delimiter must be a string, but this is {}", other.kind()))),
        };
        let mut texts = Vec::new();
        for item in items {
            texts.push(match item {
                Value::Null => String::new(),
                Value::Text(text) => text.clone(),
                Value::Unknown => {
                    unknown = true;
                    continue;
                }
                Value::List(_) | Value::Map(_) if self.joins_many() && item.is_known() => json::dumps(item),
                Value::List(_) | Value::Map(_) if self.joins_many() => {
                    unknown = true;
                    continue;
                }
                other => {
                    let what = if self.joins_many() { "strings, maps and lists" } else { "strings" };
                    let quote = match other {
                        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => {
                            format!(": quote it, or join `{{str_replace: ...}}` in place of `{}`", other.python())
                        }
                        _ => String::new(),
                    };
                    return Err(wrong(call, format!("it joins {what}, but an item is {}{quote}", other.kind())));
                }
            });
        }
        if unknown {
            return Ok(Value::Unknown);
        }
        let size = texts.iter().map(String::len).sum::<usize>() + delimiter.len() * texts.len();
        if !self.can_afford(size / 64) {
            return Ok(Value::Unknown);
        }
        Ok(self.afford(size / 64, Value::Text(texts.join(delimiter))))
    }

    pub(super) fn str_replace(&self, call: &Call<'_>, template: &Value, params: &Value) -> Result<Value, Fault> {
        let Value::Text(template) = known!(template) else {
            return Err(wrong(call, format!("its template must be a string, but this is {}", template.kind())));
        };
        let Value::Map(params) = known!(params) else {
            return Err(wrong(call, format!("its params must be a map, but these are {}", params.kind())));
        };
        let strict = matches!(call.function, Function::StrReplaceStrict | Function::StrReplaceVstrict);
        let mut keys: Vec<_> = params.keys().collect();
        keys.sort_by(|one, other| other.chars().count().cmp(&one.chars().count()).then_with(|| one.cmp(other)));
        // Pieces of the template that are still searched, and the replacements between them, which are not.
        let mut pieces = vec![(template.clone(), true)];
        let mut unknown = false;
        for key in keys {
            let Some(text) = self.replacement(call, key, &params[key])? else {
                unknown = true;
                continue;
            };
            if key.is_empty() {
                return Err(wrong(call, "a key of its params is empty"));
            }
            let mut found = false;
            let mut next = Vec::with_capacity(pieces.len());
            for (piece, open) in pieces {
                if !open || !piece.contains(&**key) {
                    next.push((piece, open));
                    continue;
                }
                found = true;
                for (at, part) in piece.split(&**key).enumerate() {
                    if at > 0 {
                        if !self.can_afford((text.len() + 64) / 64) {
                            return Ok(Value::Unknown);
                        }
                        self.afford(text.len() / 64, Value::Null);
                        next.push((text.clone(), false));
                    }
                    next.push((part.to_owned(), true));
                }
            }
            pieces = next;
            if strict && !found && !unknown {
                return Err(wrong(call, format!("its template does not contain `{key}`, which is one of its params")));
            }
        }
        if unknown {
            return Ok(Value::Unknown);
        }
        Ok(Value::Text(pieces.into_iter().map(|(piece, _)| piece).collect()))
    }

    /// The replacement for a key of `str_replace`. `None` if it is not known.
    fn replacement(&self, call: &Call<'_>, key: &str, value: &Value) -> Result<Option<String>, Fault> {
        let text = match value {
            Value::Unknown => return Ok(None),
            Value::Null | Value::Absent => String::new(),
            Value::List(_) | Value::Map(_) if !self.joins_many() || call.function == Function::FnReplace => {
                return Err(wrong(
                    call,
                    format!("`{key}` stands for {}, but can stand only for a string or a number", value.kind()),
                ));
            }
            Value::List(_) | Value::Map(_) if !value.is_known() => return Ok(None),
            Value::List(_) | Value::Map(_) if value.truth() == Some(false) && Self::is_very_strict(call) => {
                String::new()
            }
            Value::List(_) | Value::Map(_) => json::dumps(value),
            other => other.python(),
        };
        if text.is_empty() && Self::is_very_strict(call) {
            return Err(wrong(call, format!("`{key}` stands for an empty string, which this function refuses")));
        }
        Ok(Some(text))
    }

    fn is_very_strict(call: &Call<'_>) -> bool {
        call.function == Function::StrReplaceVstrict
    }

    pub(super) fn str_split(&self, call: &Call<'_>, arguments: Value) -> Result<Value, Fault> {
        let Value::List(arguments) = known!(arguments) else {
            return Err(wrong(call, "it takes a list of a delimiter, a string and optionally an index"));
        };
        let [delimiter, text, rest @ ..] = arguments.as_slice() else {
            return Err(wrong(call, "it takes a list of a delimiter, a string and optionally an index"));
        };
        let text = match text {
            Value::Text(text) => text,
            Value::Null => return Ok(Value::Null),
            Value::Unknown => return Ok(Value::Unknown),
            other => return Err(wrong(call, format!("it splits a string, but this is {}", other.kind()))),
        };
        let parts: Vec<Value> = match delimiter {
            Value::Text(delimiter) if delimiter.is_empty() => return Err(wrong(call, "its delimiter is empty")),
            Value::Text(delimiter) => text.split(&**delimiter).map(Value::from).collect(),
            Value::Null => text.split_whitespace().map(Value::from).collect(),
            Value::Unknown => return Ok(Value::Unknown),
            other => return Err(wrong(call, format!("its delimiter must be a string, but this is {}", other.kind()))),
        };
        let Some(index) = rest.first() else { return Ok(self.afford(parts.len(), Value::List(parts))) };
        let index = match index {
            Value::Unknown => return Ok(Value::Unknown),
            Value::Integer(index) => Some(*index),
            Value::Boolean(index) => Some(i128::from(*index)),
            #[expect(clippy::cast_possible_truncation, reason = "an index this large is never valid")]
            Value::Float(index) => Some(*index as i128),
            Value::Text(index) => index.trim().parse().ok(),
            _ => None,
        };
        let Some(index) = index else { return Err(wrong(call, "its index must be a whole number")) };
        let length = i128::try_from(parts.len()).unwrap_or(i128::MAX);
        let found = usize::try_from(if index < 0 { index + length } else { index }).ok().and_then(|at| parts.get(at));
        found.cloned().ok_or_else(|| {
            let parts = count(parts.len(), "part");
            wrong(call, format!("its index is {index}, but the text has {parts}, counted from 0"))
        })
    }

    pub(super) fn fn_split(call: &Call<'_>, delimiter: &Value, text: &Value) -> Result<Value, Fault> {
        match (known!(delimiter), known!(text)) {
            (Value::Text(delimiter), Value::Text(text)) if !delimiter.is_empty() => {
                Ok(Value::List(text.split(&**delimiter).map(Value::from).collect()))
            }
            (delimiter, text) => {
                let why = format!("it takes a delimiter and a string, not {} and {}", delimiter.kind(), text.kind());
                Err(wrong(call, why))
            }
        }
    }

    pub(super) fn digest(call: &Call<'_>, arguments: &Value) -> Result<Value, Fault> {
        let form = || wrong(call, "it takes a list of two strings: the algorithm and the text");
        let Value::List(arguments) = known!(arguments) else { return Err(form()) };
        if arguments.contains(&Value::Unknown) && arguments.len() == 2 {
            return Ok(Value::Unknown);
        }
        let [Value::Text(algorithm), Value::Text(text)] = arguments.as_slice() else { return Err(form()) };
        let bytes: Option<Vec<u8>> = text.chars().map(|character| u8::try_from(character).ok()).collect();
        let name = algorithm.to_lowercase();
        let other = OTHER_DIGESTS.contains(&&*name);
        let Some(bytes) = bytes else {
            return Err(wrong(call, "its text has characters beyond U+00FF, which Heat cannot digest"));
        };
        let digest = match &*name {
            "md5" => hex(&Md5::digest(&bytes)),
            "sha1" => hex(&Sha1::digest(&bytes)),
            "sha224" => hex(&Sha224::digest(&bytes)),
            "sha256" => hex(&Sha256::digest(&bytes)),
            "sha384" => hex(&Sha384::digest(&bytes)),
            "sha512" => hex(&Sha512::digest(&bytes)),
            "sha512_224" => hex(&Sha512_224::digest(&bytes)),
            "sha512_256" => hex(&Sha512_256::digest(&bytes)),
            _ if other => return Ok(Value::Unknown),
            "shake_128" | "shake_256" => {
                return Err(wrong(call, format!("`{algorithm}` needs a length, which cannot be given")));
            }
            _ => {
                let why = format!(
                    "there is no algorithm `{algorithm}`: use one of md5, sha1, sha224, sha256, sha384 and sha512"
                );
                return Err(wrong(call, why));
            }
        };
        Ok(Value::Text(digest))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
