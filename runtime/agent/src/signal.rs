//! Signals, which a server sends to Heat's wait conditions, and their results.
//!
//! Unless stated otherwise, the rules are Heat's own (`heat/engine/resources/wait_condition.py`,
//! `openstack/heat/wait_condition_handle.py`).

use serde::{Deserialize, Serialize};
use wattle_model::{IndexMap, IndexSet, Name, Value};

use crate::time::Time;

/// The maximum number of bytes of all signals of a server, as JSON. Longer data is not read either.
pub const MOST_BYTES: usize = 48 << 10;

/// The maximum number of characters of a handle's name.
const LONGEST_HANDLE: usize = 128;

/// Success or failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Outcome {
    /// It succeeded.
    Success,
    /// It failed.
    Failure,
}

/// One signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// Success or failure.
    pub status: Outcome,
    /// Its name within its handle. A later signal with the same name replaces it. `None` if it is only counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Name>,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Any data that it carries.
    #[serde(default = "null", skip_serializing_if = "is_null")]
    pub data: Value,
    /// The component whose recipe sent it. `None` if something else on the server did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<Name>,
    /// The number of the server's plan at that time.
    #[serde(default)]
    pub plan: u64,
    /// When it was sent, by the server's own clock.
    pub at: Time,
}

fn null() -> Value {
    Value::Null
}

fn is_null(value: &Value) -> bool {
    *value == Value::Null
}

/// All signals of a server, by handle. The handle with the latest signal comes last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Signals {
    /// The signals of each handle, in their order.
    pub handles: IndexMap<Name, Vec<Signal>>,
}

/// Why a program's input is not a valid signal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSignal {
    /// It is not an object.
    #[error("a signal is an object such as {{\"status\": \"SUCCESS\"}}, but this is {0}")]
    NoObject(&'static str),
    /// It has an unknown field.
    #[error("a signal has no field `{0}`: it has `status`, `reason`, `data` and `id`")]
    Field(String),
    /// Its status is neither success nor failure.
    #[error("the `status` of a signal is \"SUCCESS\" or \"FAILURE\", but this is {0}")]
    Status(String),
    /// Its name is not valid.
    #[error("the `id` of a signal is text or a number, but this is {0}")]
    Id(String),
    /// The name of its handle is not valid.
    #[error("`{0}` is not a handle: `curl_cli` of a wait condition's handle names one")]
    Handle(String),
    /// There is no room for it.
    #[error(
        "the signals of a server have at most {MOST_BYTES} bytes, and there is no room for this one: shorten its `data`"
    )]
    TooMuch,
}

impl Signal {
    /// Parses a program's input as Heat does: an empty input is a success.
    ///
    /// # Errors
    /// It is not a signal.
    pub fn read(said: &Value, at: Time) -> Result<Self, NoSignal> {
        let mut signal =
            Self { status: Outcome::Success, id: None, reason: None, data: Value::Null, component: None, plan: 0, at };
        let fields = match said {
            Value::Null => return Ok(signal),
            Value::Map(fields) => fields,
            other => return Err(NoSignal::NoObject(other.kind())),
        };
        for (field, value) in fields {
            match &**field {
                "status" => {
                    signal.status = match value.as_str() {
                        Some("SUCCESS") => Outcome::Success,
                        Some("FAILURE") => Outcome::Failure,
                        _ => return Err(NoSignal::Status(value.to_string())),
                    };
                }
                "id" => match value {
                    Value::Str(id) => signal.id = Some(id.clone()),
                    Value::Integer(_) | Value::Float(_) => signal.id = Some(value.to_string().into()),
                    other => return Err(NoSignal::Id(other.to_string())),
                },
                "reason" => {
                    signal.reason = match value {
                        Value::Null => None,
                        Value::Str(reason) => Some(reason.to_string()),
                        other => Some(other.to_string()),
                    };
                }
                "data" => signal.data = value.clone(),
                _ => return Err(NoSignal::Field(field.to_string())),
            }
        }
        Ok(signal)
    }
}

