//! A client of this server's agent, over its socket. Within a recipe, it is the agent that runs the recipe. Each
//! request and each response is a line of JSON.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use wattle::manners::reason;

use crate::agent::SOCKET;
use crate::peer;

use super::error::CommandError;

/// The agent of this server.
#[derive(Debug)]
pub(super) struct Agent {
    socket: PathBuf,
    /// Identifies the calling recipe; `None` outside of recipes.
    token: Option<String>,
}

/// The agent that runs the calling recipe. `None` outside of recipes, and if the command line names a data space.
pub(super) fn agent(matches: &ArgMatches) -> Option<Agent> {
    let is_elsewhere = ["space", "dir", "stack", "key"].into_iter().any(|name| matches.contains_id(name));
    Agent::of_recipe().filter(|_| !is_elsewhere)
}

impl Agent {
    /// The agent that runs the calling recipe. `None` outside of recipes.
    pub(super) fn of_recipe() -> Option<Self> {
        let socket = std::env::var_os("WATTLE_SOCKET").filter(|socket| !socket.is_empty())?;
        let token = std::env::var("WATTLE_TOKEN").ok()?;
        Some(Self { socket: socket.into(), token: Some(token) })
    }

    /// The agent that works in a folder.
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { socket: folder.join(SOCKET), token: None }
    }

    /// Sends a signal to its waiters, and returns once it is published.
    pub(super) async fn signal(&self, handle: &str, said: &wattle::model::Value) -> Result<(), CommandError> {
        self.ask(&json!({ "token": self.token, "signal": handle, "value": said })).await.map(|_| ())
    }

    /// Returns the value of an input. If the recipe was started before the value exists, waits for it. It is null for
    /// an optional input that is not wired.
    pub(super) async fn get(&self, name: &str) -> Result<wattle::model::Value, CommandError> {
        let answer = self.ask(&json!({ "token": self.token, "get": name })).await?;
        let value = answer.get("value").unwrap_or(&Value::Null);
        wattle::model::Value::deserialize(value)
            .map_err(|error| CommandError::new(format!("the agent gave no value for `{name}`: {error}")))
    }

    /// Publishes an output.
    pub(super) async fn set(&self, name: &str, value: &Value) -> Result<(), CommandError> {
        self.ask(&json!({ "token": self.token, "set": name, "value": value })).await.map(|_| ())
    }

    async fn ask(&self, question: &Value) -> Result<Value, CommandError> {
        let lost = |error: &std::io::Error| {
            let failure =
                CommandError::new(format!("the agent at {} does not answer: {}", self.socket.display(), reason(error)));
            match self.token {
                Some(_) => failure.note("WATTLE_SOCKET names it; this works only while the recipe runs"),
                None => failure.note("only root may ask it; `--state DIR` names another agent's folder"),
            }
        };
        let stream = UnixStream::connect(&self.socket).await.map_err(|error| lost(&error))?;
        // Only the agent may get the token.
        peer::check(&stream, &self.socket).map_err(|error| lost(&error))?;
        let mut stream = BufReader::new(stream);
        stream.write_all(format!("{question}\n").as_bytes()).await.map_err(|error| lost(&error))?;
        let mut line = String::new();
        stream.read_line(&mut line).await.map_err(|error| lost(&error))?;
        let answer: Value = serde_json::from_str(&line).map_err(|_| {
            CommandError::new(format!("the agent at {} ended before it answered", self.socket.display()))
        })?;
        match answer.get("error") {
            Some(error) => Err(CommandError::new(error.as_str().map_or_else(|| error.to_string(), str::to_owned))),
            None => Ok(answer),
        }
    }
}
