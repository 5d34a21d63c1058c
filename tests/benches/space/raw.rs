//! The bare crate `zookeeper-client`: the same operations without our code.

use std::ops::Range;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;
use wattle_runtime::store::{Access, Login, Op};
use zookeeper_client::{Acl, Acls, AuthId, Client, CreateMode, Permission};

use super::{WATCHES, entry, median};

/// A value in an entry.
const DATA: &[u8] = br#"{"revision":1,"value":"10.0.0.7"}"#;

/// The maximum number of operations in a request, and of bytes.
const BATCH: (usize, usize) = (1_000, 500_000);

/// How long a silent session lasts.
const SESSION: Duration = Duration::from_mins(1);

/// Clients of a ZooKeeper.
pub(super) struct Raw {
    hosts: String,
    login: Vec<u8>,
}

impl Raw {
    pub(super) fn new(hosts: &str, login: &Login) -> Self {
        Self { hosts: hosts.to_owned(), login: format!("{}:{}", login.name, login.password).into_bytes() }
    }

    async fn client(&self) -> Client {
        // All of a large seed is in transit at once, and the session's heartbeat waits behind it.
        let connector = Client::connector().with_auth("digest", &self.login).with_session_timeout(SESSION);
        connector.connect(&self.hosts).await.expect("a client")
    }

    pub(super) async fn hand_over(&self, stack: &str, entries: Range<usize>) -> Duration {
        let (reader, writer) = (self.client().await, self.client().await);
        let mut figures = Vec::new();
        for i in entries {
            let path = path(stack, i);
            let version = writer.get_data(&path).await.expect("an entry").1.version;
            let (waiting, watched) = (reader.clone(), path.clone());
            let read = tokio::spawn(async move {
                let data = read(&waiting, &watched).await;
                (data, Instant::now())
            });
            tokio::task::yield_now().await;
            reader.get_data(&path).await.expect("an entry");
            reader.get_data(&path).await.expect("an entry");
            let start = Instant::now();
            writer.set_data(&path, DATA, Some(version)).await.expect("written");
            let (data, end) = read.await.expect("read");
            assert_eq!(data, DATA);
            figures.push(end - start);
        }
        median(figures)
    }

    pub(super) async fn chain(&self, stack: &str, first: usize, length: usize) -> Duration {
        let mut links = JoinSet::new();
        for i in first + 1..first + length {
            let client = self.client().await;
            let version = client.get_data(&path(stack, i)).await.expect("an entry").1.version;
            let (before, own) = (path(stack, i - 1), path(stack, i));
            links.spawn(async move {
                let data = read(&client, &before).await;
                client.set_data(&own, &data, Some(version)).await.expect("written");
            });
        }
        let client = self.client().await;
        let last = self.client().await;
        let end = path(stack, first + length - 1);
        let end = tokio::spawn(async move { read(&last, &end).await });
        tokio::time::sleep(Duration::from_millis(200)).await;
        let start = Instant::now();
        client.set_data(&path(stack, first), DATA, Some(0)).await.expect("written");
        assert_eq!(end.await.expect("read"), DATA);
        let time = start.elapsed();
        links.join_all().await;
        time
    }

    pub(super) async fn fan_out(&self, stack: &str, i: usize, readers: usize) -> Duration {
        let writer = self.client().await;
        let mut reads = JoinSet::new();
        let mut client = self.client().await;
        for reader in 0..readers {
            if reader > 0 && reader % WATCHES == 0 {
                client = self.client().await;
            }
            let (client, path) = (client.clone(), path(stack, i));
            reads.spawn(async move { read(&client, &path).await });
        }
        tokio::time::sleep(Duration::from_millis(500 + readers as u64 / 4)).await;
        let start = Instant::now();
        writer.set_data(&path(stack, i), DATA, Some(0)).await.expect("written");
        let values = reads.join_all().await;
        let time = start.elapsed();
        assert_eq!(values.len(), readers);
        time
    }

    /// Carries out recorded requests in order, without waiting for responses in between.
    pub(super) async fn load(&self, ops: &[Op]) -> Duration {
        let client = self.client().await;
        let start = Instant::now();
        let mut commits = Vec::new();
        let mut rest = ops;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |op: &&Op| {
                bytes += size(op);
                bytes <= BATCH.1
            };
            let count = rest.iter().take(BATCH.0).take_while(fits).count().max(1);
            let (batch, following) = rest.split_at(count);
            let mut writer = client.new_multi_writer();
            for op in batch {
                match op {
                    Op::Create { path, data, access } => {
                        let acls = acls(access);
                        let options = CreateMode::Persistent.with_acls(Acls::from(&*acls));
                        writer.add_create(path, data, &options)
                    }
                    Op::Set { path, data, .. } => writer.add_set_data(path, data, None),
                    Op::Delete { path } => writer.add_delete(path, None),
                    Op::Check { .. } => unreachable!("nothing here depends on what another does"),
                }
                .expect("an operation");
            }
            commits.push(Box::pin(async move { writer.commit().await.map(drop) }));
            rest = following;
        }
        for commit in futures_util::future::join_all(commits).await {
            commit.expect("committed");
        }
        start.elapsed()
    }
}

/// Its approximate size in bytes.
pub(super) fn size(op: &Op) -> usize {
    match op {
        Op::Create { path, data, access } => 64 + path.len() + data.len() + 60 * access.grants().count(),
        Op::Set { path, data, .. } => 64 + path.len() + data.len(),
        Op::Delete { path } | Op::Check { path, .. } => 64 + path.len(),
    }
}

fn acls(access: &Access) -> Vec<Acl> {
    let operator = Acl::new(Permission::ALL, AuthId::new("auth", ""));
    let grants = access.grants().map(|(principal, rights)| {
        let of = |granted, permission| if granted { permission } else { Permission::NONE };
        let permission = of(rights.read, Permission::READ)
            | of(rights.write, Permission::WRITE)
            | of(rights.create, Permission::CREATE)
            | of(rights.delete, Permission::DELETE);
        Acl::new(permission, AuthId::new("digest", principal.as_str()))
    });
    std::iter::once(operator).chain(grants).collect()
}

fn path(stack: &str, i: usize) -> String {
    format!("/wattle/{stack}/entries/{}", entry(i))
}

async fn read(client: &Client, path: &str) -> Vec<u8> {
    loop {
        let (data, _, watcher) = client.get_and_watch_data(path).await.expect("an entry");
        if !data.is_empty() {
            return data;
        }
        watcher.changed().await;
    }
}

/// The median time of a response from another task over a Unix socket.
pub(super) async fn echo() -> Duration {
    let (mut here, mut there) = tokio::net::UnixStream::pair().expect("sockets");
    tokio::spawn(async move {
        let mut bytes = [0; DATA.len()];
        while there.read_exact(&mut bytes).await.is_ok() {
            there.write_all(&bytes).await.expect("written");
        }
    });
    let mut figures = Vec::new();
    let mut bytes = [0; DATA.len()];
    for _ in 0..5_000 {
        let start = Instant::now();
        here.write_all(DATA).await.expect("written");
        here.read_exact(&mut bytes).await.expect("read");
        figures.push(start.elapsed());
    }
    median(figures)
}