impl Signals {
    /// Parses a node that a server may have written. Returns `None` if the data is malformed or too long.
    pub fn parse(data: &[u8]) -> Option<Self> {
        if data.len() > MOST_BYTES + crate::content::ENVELOPE {
            return None;
        }
        serde_json::from_slice(data).ok()
    }

    /// Encodes the signals as JSON.
    ///
    /// # Panics
    /// Never.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("INVARIANT: signals are JSON")
    }

    /// Adds a signal. If a recipe `begins` to signal this handle, the signals of its earlier run are dropped, because
    /// the new run sends them again. If there is no room, the oldest signals of other handles are dropped too.
    ///
    /// # Errors
    /// The handle's name is invalid, or there is no room. Nothing has changed then.
    pub fn add(&mut self, handle: &str, signal: Signal, begins: bool) -> Result<(), NoSignal> {
        let is_sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
        if handle.is_empty() || handle.len() > LONGEST_HANDLE || !handle.chars().all(is_sign) {
            return Err(NoSignal::Handle(handle.to_owned()));
        }
        let mut all = self.clone();
        let mut own = all.handles.shift_remove(handle).unwrap_or_default();
        own.retain(|former| {
            let is_former_run = begins && signal.component.is_some() && former.component == signal.component;
            !is_former_run && (signal.id.is_none() || former.id != signal.id)
        });
        own.push(signal);
        all.handles.insert(handle.into(), own);
        while all.to_bytes().len() > MOST_BYTES {
            if all.handles.len() < 2 {
                return Err(NoSignal::TooMuch);
            }
            all.handles.shift_remove_index(0);
        }
        *self = all;
        Ok(())
    }
}

/// The signals of one handle from several servers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard(IndexMap<Name, Signal>);

impl Heard {
    /// Merges all signals of a handle, in any order: earlier ones count first. A later one replaces one with the same
    /// name, and one without a name takes the next free number.
    pub fn of(mut signals: Vec<Signal>) -> Self {
        signals.sort_by_key(|signal| signal.at);
        let named: IndexSet<Name> = signals.iter().filter_map(|signal| signal.id.clone()).collect();
        let mut heard: IndexMap<Name, Signal> = IndexMap::default();
        let mut number = 0_u64;
        for mut signal in signals {
            let id = signal.id.clone().unwrap_or_else(|| {
                loop {
                    number += 1;
                    let id = Name::from(number.to_string());
                    if !named.contains(&id) {
                        break id;
                    }
                }
            });
            signal.reason = signal.reason.or_else(|| Some(format!("Signal {id} received")));
            heard.insert(id, signal);
        }
        Self(heard)
    }

    /// The number of successes.
    pub fn successes(&self) -> usize {
        self.0.values().filter(|signal| signal.status == Outcome::Success).count()
    }

    /// The reasons of all signals with this status.
    pub fn reasons(&self, status: Outcome) -> Vec<&str> {
        let of = self.0.values().filter(|signal| signal.status == status);
        of.filter_map(|signal| signal.reason.as_deref()).collect()
    }

