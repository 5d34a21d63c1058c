//! Carries out many changes in few requests.

use std::ops::Range;

use futures_util::future::try_join_all;
use wattle::model::IndexMap;
use zookeeper_client::{Acls, Client, CreateMode, Error, MultiWriteError, MultiWriter};

use super::acl::Maker;
use super::session::Session;
use super::tries::{Tries, is_loss};
use crate::store::path::check_path;
use crate::store::{Op, StoreError};

/// The maximum number of changes in one request. ZooKeeper has no limit of its own, but is blocked in the meantime.
const MOST_OPS: usize = 1_000;

/// The maximum number of bytes in one request: about half of what ZooKeeper accepts (`jute.maxbuffer`, 1,048,575).
const MOST_BYTES: usize = 500_000;

/// The maximum number of bytes in a request with a single change, which cannot be split.
const MOST_BYTES_OF_ONE: usize = 1_048_575 - 1_024;

pub(super) async fn apply(session: &Session, maker: &Maker, ops: &[Op]) -> Result<(), StoreError> {
    for op in ops {
        check_path(op.path())?;
        check_size(op)?;
    }
    let (checks, ops) = Op::conditions(ops);
    for range in batches(ops) {
        if let [Op::Delete { path }] = &ops[range.clone()]
            && path.len() > MOST_BYTES
        {
            if !checks.is_empty() {
                commit(session, maker, &checks.iter().collect::<Vec<_>>()).await?;
            }
            delete(session, path).await?;
            continue;
        }
        let batch: Vec<&Op> = checks.iter().chain(&ops[range]).collect();
        commit(session, maker, &batch).await?;
    }
    Ok(())
}

/// Deletes a node whose path leaves no room for anything else in a request. Such a node was created by a request that
/// was longer than this one.
async fn delete(session: &Session, path: &str) -> Result<(), StoreError> {
    let mut tries = Tries::new(session);
    loop {
        let client = tries.client().await?;
        match client.ask(client.delete(path, None)).await {
            Ok(()) => return Ok(()),
            Err(Error::NoNode) if tries.in_doubt() => return Ok(()),
            Err(error) => tries.again(error, "delete", path)?,
        }
    }
}

fn check_size(op: &Op) -> Result<(), StoreError> {
    if let Op::Create { path, data, .. } | Op::Set { path, data, .. } = op {
        StoreError::check_size(path, data)?;
    }
    if op.size() > MOST_BYTES_OF_ONE && !matches!(op, Op::Delete { .. }) {
        return Err(StoreError::TooLarge { path: op.path().to_owned(), bytes: op.size() });
    }
    Ok(())
}

/// Where to split `ops` into requests.
fn batches(ops: &[Op]) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, op) in ops.iter().enumerate() {
        if at > start && (at - start >= MOST_OPS || bytes + op.size() > MOST_BYTES) {
            batches.push(start..at);
            (start, bytes) = (at, 0);
        }
        bytes += op.size();
    }
    if start < ops.len() {
        batches.push(start..ops.len());
    }
    batches
}

/// Carries out `ops` in one request.
///
/// # Errors
/// The reason why none of them was carried out.
pub(super) async fn commit(session: &Session, maker: &Maker, ops: &[&Op]) -> Result<(), StoreError> {
    let mut tries = Tries::new(session);
    loop {
        let client = tries.client().await?;
        let mut writer = client.new_multi_writer();
        for op in ops {
            add(&mut writer, maker, op).map_err(|error| tries.refused(error, action(op), op.path()))?;
        }
        let lost = Err(MultiWriteError::RequestFailed { source: Error::ConnectionLoss });
        match client.answer(writer.commit()).await.unwrap_or(lost) {
            Ok(_) => return Ok(()),
            Err(MultiWriteError::OperationFailed { index, source }) => {
                let Some(op) = ops.get(index) else { return Err(session.settings().unusable(source)) };
                if tries.in_doubt() {
                    match client.ask(was_carried_out(&client, ops)).await {
                        Ok(true) => return Ok(()),
                        Ok(false) => {}
                        Err(error) if is_loss(&error) => {
                            tries.again(error, action(op), op.path())?;
                            continue;
                        }
                        Err(error) => return Err(tries.refused(error, action(op), op.path())),
                    }
                }
                return Err(tries.refused(source, action(op), op.path()));
            }
            Err(MultiWriteError::RequestFailed { source }) => {
                let first = ops.first().map_or(("write", "/"), |op| (action(op), op.path()));
                tries.again(source, first.0, first.1)?;
            }
        }
    }
}

