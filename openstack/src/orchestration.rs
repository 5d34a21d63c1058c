//! A Heat stack: creating and changing it, and reading its state.
//!
//! A stack is found by its name, which is unique in its project. Its tag says whether it belongs to the deployment. Source: the
//! Orchestration API v1.

mod follow;
mod tree;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::driver::{Mark, encoded};
use crate::session::Call;
use crate::{Fault, Method, Session};

pub use follow::{Follow, ResourceEvent, Step};
pub use tree::{Resource, Tree};

/// The type of the service.
pub const SERVICE: &str = "orchestration";

/// How many levels of nested stacks are read. Heat never allows more.
const DEPTH: usize = 20;

/// A stack, identified by its name and its deployment's mark.
#[derive(Clone)]
pub struct Orchestration {
    session: Arc<Session>,
    name: String,
    tag: String,
}

impl std::fmt::Debug for Orchestration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Orchestration").field("name", &self.name).field("tag", &self.tag).finish_non_exhaustive()
    }
}

/// A stack as Heat describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Its id in Heat.
    pub id: String,
    /// Its last action and the action's progress: `UPDATE_IN_PROGRESS`.
    pub status: String,
    /// Heat's reason for the status.
    pub reason: String,
    /// Whether it has the deployment's tag.
    pub is_own: bool,
}

impl Stack {
    /// Whether an action is in progress.
    pub fn is_busy(&self) -> bool {
        self.status.ends_with("_IN_PROGRESS")
    }

    /// Whether the stack has been deleted completely.
    pub fn is_gone(&self) -> bool {
        self.status == "DELETE_COMPLETE"
    }

    fn read(stack: &Value, tag: &str) -> Option<Self> {
        let text = |key: &str| stack[key].as_str().unwrap_or_default().to_owned();
        let tags = stack["tags"].as_array().into_iter().flatten();
        let is_own = tags.filter_map(Value::as_str).any(|known| known == tag);
        let id = text("id");
        let read = Self { id, status: text("stack_status"), reason: text("stack_status_reason"), is_own };
        (!read.id.is_empty()).then_some(read)
    }
}

/// An output of a stack.
#[derive(Clone, PartialEq, Eq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its value, or Heat's reason why it has none.
    pub value: Result<Value, String>,
}

impl Output {
    fn read(output: &Value) -> Option<Self> {
        let name = output["output_key"].as_str()?.to_owned();
        let value = match output["output_error"].as_str() {
            Some(why) => Err(why.to_owned()),
            None => Ok(output["output_value"].clone()),
        };
        Some(Self { name, value })
    }
}

impl std::fmt::Debug for Output {
    /// Omits the value, which may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Options of a request besides the template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Heat's timeout, in minutes.
    pub minutes: u64,
    /// Whether Heat rolls back if the action fails.
    pub goes_back: bool,
}

impl Orchestration {
    /// Creates a handle for the stack `name` of the deployment with this mark.
    pub fn new(session: Arc<Session>, name: &str, mark: &str) -> Self {
        Self { session, name: name.to_owned(), tag: Mark::new(mark).whole() }
    }

    /// The stack's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Checks that the cloud offers Heat.
    ///
    /// # Errors
    /// The cloud has no such service, or rejects the login.
    pub async fn is_there(session: &Session) -> Result<(), Fault> {
        session.url(SERVICE).await.map(drop)
    }

    /// Finds the stack by its name.
    ///
    /// # Errors
    /// Heat cannot be queried.
    pub async fn find(&self) -> Result<Option<Stack>, Fault> {
        let call = Call::new(SERVICE, Method::Get, format!("/stacks?name={}", encoded(&self.name)));
        let listed = self.session.list(call, "stacks").await?;
        let stack = listed.iter().find(|stack| stack["stack_name"] == *self.name);
        Ok(stack.and_then(|stack| Stack::read(stack, &self.tag)).filter(|stack| !stack.is_gone()))
    }

