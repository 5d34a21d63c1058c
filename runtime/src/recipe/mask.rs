//! Secrets are kept out of logs and failures.
//!
//! What a recipe prints is searched for the secrets that it was given, each as it is and in the forms in which programs
//! commonly print it: as JSON, quoted for a shell, in a URL, in base64; of one with several lines, each line too. A
//! recipe that prints a secret in another form is not stopped by this.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use wattle::model::{Type, Value};
use wattle::values;

use super::Job;

/// What stands in the place of a secret.
const MASKED: &[u8] = b"***";
/// A secret shorter than this is masked only where it stands alone: else it would be found in every other word.
const SHORT: usize = 4;
/// A form in base64 that is shorter than this is too likely to be something else.
const ENCODED: usize = 8;

/// Masks secrets in a stream of bytes, wherever it is cut, and in texts.
#[derive(Clone, Default)]
pub struct Mask {
    needles: HashSet<Vec<u8>>,
    // Those of at least `SHORT` bytes by their first ones, and all the others; the longest first.
    long: HashMap<[u8; SHORT], Vec<Vec<u8>>>,
    short: Vec<Vec<u8>>,
    // The bytes with which any of them begins.
    first: HashSet<u8>,
    // What may turn out to be the beginning of a secret, and what stood before it.
    held: Vec<u8>,
    before: Option<u8>,
}

/// What is found at a place.
enum Found {
    Nothing,
    /// A secret that ends there.
    Secret(usize),
    /// More must be known to tell.
    Perhaps,
}

impl Mask {
    /// One that knows the secrets among the inputs of `job`.
    pub fn of(job: &Job) -> Self {
        let mut mask = Self::default();
        for (name, value) in &job.inputs {
            if let Some(input) = job.component.inputs.get(name) {
                mask.add_secrets(&input.ty, value);
            }
        }
        mask
    }

    /// Masks from now on what of `value` is secret by its type.
    pub fn add_secrets(&mut self, ty: &Type, value: &Value) {
        match (ty, value) {
            (Type::Hidden(_), value) => self.add(value),
            (Type::List(item), Value::List(values)) => values.iter().for_each(|value| self.add_secrets(item, value)),
            (Type::Map(item), Value::Map(values)) => values.values().for_each(|value| self.add_secrets(item, value)),
            (Type::Struct(fields), Value::Map(values)) => {
                for (name, ty) in fields {
                    if let Some(value) = values.get(name) {
                        self.add_secrets(ty, value);
                    }
                }
            }
            _ => {}
        }
    }

