//! What is said of how servers and components are doing.

use wattle::model::Name;
use wattle_agent_core::request::{self, Say};

use crate::store::{StoreError, Version};

use super::{Failure, Revision, ServerStatus, Space, SpaceError, Status, Sure, parse_json, unverified};

impl Space {
    /// Says how `component` (`SERVER/COMPONENT`) is doing. Whoever says it must be `sure` to act for the server, before each
    /// request that changes something: what another one has said is overwritten.
    ///
    /// # Errors
    /// [`SpaceError::Unsure`] when it is not, [`StoreError::Missing`] if the model has no such component any more,
    /// [`SpaceError::Superseded`] when what was said of it is of a newer revision, [`StoreError::Denied`].
    pub async fn set_status(&self, component: &str, status: &Status, sure: Sure<'_>) -> Result<(), SpaceError> {
        let known = self.said(&self.layout.status(component), status.space.as_ref());
        self.say(Say::of_component(&self.layout, component, status, Some(known)), status.space.as_ref(), sure).await
    }

    /// How `component` (`SERVER/COMPONENT`) is doing; none if nothing was ever said.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn status(&self, component: &str) -> Result<Option<Status>, SpaceError> {
        self.get_json(&self.layout.status(component)).await
    }

    /// Says how `server` is doing.
    ///
    /// # Errors
    /// As [`Space::set_status`].
    pub async fn set_server_status(
        &self,
        server: &str,
        status: &ServerStatus,
        sure: Sure<'_>,
    ) -> Result<(), SpaceError> {
        let known = self.said(&self.layout.server_status(server), status.space.as_ref());
        self.say(Say::of_server(&self.layout, server, status, Some(known)), status.space.as_ref(), sure).await
    }

    /// The version of what was last said at `path`. At first, nobody has said anything: if that is not so, it is looked at.
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

    /// How `server` is doing; none if nothing was ever said.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn server_status(&self, server: &str) -> Result<Option<ServerStatus>, SpaceError> {
        self.get_json(&self.layout.server_status(server)).await
    }

    /// What was last said of `server`, by whoever has said it; none if it was nothing that makes sense.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn said_of_server(&self, server: &str) -> Result<Option<ServerStatus>, SpaceError> {
        let path = self.layout.server_status(server);
        let said = self.store().get(&path).await?;
        Ok(said.and_then(|said| parse_json(&path, unverified(&said.data)).unwrap_or_default()))
    }

    /// How `component` (`SERVER/COMPONENT`) ended in `revision`, waiting until it has: the failure, if it failed.
    ///
    /// # Errors
    /// As [`Space::read`].
    pub async fn ended(&self, component: &str, revision: &Revision) -> Result<Option<Failure>, SpaceError> {
        self.ask(request::Ended::wait(&self.layout, &component.into(), revision)).await
    }
}