    /// Their data by name, as JSON.
    pub fn data(&self) -> String {
        let data = self.0.iter().map(|(id, signal)| (id.clone(), signal.data.clone()));
        Value::Map(data.collect()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Signal, NoSignal> {
        Signal::read(&serde_json::from_str(json).expect("JSON"), Time::EPOCH)
    }

    fn said(json: &str, seconds: u64) -> Signal {
        Signal { at: Time::from_secs(seconds), ..read(json).expect("a signal") }
    }

    #[test]
    fn a_signal_is_what_heat_takes_for_one() {
        for plain in ["null", "{}", r#"{"status": "SUCCESS"}"#] {
            assert_eq!(read(plain), read(r#"{"status": "SUCCESS", "reason": null, "data": null}"#), "{plain}");
        }
        let whole =
            read(r#"{"status": "FAILURE", "reason": "no disk", "data": {"free": 0}, "id": 7}"#).expect("a signal");
        assert_eq!((whole.status, whole.reason.as_deref()), (Outcome::Failure, Some("no disk")));
        assert_eq!((whole.id.as_deref(), whole.data.to_string()), (Some("7"), r#"{"free":0}"#.to_owned()));
        for (json, why) in [
            ("[]", "this is a list"),
            ("\"SUCCESS\"", "this is a string"),
            (r#"{"status": "OK"}"#, "this is \"OK\""),
            (r#"{"status": null}"#, "this is null"),
            (r#"{"state": "SUCCESS"}"#, "no field `state`"),
            (r#"{"id": [1]}"#, "this is [1]"),
        ] {
            let refused = read(json).expect_err("a refusal").to_string();
            assert!(refused.contains(why), "{json}: {refused}");
        }
    }

    #[test]
    fn signals_are_counted_named_and_their_data_kept() {
        let heard = Heard::of(vec![
            said(r#"{"data": "third"}"#, 3),
            said(r#"{"id": "2", "data": 2}"#, 2),
            said(r#"{"data": "first"}"#, 1),
            said(r#"{"id": "2", "data": "again"}"#, 4),
        ]);
        assert_eq!(heard.successes(), 3);
        assert_eq!(heard.data(), r#"{"1":"first","2":"again","3":"third"}"#);
        assert_eq!(heard.reasons(Outcome::Success), ["Signal 1 received", "Signal 2 received", "Signal 3 received"]);
        let failed = Heard::of(vec![said("{}", 1), said(r#"{"status": "FAILURE", "reason": "no disk"}"#, 2)]);
        assert_eq!((failed.successes(), failed.reasons(Outcome::Failure)), (1, vec!["no disk"]));
        assert_eq!(Heard::default().data(), "{}");
    }

    #[test]
    fn what_a_recipe_says_when_it_runs_again_takes_the_place_of_what_it_said() {
        let of = |component: &str, json: &str| Signal { component: Some(component.into()), ..said(json, 1) };
        let mut signals = Signals::default();
        signals.add("3-1-ab", of("web", r#"{"status": "FAILURE"}"#), true).expect("room");
        signals.add("3-1-ab", of("web", "{}"), false).expect("room");
        signals.add("3-1-ab", of("other", "{}"), true).expect("room");
        signals.add("3-2-cd", of("web", "{}"), true).expect("room");
        signals.add("3-1-ab", said("{}", 1), true).expect("room");
        let count = |signals: &Signals| signals.handles.get("3-1-ab").map_or(0, Vec::len);
        assert_eq!(count(&signals), 4);
        signals.add("3-1-ab", of("web", "{}"), true).expect("room");
        assert_eq!((count(&signals), signals.handles.len()), (3, 2));
        assert!(signals.handles["3-1-ab"].iter().all(|signal| signal.status == Outcome::Success));
        assert_eq!(Signals::parse(&signals.to_bytes()), Some(signals.clone()));
        for odd in ["", "a b", "../x", &"x".repeat(LONGEST_HANDLE + 1)] {
            assert_eq!(signals.clone().add(odd, said("{}", 1), true), Err(NoSignal::Handle(odd.to_owned())));
        }
    }

    #[test]
    fn there_is_room_for_so_much() {
        let long = format!(r#"{{"data": "{}"}}"#, "x".repeat(MOST_BYTES * 2 / 3));
        let mut signals = Signals::default();
        signals.add("a", said(&long, 1), true).expect("room");
        let before = signals.clone();
        assert_eq!(signals.add("a", said(&long, 2), true), Err(NoSignal::TooMuch));
        assert_eq!(signals, before);
        signals.add("b", said(&long, 2), true).expect("what was said before of another makes room");
        assert!(signals.handles.len() == 1 && signals.handles.contains_key("b"));
        assert_eq!(Signals::parse(&vec![b' '; MOST_BYTES * 2]), None);
        assert_eq!(Signals::parse(b"{\"handles\": 1}"), None);
    }
}
