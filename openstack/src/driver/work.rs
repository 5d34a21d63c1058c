//! The context shared by all requests of one job.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use serde_json::{Value, json};
use wattle_model::Name;

use super::asked::Asked;
use super::json::{given, sent};
use super::mark::Mark;
use super::stop::{Stop, of_creation, of_reading};
use crate::session::Call;
use crate::version::Version;
use crate::{Fault, Method, Session};

/// One job or one observation: the session, the row, and the deadline.
pub(super) struct Work<'a> {
    pub(super) session: &'a Session,
    pub(super) asked: &'a Asked,
    pub(super) marks: &'a Mark,
    /// The mark of the row's thing.
    pub(super) mark: String,
    /// The name of a thing that specifies none.
    pub(super) name: String,
    /// The thing's attributes after the last action on it, including those that the properties do not determine.
    pub(super) noted: &'a BTreeMap<Name, wattle_model::Value>,
    /// Properties that may have been given before and no longer are: `PROPERTY`, or `PROPERTY.KEY`.
    pub(super) left: &'a BTreeSet<Name>,
    /// The time after which no request is started.
    pub(super) until: Option<SystemTime>,
}

impl Work<'_> {
    /// The value of an attribute after the last action on the thing, if any.
    pub(super) fn noted(&self, attribute: &str) -> Option<Value> {
        self.noted.get(attribute).map(sent)
    }

    /// Whether a property, or `PROPERTY.KEY`, was given before and no longer is.
    pub(super) fn has_left(&self, property: &str) -> bool {
        self.left.contains(property)
    }

    /// The wanted name of a thing: the template's, or one derived from its resource's name, as in Heat.
    pub(super) fn called(&self, properties: &Value) -> Value {
        given(properties, "name").cloned().unwrap_or_else(|| self.name.as_str().into())
    }

    /// Sends a request.
    pub(super) async fn ask(&self, call: Call) -> Result<Value, Fault> {
        self.session.call(Call { until: self.until, ..call }).await
    }

    /// Returns all items of a list.
    pub(super) async fn every(&self, call: Call, key: &str) -> Result<Vec<Value>, Fault> {
        self.session.list(Call { until: self.until, ..call }, key).await
    }

    /// Returns all items of a list; an unreadable list counts as unknown.
    pub(super) async fn listed(&self, call: Call, key: &str) -> Result<Vec<Value>, Stop> {
        self.every(call, key).await.map_err(of_reading)
    }

    /// Reads one thing, if it exists.
    pub(super) async fn read(&self, call: Call, key: &str) -> Result<Option<Value>, Stop> {
        match self.ask(call).await {
            Ok(mut answer) => Ok(Some(answer.get_mut(key).map(Value::take).unwrap_or_default())),
            Err(fault) if fault.is_missing() => Ok(None),
            Err(fault) => Err(of_reading(fault)),
        }
    }

    /// Sends the single request that creates something.
    pub(super) async fn make(&self, call: Call) -> Result<Value, Stop> {
        self.ask(call).await.map_err(of_creation)
    }

    /// Changes an existing thing. The outcome is a refusal if something that the request names does not exist. The
    /// request is sent only once: a late copy would undo a later change.
    pub(super) async fn change(&self, call: Call) -> Result<Value, Stop> {
        Ok(self.ask(call.once()).await?)
    }

    /// Removes something. `None` if it did not exist.
    pub(super) async fn remove(&self, call: Call) -> Result<Option<()>, Stop> {
        match self.ask(call).await {
            Ok(_) => Ok(Some(())),
            Err(fault) if fault.is_missing() => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }
}

/// Creates a call that reads.
pub(super) fn get(service: &'static str, path: impl Into<String>) -> Call {
    Call::new(service, Method::Get, path)
}

/// Creates a call with a body under one key.
pub(super) fn put(service: &'static str, path: impl Into<String>, key: &str, body: Value) -> Call {
    Call::new(service, Method::Put, path).body(json!({ key: body }))
}

/// Creates a call that creates a child resource, with a body under one key.
pub(super) fn post(service: &'static str, path: impl Into<String>, key: &str, body: Value) -> Call {
    Call::new(service, Method::Post, path).body(json!({ key: body }))
}

/// Creates a call that removes something.
pub(super) fn delete(service: &'static str, path: impl Into<String>) -> Call {
    Call::new(service, Method::Delete, path)
}

/// The list of a collection, which is read once for all types that use it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Collection {
    pub(super) service: &'static str,
    pub(super) path: &'static str,
    pub(super) key: &'static str,
    pub(super) version: Option<Version>,
}

impl Collection {
    /// Returns the call that reads the list.
    pub(super) fn call(&self) -> Call {
        Call { version: self.version, ..get(self.service, self.path) }
    }
}
