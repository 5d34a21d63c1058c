//! Follows the events of a stack.

use std::collections::BTreeSet;

use serde_json::Value;
use wattle_model::Name;

use super::tree::{linked, within};
use super::{DEPTH, Orchestration, SERVICE, Stack, Tree};
use crate::driver::encoded;
use crate::session::Call;
use crate::{Fault, Method};

/// How many reads in a row must show no event before a stack without an action in progress counts as finished: its last
/// event may be late.
const STILL: u32 = 2;

/// The position of a follower in a stack's events.
#[derive(Clone, Debug)]
pub struct Follow {
    id: String,
    /// The last event that was read.
    marker: Option<String>,
    tree: Tree,
    /// Nested stacks that appeared in no list yet.
    unknown: BTreeSet<String>,
    /// Whether the stack itself has finished.
    has_ended: bool,
    still: u32,
}

/// A change of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceEvent {
    /// Its path.
    pub path: Name,
    /// Its type, if it is known.
    pub kind: Name,
    /// The action on it and the action's progress.
    pub status: String,
    /// Heat's reason for the status.
    pub reason: String,
    /// Whether it is a stack itself.
    pub is_stack: bool,
}

/// The changes since the last read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The changes, in order.
    pub changes: Vec<ResourceEvent>,
    /// The state of the stack, once it has finished. `Some(None)` means that it has been deleted.
    pub ended: Option<Option<Stack>>,
}

impl Follow {
    /// Starts after the present events of the stack with this id.
    ///
    /// # Errors
    /// Heat cannot be queried.
    pub async fn from_now(heat: &Orchestration, id: &str) -> Result<Self, Fault> {
        let last = heat.events(id, &format!("nested_depth={DEPTH}&sort_dir=desc&limit=1")).await?;
        let marker = last.first().and_then(|event| event["id"].as_str()).map(str::to_owned);
        // By the time of its events, a deleted resource is no longer in any list.
        let tree = heat.resources(id).await?;
        Ok(Self { marker, tree, ..Self::from_the_beginning(id) })
    }

    /// Starts with the creation of the stack with this id.
    pub fn from_the_beginning(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            marker: None,
            tree: Tree::default(),
            unknown: BTreeSet::new(),
            has_ended: false,
            still: 0,
        }
    }

    /// The stack's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Reads the events since the last call.
    ///
    /// # Errors
    /// Heat cannot be queried. The next call returns what this one missed.
    pub async fn look(&mut self, heat: &Orchestration) -> Result<Step, Fault> {
        let stack = heat.show(&self.id).await?;
        // Read the events after the status: by then, a stack that has finished has recorded all of its events.
        let events = match heat.events(&self.id, &self.further(stack.is_some())).await {
            Err(fault) if fault.is_missing() => Vec::new(),
            events => events?,
        };
        if events.iter().any(|event| self.is_strange(event)) && stack.is_some() {
            self.tree = match heat.resources(&self.id).await {
                Err(fault) if fault.is_missing() => Tree::default(),
                tree => tree?,
            };
            let stacks = events.iter().filter_map(|event| linked(event, "stack"));
            self.unknown.extend(stacks.filter(|stack| !self.tree.stacks.contains_key(stack)));
        }
        if let Some(last) = events.last().and_then(|event| event["id"].as_str()) {
            self.marker = Some(last.to_owned());
        }
        self.still = if events.is_empty() { self.still + 1 } else { 0 };
        let mut changes = Vec::new();
        for event in &events {
            let status = event["resource_status"].as_str().unwrap_or_default();
            if event["physical_resource_id"] == *self.id {
                self.has_ended = !status.ends_with("_IN_PROGRESS");
            } else {
                changes.extend(self.change(event, status));
            }
        }
        let is_busy = stack.as_ref().is_some_and(Stack::is_busy);
        let is_over = stack.is_none() || (!is_busy && (self.has_ended || self.still >= STILL));
        Ok(Step { changes, ended: is_over.then_some(stack) })
    }

    /// The query that selects the events. For a deleted stack, Heat still has the events, except those of nested
    /// stacks.
    fn further(&self, is_there: bool) -> String {
        let depth = if is_there { DEPTH } else { 0 };
        let marker = self.marker.as_deref().map_or(String::new(), |marker| format!("&marker={}", encoded(marker)));
        format!("nested_depth={depth}&sort_dir=asc{marker}")
    }

    /// Whether an event is about a nested stack that no list has shown.
    fn is_strange(&self, event: &Value) -> bool {
        let Some(stack) = linked(event, "stack") else { return false };
        if self.unknown.contains(&stack) || event["physical_resource_id"] == *self.id {
            return false;
        }
        let name = event["resource_name"].as_str().unwrap_or_default();
        let around = self.tree.stacks.get(&stack);
        around.is_none_or(|around| !self.tree.resources.contains_key(&within(around, name)))
    }

    fn change(&self, event: &Value, status: &str) -> Option<ResourceEvent> {
        let name = event["resource_name"].as_str()?;
        let stack = linked(event, "stack")?;
        // A nested stack also has events about itself.
        if event["physical_resource_id"] == *stack {
            return None;
        }
        let path = match self.tree.stacks.get(&stack) {
            Some(around) => within(around, name),
            None => Name::from(name),
        };
        let known = self.tree.resources.get(&path);
        Some(ResourceEvent {
            kind: known.map(|known| known.kind.clone()).unwrap_or_default(),
            is_stack: known.is_some_and(|known| known.is_stack),
            status: status.to_owned(),
            reason: event["resource_status_reason"].as_str().unwrap_or_default().to_owned(),
            path,
        })
    }
}

impl Orchestration {
    /// The events that a query asks for.
    async fn events(&self, id: &str, query: &str) -> Result<Vec<Value>, Fault> {
        let path = format!("{}/events?{query}", self.path(id));
        let mut answer = self.session.call(Call::new(SERVICE, Method::Get, path)).await?;
        match answer["events"].take() {
            Value::Array(events) => Ok(events),
            _ => Ok(Vec::new()),
        }
    }
}
