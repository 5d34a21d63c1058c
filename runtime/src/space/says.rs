//! Publishes and reads the statuses of servers and components.

use wattle::model::Name;
use wattle_agent_core::request::{self, Say};

use crate::store::{StoreError, Version};

use super::{Failure, Revision, ServerStatus, Space, SpaceError, Status, Sure, parse_json, unverified};

impl Space {
    /// Publishes the status of `component` (`SERVER/COMPONENT`). Before each request that changes something, the caller
    /// must be `sure` that it acts for the server, because the statuses of other agents are overwritten.
    ///
    /// # Errors
    /// [`SpaceError::Unsure`] if it is not, [`StoreError::Missing`] if the model no longer has the component,
    /// [`SpaceError::Superseded`] if its status is of a newer revision, [`StoreError::Denied`].
    pub async fn set_status(&self, component: &str, status: &Status, sure: Sure<'_>) -> Result<(), SpaceError> {
        let known = self.said(&self.layout.status(component), status.space.as_ref());
        self.say(Say::of_component(&self.layout, component, status, Some(known)), status.space.as_ref(), sure).await
    }

    /// The status of `component` (`SERVER/COMPONENT`). `None` if it never had one.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn status(&self, component: &str) -> Result<Option<Status>, SpaceError> {
        self.get_json(&self.layout.status(component)).await
    }

    /// Publishes the status of `server`.
    ///
    /// # Errors
    /// As for [`Space::set_status`].
    pub async fn set_server_status(
        &self,
        server: &str,
        status: &ServerStatus,
        sure: Sure<'_>,
    ) -> Result<(), SpaceError> {
        let known = self.said(&self.layout.server_status(server), status.space.as_ref());
        self.say(Say::of_server(&self.layout, server, status, Some(known)), status.space.as_ref(), sure).await
    }

    /// The version of the last write at `path`. At first, the node is assumed to be unwritten. If it is not, it is
    /// read.
    fn said(&self, path: &str, space: Option<&Name>) -> Version {
        self.versions().take(path, space).unwrap_or(Version::UNTOUCHED)
    }

    async fn say(&self, say: Say, space: Option<&Name>, sure: Sure<'_>) -> Result<(), SpaceError> {
        let path = say.path().to_owned();
        match self.ask_while(say, sure).await {
            Ok(version) => {
                self.versions().note(path, space, version);
                Ok(())
            }
            Err(SpaceError::Unknown { .. }) => Err(StoreError::missing(&path).into()),
            Err(error) => Err(error),
        }
    }

    /// The status of `server`. `None` if it never had one.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn server_status(&self, server: &str) -> Result<Option<ServerStatus>, SpaceError> {
        self.get_json(&self.layout.server_status(server)).await
    }

    /// Reads the last status of `server`, regardless of its writer. `None` if it is malformed.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn said_of_server(&self, server: &str) -> Result<Option<ServerStatus>, SpaceError> {
        let path = self.layout.server_status(server);
        let said = self.store().get(&path).await?;
        Ok(said.and_then(|said| parse_json(&path, unverified(&said.data)).unwrap_or_default()))
    }

    /// Waits until `component` (`SERVER/COMPONENT`) has ended in `revision`, and returns its failure, if it failed.
    ///
    /// # Errors
    /// As for [`Space::read`].
    pub async fn ended(&self, component: &str, revision: &Revision) -> Result<Option<Failure>, SpaceError> {
        self.ask(request::Ended::wait(&self.layout, &component.into(), revision)).await
    }
}
