//! Sets a node's data, once.

use zookeeper_client::{Client, Error};

use super::gather::{Gather, Written};
use super::session::Session;
use super::tries::{Tries, is_loss};
use super::version;
use crate::store::{StoreError, Version};

pub(super) async fn set(
    session: &Session,
    gather: &Gather,
    path: &str,
    data: &[u8],
    expected: Option<Version>,
) -> Result<Version, StoreError> {
    StoreError::check_size(path, data)?;
    let mut tries = Tries::new(session);
    let began = session.id();
    if let Some(expected) = expected {
        match gather.set(path, data, expected, began).await {
            Written::Done(version) => return Ok(version),
            Written::Other => return Err(StoreError::Conflict { path: path.to_owned() }),
            Written::Not => {}
            Written::Doubtful => tries.lost(),
        }
    }
    loop {
        let client = tries.client().await?;
        // A repeated unconditional write would overwrite what others have written since.
        if expected.is_none() && tries.in_doubt() {
            match client.ask(find(&client, path, data, expected)).await {
                Ok(Some(version)) => return Ok(version),
                Ok(None) => {}
                Err(error) => {
                    tries.again(error, "write", path)?;
                    continue;
                }
            }
        }
        // A lost data space takes its sessions with it, and the counts of the next one's nodes restart. So only a check
        // in advance shows whose version it is.
        if let Some(expected) = expected
            && client.session_id().0 != began
        {
            match client.ask(is_other(&client, path, expected)).await {
                Ok(false) => {}
                Ok(true) => return Err(StoreError::Conflict { path: path.to_owned() }),
                Err(error) => {
                    tries.again(error, "write", path)?;
                    continue;
                }
            }
        }
        match client.ask(client.set_data(path, data, expected.map(|version| version.count))).await {
            // ZooKeeper compares how many times the data was set, which starts again for a node that was created again.
            Ok(stat) if expected.is_some_and(|expected| stat.czxid > expected.transaction) => {
                return Err(StoreError::Conflict { path: path.to_owned() });
            }
            Ok(stat) => return Ok(version(&stat)),
            Err(Error::BadVersion) if tries.in_doubt() => match client.ask(find(&client, path, data, expected)).await {
                Ok(Some(version)) => return Ok(version),
                Err(error) if is_loss(&error) => tries.again(error, "write", path)?,
                _ => return Err(StoreError::Conflict { path: path.to_owned() }),
            },
            Err(error) => tries.again(error, "write", path)?,
        }
    }
}

/// Whether the node at `path` was created after it had the version `expected`.
async fn is_other(client: &Client, path: &str, expected: Version) -> Result<bool, Error> {
    client.sync(path).await?;
    Ok(client.check_stat(path).await?.is_some_and(|stat| stat.czxid > expected.transaction))
}

/// The version of our `data`, if an earlier attempt of ours wrote it.
async fn find(client: &Client, path: &str, data: &[u8], expected: Option<Version>) -> Result<Option<Version>, Error> {
    // The responding member may lag behind the one that received the earlier attempt.
    client.sync(path).await?;
    let next = |count: i32| expected.is_none_or(|expected| count == expected.count.wrapping_add(1));
    match client.get_data(path).await {
        Ok((there, stat)) if there == data && next(stat.version) => Ok(Some(version(&stat))),
        // A client that may write but not read can still see the length and how many times the node was set.
        Err(Error::NoAuth) if expected.is_some() => {
            let stat = client.check_stat(path).await?;
            let ours = stat.filter(|stat| usize::try_from(stat.data_length) == Ok(data.len()) && next(stat.version));
            Ok(ours.as_ref().map(version))
        }
        Ok(_) | Err(Error::NoNode | Error::NoAuth) => Ok(None),
        Err(error) => Err(error),
    }
}
