//! Changes the rights of nodes while certain checks hold.
//!
//! ZooKeeper has no request that does both, but it counts how many times a node's rights were set. So this module first
//! reads that count, then makes the checks, and then sets the rights if they have not been set since. A client that has
//! changed the checked nodes in the meantime has either set the rights already, which is noticed, or sets them later.
//! Only for a node that was removed and created again in between does the count restart, which the response shows.

use futures_util::future::join_all;
use zookeeper_client::{Client, Error, Stat};

use super::acl::Maker;
use super::batch;
use super::link::Link;
use super::session::Session;
use super::tries::{Tries, is_loss};
use crate::store::path::check_path;
use crate::store::{Access, Op, StoreError};

/// The number of nodes whose rights are changed at a time.
const AT_ONCE: usize = 256;

/// A node, and the rights that it should have.
type Wanted<'a> = &'a (String, Access);

pub(super) async fn protect(
    session: &Session,
    maker: &Maker,
    accesses: &[(String, Access)],
    checks: &[Op],
) -> Result<(), StoreError> {
    for path in accesses.iter().map(|(path, _)| path.as_str()).chain(checks.iter().map(Op::path)) {
        check_path(path)?;
    }
    let checks: Vec<&Op> = checks.iter().collect();
    for some in accesses.chunks(AT_ONCE) {
        let mut tries = Tries::new(session);
        let mut left: Vec<Wanted<'_>> = some.iter().collect();
        let mut is_doubtful = false;
        while let Some((first, _)) = left.first() {
            let client = tries.client().await?;
            let there = match client.ask(there(&client, &left)).await {
                Ok(there) => there,
                Err(error) => {
                    tries.again(error, "protect", first)?;
                    continue;
                }
            };
            if !checks.is_empty() {
                batch::commit(session, maker, &checks).await.map_err(|error| match error {
                    // The result of an earlier attempt is unknown, and so is the affected node.
                    StoreError::Conflict { path } | StoreError::Missing { path } if is_doubtful => {
                        StoreError::Replaced { path }
                    }
                    error => error,
                })?;
            }
            let before = tries.losses();
            left = set(&client, maker, there, &mut tries, !checks.is_empty()).await?;
            is_doubtful |= tries.losses() > before;
        }
    }
    Ok(())
}

/// The nodes that give someone more rights than they should.
pub(super) async fn exceeding(
    session: &Session,
    maker: &Maker,
    accesses: &[(String, Access)],
) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    for some in accesses.chunks(AT_ONCE) {
        let mut tries = Tries::new(session);
        let answers = loop {
            let client = tries.client().await?;
            let asked = async { Ok(join_all(some.iter().map(|(path, _)| client.get_acl(path))).await) };
            let answers: Vec<Result<_, Error>> =
                client.ask(asked).await.map_err(|error| tries.refused(error, "read", &some[0].0))?;
            match answers.iter().find_map(|answer| answer.as_ref().err().filter(|error| is_loss(error))) {
                Some(error) => tries.again(error.clone(), "read", &some[0].0)?,
                None => break answers,
            }
        };
        for ((path, access), answer) in some.iter().zip(answers) {
            match answer {
                Ok((there, _)) if maker.exceeds(&there, access) => found.push(path.clone()),
                Ok(_) | Err(Error::NoNode) => {}
                Err(error) => return Err(tries.refused(error, "read", path)),
            }
        }
    }
    Ok(found)
}

/// The nodes that exist, with their present state.
async fn there<'a>(client: &Client, wanted: &[Wanted<'a>]) -> Result<Vec<(Wanted<'a>, Stat)>, Error> {
    let Some((first, _)) = wanted.first() else { return Ok(Vec::new()) };
    // A member that lags behind would make the attempt fail.
    client.sync(first).await?;
    let stats = join_all(wanted.iter().map(|(path, _)| client.check_stat(path))).await;
    let found = wanted.iter().zip(stats).map(|(wanted, stat)| Ok(stat?.map(|stat| (*wanted, stat))));
    found.filter_map(Result::transpose).collect()
}

/// Sets the rights of nodes whose rights have not been set since. Returns those that are left.
async fn set<'a>(
    client: &Link,
    maker: &Maker,
    there: Vec<(Wanted<'a>, Stat)>,
    tries: &mut Tries<'_>,
    is_conditional: bool,
) -> Result<Vec<Wanted<'a>>, StoreError> {
    let asked = there.iter().map(|((path, access), stat)| {
        let acls = maker.acls(access);
        async move { client.ask(client.set_acl(path, &acls, Some(stat.aversion))).await }
    });
    let answers = join_all(asked).await;
    let (mut left, mut outcome) = (Vec::new(), Ok(()));
    for ((wanted, before), answer) in there.into_iter().zip(answers) {
        let path = &wanted.0;
        match answer {
            Ok(after) if is_conditional && after.czxid != before.czxid => {
                outcome = Err(StoreError::Replaced { path: path.clone() });
            }
            Ok(_) | Err(Error::NoNode) => {}
            Err(Error::BadVersion) => left.push(wanted),
            Err(error) if is_loss(&error) => {
                tries.lost();
                left.push(wanted);
            }
            Err(error) => outcome = outcome.and(Err(tries.refused(error, "protect", path))),
        }
    }
    outcome.map(|()| left)
}