    /// Shows the stack with this id; `None` once it is deleted.
    ///
    /// # Errors
    /// Heat cannot be queried.
    pub async fn show(&self, id: &str) -> Result<Option<Stack>, Fault> {
        let call = Call::new(SERVICE, Method::Get, format!("{}?resolve_outputs=false", self.path(id)));
        match self.session.call(call).await {
            Ok(answer) => Ok(Stack::read(&answer["stack"], &self.tag).filter(|stack| !stack.is_gone())),
            Err(fault) if fault.is_missing() => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Asks whether Heat would accept `package` for the stack with this id, or for a new one. It is not an error if
    /// Heat cannot tell: the actual request will.
    ///
    /// # Errors
    /// Heat would reject it, for the given reason.
    pub async fn preview(&self, id: Option<&str>, package: &Map<String, Value>) -> Result<(), Fault> {
        let call = match id {
            Some(id) => {
                Call::new(SERVICE, Method::Put, format!("{}/preview", self.path(id))).body(package.clone().into())
            }
            None => Call::new(SERVICE, Method::Post, "/stacks/preview").body(self.named(package).into()),
        };
        match self.session.call(call).await {
            Err(fault @ Fault::Refused { status: 400 | 403, .. }) => Err(fault),
            Ok(_) | Err(Fault::Refused { .. } | Fault::Unknown { .. } | Fault::Senseless { .. }) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    /// Creates the stack, and returns its id.
    ///
    /// # Errors
    /// The stack was not created, or its creation is uncertain ([`Fault::Unknown`]); in the latter case, call
    /// [`find`](Self::find).
    pub async fn create(&self, package: &Map<String, Value>, terms: Terms) -> Result<String, Fault> {
        let body = self.named(&self.under(package, terms));
        let answer = self.session.call(Call::new(SERVICE, Method::Post, "/stacks").body(body.into())).await?;
        match answer["stack"]["id"].as_str() {
            Some(id) => Ok(id.to_owned()),
            None => Err(Fault::Unknown {
                service: SERVICE.into(),
                what: "to create `/stacks`".into(),
                why: "its answer has no id".into(),
            }),
        }
    }

    /// Updates the stack.
    ///
    /// # Errors
    /// The stack was not updated.
    pub async fn update(&self, id: &str, package: &Map<String, Value>, terms: Terms) -> Result<(), Fault> {
        let body = self.under(package, terms);
        self.session.call(Call::new(SERVICE, Method::Put, self.path(id)).body(body.into())).await.map(drop)
    }

    /// Deletes the stack.
    ///
    /// # Errors
    /// The stack was not deleted. A stack that no longer exists is not an error.
    pub async fn delete(&self, id: &str) -> Result<(), Fault> {
        match self.session.call(Call::new(SERVICE, Method::Delete, self.path(id))).await {
            Err(fault) if !fault.is_missing() => Err(fault),
            _ => Ok(()),
        }
    }

    /// Has Heat check whether the resources of the stack exist.
    ///
    /// # Errors
    /// The check was not started.
    pub async fn check(&self, id: &str) -> Result<(), Fault> {
        let call = Call::new(SERVICE, Method::Post, format!("{}/actions", self.path(id)));
        self.session.call(call.body(json!({ "check": null }))).await.map(drop)
    }

    /// Lists the resources of the stack and of its nested stacks.
    ///
    /// # Errors
    /// Heat cannot be queried.
    pub async fn resources(&self, id: &str) -> Result<Tree, Fault> {
        let path = format!("{}/resources?nested_depth={DEPTH}", self.path(id));
        let listed = self.session.list(Call::new(SERVICE, Method::Get, path), "resources").await?;
        Ok(Tree::read(id, &listed))
    }

    /// Lists the outputs of the stack, in the order of Heat's response.
    ///
    /// # Errors
    /// Heat cannot be queried.
    pub async fn outputs(&self, id: &str) -> Result<Vec<Output>, Fault> {
        let answer = self.session.call(Call::new(SERVICE, Method::Get, self.path(id))).await?;
        let outputs = answer["stack"]["outputs"].as_array().into_iter().flatten();
        Ok(outputs.filter_map(Output::read).collect())
    }

    fn path(&self, id: &str) -> String {
        format!("/stacks/{}/{}", encoded(&self.name), encoded(id))
    }

    fn named(&self, package: &Map<String, Value>) -> Map<String, Value> {
        let mut named = package.clone();
        named.insert("stack_name".into(), self.name.as_str().into());
        named
    }

    fn under(&self, package: &Map<String, Value>, terms: Terms) -> Map<String, Value> {
        let mut body = package.clone();
        body.insert("timeout_mins".into(), terms.minutes.into());
        body.insert("disable_rollback".into(), (!terms.goes_back).into());
        body.insert("tags".into(), self.tag.as_str().into());
        body
    }
}