    /// Masks `value` from now on: each text and number in it.
    pub fn add(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Boolean(_) => {}
            Value::List(values) => values.iter().for_each(|value| self.add(value)),
            Value::Map(values) => values.values().for_each(|value| self.add(value)),
            Value::Str(_) | Value::Integer(_) | Value::Float(_) => {
                for form in forms(&values::text(value)) {
                    self.add_needle(form);
                }
            }
        }
    }

    fn add_needle(&mut self, needle: Vec<u8>) {
        if needle.is_empty() || !self.needles.insert(needle.clone()) {
            return;
        }
        self.first.extend(needle.first());
        let same_start = match needle.first_chunk() {
            Some(start) => self.long.entry(*start).or_default(),
            None => &mut self.short,
        };
        let at = same_start.partition_point(|other| other.len() > needle.len());
        same_start.insert(at, needle);
    }

    /// `text` without the secrets.
    pub fn text(&self, text: &str) -> String {
        let mut out = Vec::with_capacity(text.len());
        Self { held: Vec::new(), before: None, ..self.clone() }.pass(text.as_bytes(), true, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Adds `bytes`, which follow those of the call before, to `out` without the secrets. What may be the beginning of
    /// one is held back until more is known.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.pass(bytes, false, out);
    }

    /// Adds what was held back: nothing follows.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.pass(&[], true, out);
    }

    fn pass(&mut self, bytes: &[u8], last: bool, out: &mut Vec<u8>) {
        if self.needles.is_empty() {
            out.append(&mut self.held);
            out.extend_from_slice(bytes);
            return;
        }
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(bytes);
        let mut begins = [false; 256];
        self.first.iter().for_each(|byte| begins[usize::from(*byte)] = true);
        let mut at = 0;
        while at < text.len() {
            let plain = text[at..].iter().take_while(|byte| !begins[usize::from(**byte)]).count();
            if plain > 0 {
                out.extend_from_slice(&text[at..at + plain]);
                at += plain;
                self.before = Some(text[at - 1]);
                continue;
            }
            match self.find(&text, at, last) {
                Found::Nothing => {
                    out.push(text[at]);
                    self.before = Some(text[at]);
                    at += 1;
                }
                Found::Secret(end) => {
                    out.extend_from_slice(MASKED);
                    self.before = Some(text[end - 1]);
                    at = end;
                }
                Found::Perhaps => break,
            }
        }
        text.drain(..at);
        self.held = text;
    }

    /// A secret that begins at `at`, with those that overlap it.
    fn find(&self, text: &[u8], at: usize, last: bool) -> Found {
        let mut end = match self.longest(text, at, self.before, last) {
            Found::Secret(end) => end,
            other => return other,
        };
        let mut inside = at + 1;
        while inside < end {
            match self.longest(text, inside, Some(text[inside - 1]), last) {
                Found::Secret(further) => end = end.max(further),
                Found::Perhaps => return Found::Perhaps,
                Found::Nothing => {}
            }
            inside += 1;
        }
        Found::Secret(end)
    }

    fn longest(&self, text: &[u8], at: usize, before: Option<u8>, last: bool) -> Found {
        let rest = &text[at..];
        let Some(start) = rest.first_chunk::<SHORT>() else {
            // The end is near: what begins here may go on.
            let goes_on = |needle: &Vec<u8>| needle.len() > rest.len() && needle.starts_with(rest);
            if !last && (self.long.values().flatten().any(goes_on) || self.short.iter().any(goes_on)) {
                return Found::Perhaps;
            }
            return self.alone(rest, at, before, last);
        };
        for needle in self.long.get(start).into_iter().flatten() {
            if rest.starts_with(needle) {
                return Found::Secret(at + needle.len());
            }
            if !last && needle.starts_with(rest) {
                return Found::Perhaps;
            }
        }
        self.alone(rest, at, before, last)
    }

    fn alone(&self, rest: &[u8], at: usize, before: Option<u8>, last: bool) -> Found {
        if self.short.is_empty() || before.is_some_and(is_word) {
            return Found::Nothing;
        }
        for needle in &self.short {
            if rest.starts_with(needle) {
                match rest.get(needle.len()) {
                    Some(next) if is_word(*next) => {}
                    None if !last => return Found::Perhaps,
                    _ => return Found::Secret(at + needle.len()),
                }
            }
        }
        Found::Nothing
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mask({} not shown)", self.needles.len())
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The forms in which `secret` is printed.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let json = in_json(secret);
    let mut forms = vec![
        secret.to_owned(),
        in_json(&json),
        json,
        secret.replace('\'', r"'\''"),
        secret.replace('\'', r#"'"'"'"#),
        secret.replace('\'', r"\'"),
        in_url(secret),
    ];
    // `printf SECRET | base64` and `echo SECRET | base64`.
    let encoded = [secret.to_owned(), format!("{secret}\n")].map(|text| STANDARD_NO_PAD.encode(text));
    forms.extend(encoded.into_iter().filter(|form| form.len() >= ENCODED));
    forms.extend(secret.lines().map(str::trim).filter(|line| line.len() >= SHORT).map(str::to_owned));
    let trimmed = secret.trim();
    if trimmed.len() >= SHORT {
        forms.push(trimmed.to_owned());
    }
    forms.into_iter().map(String::into_bytes).collect()
}

fn in_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn in_url(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => encoded.push(char::from(byte)),
            byte => {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::Mask;
    use proptest::prelude::*;
    use wattle::model::{Type, Value};

    fn mask(secrets: &[&str]) -> Mask {
        let mut mask = Mask::default();
        secrets.iter().for_each(|secret| mask.add(&Value::from(*secret)));
        mask
    }

    #[test]
    fn secrets_are_masked_in_all_forms() {
        let mask = mask(&["it's \"7\"\\%"]);
        for (text, masked) in [
            ("password it's \"7\"\\%!", "password ***!"),
            (r#"{"a":"it's \"7\"\\%"}"#, r#"{"a":"***"}"#),
            (r#""{\"a\":\"it's \\\"7\\\"\\\\%\"}""#, r#""{\"a\":\"***\"}""#),
            (r#"+ echo 'it'\''s "7"\%'"#, "+ echo '***'"),
            (r#"+ echo 'it'"'"'s "7"\%'"#, "+ echo '***'"),
            ("http://u:it%27s%20%227%22%5C%25@h", "http://u:***@h"),
            ("aXQncyAiNyJcJQ== aXQncyAiNyJcJQo=", "***== ***="),
            ("it's 7", "it's 7"),
        ] {
            assert_eq!(mask.text(text), masked);
        }
    }

    #[test]
    fn short_ones_are_masked_where_they_stand_alone() {
        let mask = mask(&["", "a", "42", "true"]);
        assert_eq!(mask.text("a cat at 42, 420 or 42"), "*** cat at ***, 420 or ***");
        assert_eq!(mask.text("=a"), "=***");
    }

    #[test]
    fn the_longest_is_masked_and_what_overlaps_it() {
        let mask = mask(&["hunter", "hunter2hunter2", "er3secret"]);
        assert_eq!(mask.text("hunter hunter2hunter2 hunter2hunter3secret."), "*** *** ***2***.");
    }

    #[test]
    fn each_line_of_a_secret_is_masked() {
        let mask = mask(&["-----BEGIN KEY-----\nMIIEvQ\nIBADAN\n-----END KEY-----\n"]);
        assert_eq!(mask.text("> MIIEvQ\n> IBADAN\n"), "> ***\n> ***\n");
        assert_eq!(mask.text("x -----BEGIN KEY-----\nMIIEvQ\nIBADAN\n-----END KEY-----\n y"), "x *** y");
        assert_eq!(mask.text(r"-----BEGIN KEY-----\nMIIEvQ\nIBADAN\n-----END KEY-----\n"), "***");
    }

    #[test]
    fn only_what_is_secret_by_its_type_is_masked() {
        let hidden = || Type::Hidden(Box::new(Type::STR));
        let fields = [("user".into(), Type::STR), ("password".into(), hidden())].into_iter().collect();
        let value: Value = serde_json::from_str(r#"[{"user": "postgres", "password": "hunter2"}]"#).unwrap();
        let mut mask = Mask::default();
        mask.add_secrets(&Type::List(Box::new(Type::Struct(fields))), &value);
        assert_eq!(mask.text("postgres:hunter2"), "postgres:***");
    }

    #[test]
    fn what_cannot_become_a_secret_is_not_held_back() {
        let mut mask = mask(&["hunter2"]);
        let mut out = Vec::new();
        mask.push(b"a hunt", &mut out);
        assert_eq!(out, b"a ");
        mask.push(b"\n", &mut out);
        assert_eq!(out, b"a hunt\n");
    }

    proptest! {
        #[test]
        fn where_the_stream_is_cut_makes_no_difference(
            secrets in prop::collection::vec("[ab\n]{0,7}", 0..5),
            text in "[abc \n]{0,60}",
            cuts in prop::collection::vec(0usize..60, 0..8),
        ) {
            let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
            let mut streamed = mask(&secrets);
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < text.len()).chain([0, text.len()]).collect();
            cuts.sort_unstable();
            let mut out = Vec::new();
            for cut in cuts.windows(2) {
                streamed.push(&text.as_bytes()[cut[0]..cut[1]], &mut out);
            }
            streamed.finish(&mut out);
            let out = String::from_utf8(out).unwrap();
            prop_assert_eq!(&out, &mask(&secrets).text(&text));
            for secret in secrets.iter().filter(|secret| secret.len() >= super::SHORT) {
                prop_assert!(!out.contains(secret), "{:?} in {:?}", secret, out);
            }
        }
    }
}