fn add(writer: &mut MultiWriter<'_>, maker: &Maker, op: &Op) -> Result<(), Error> {
    match op {
        Op::Create { path, data, access } => {
            let acls = maker.acls(access);
            writer.add_create(path, data, &CreateMode::Persistent.with_acls(Acls::new(&acls)))
        }
        Op::Set { path, data, expected } => writer.add_set_data(path, data, expected.map(|version| version.count)),
        Op::Delete { path } => writer.add_delete(path, None),
        Op::Check { path, expected } => writer.add_check_version(path, expected.count),
    }
}

fn action(op: &Op) -> &'static str {
    match op {
        Op::Create { .. } => "create",
        Op::Set { .. } => "write",
        Op::Delete { .. } => "delete",
        Op::Check { .. } => "read",
    }
}

/// Whether an earlier attempt at `ops`, which form one request, was carried out. Its results then have the same
/// transaction.
async fn was_carried_out(client: &Client, ops: &[&Op]) -> Result<bool, Error> {
    let changes = ops.iter().filter(|op| !matches!(op, Op::Check { .. }));
    let last: IndexMap<_, _> = changes.map(|op| (op.path(), *op)).collect();
    // Operations that change nothing leave nothing. The present state counts.
    let Some((first, _)) = last.first() else { return Ok(false) };
    client.sync(first).await?;
    let stats = try_join_all(last.keys().map(|path| client.check_stat(path))).await?;
    let mut transaction = None;
    let is_so = last.values().zip(&stats).all(|(op, stat)| {
        let (data, written) = match (op, stat) {
            (Op::Delete { .. }, stat) => return stat.is_none(),
            (Op::Check { .. }, _) => return true,
            (_, None) => return false,
            // A created node may have been set by others since.
            (Op::Create { .. }, Some(stat)) if stat.version > 0 => (None, stat.czxid),
            (Op::Create { data, .. } | Op::Set { data, .. }, Some(stat)) => (Some((data, stat)), stat.mzxid),
        };
        *transaction.get_or_insert(written) == written
            && data.is_none_or(|(data, stat)| usize::try_from(stat.data_length) == Ok(data.len()))
    });
    if !is_so {
        return Ok(false);
    }
    // Others that may set these nodes conditionally may have set them to other data of the same length.
    for op in last.values() {
        if let Op::Set { path, data, expected: Some(_) } = op
            && client.get_data(path).await?.0 != *data
        {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Access;

    fn create(bytes: usize) -> Op {
        Op::Create { path: "/a".to_owned(), data: vec![0; bytes], access: Access::new() }
    }

    #[test]
    fn a_request_has_few_changes_and_few_bytes() {
        assert!(batches(&[]).is_empty());
        let many: Vec<_> = (0..2_500).map(|_| create(10)).collect();
        assert_eq!(batches(&many), [0..1_000, 1_000..2_000, 2_000..2_500]);
        let large = [create(300_000), create(300_000), create(900_000), create(10), create(10)];
        assert_eq!(batches(&large), [0..1, 1..2, 2..3, 3..5]);
    }

    #[test]
    fn what_no_request_can_hold_is_refused() {
        assert!(check_size(&create(1_000_000)).is_ok());
        assert!(matches!(check_size(&create(1_000_001)), Err(StoreError::TooLarge { bytes: 1_000_001, .. })));
    }
}
