//! The folder of a data space that was deployed on a cloud: its keys, and the records about its servers.

use std::fs::{self, DirBuilder};
use std::io;
use std::ops::Range;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::{Arg, ArgMatches, value_parser};
use wattle::manners::{self, reason};
use wattle::model::json;
use wattle::shown::{self, argument as quoted};
use wattle_agent_core::time::Time;

use crate::ca::{CaError, CertificateAuthority, Host, Issued};
use crate::cli::error::CommandError;
use crate::deploy::Identity;
use crate::ensemble::{Ground, Member, STACK};
use crate::local::Lock;
use crate::seed::{read_operator_key, write_secret};
use crate::space::OperatorKey;
use crate::store::embedded::Server;
use crate::store::{Address, Store};

/// The default name of the folder.
const FOLDER: &str = "wattle-space";

/// The file with the key that encrypts the records about its servers.
pub(super) const KEY: &str = "operator.key";

/// The file with the records about its servers.
pub(super) const LOG: &str = "space.log";

/// How long certificates are valid. A member with another certificate is another server.
const VALIDITY: Duration = Duration::from_hours(24 * 3_650);

/// The argument that names the folder.
pub(super) fn argument() -> Arg {
    Arg::new("folder")
        .value_name("FOLDER")
        .value_parser(value_parser!(PathBuf))
        .default_value(FOLDER)
        .help("Folder for its keys and for what is known of its servers")
}

/// The location of this directory's data space, which `--space new` refers to.
pub(in crate::cli) fn own() -> Result<String, CommandError> {
    let home = Home(FOLDER.into());
    home.judge_unsaid()?;
    home.address()?.ok_or_else(|| {
        CommandError::usage(format!(
            "`--space {}` stands for the data space in `{FOLDER}`, and there is none here",
            super::NEW
        ))
        .help("`wattle space new` makes one, and so does `wattle deploy DIR --space new`")
        .help("or change to the folder in which it was made")
    })
}

/// The folder.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Home(PathBuf);

/// The records about its servers, opened.
pub(super) struct Opened {
    pub(super) key: OperatorKey,
    pub(super) store: Arc<dyn Store>,
    server: Server,
}

impl Home {
    /// The folder given on the command line, or else the one of this directory.
    pub(in crate::cli) fn of(matches: &ArgMatches) -> Self {
        let named = matches.try_get_one::<PathBuf>("folder").ok().flatten();
        let named = named.map_or(Path::new(FOLDER), PathBuf::as_path);
        // With a trailing slash, a link would be followed.
        Self(named.components().collect())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The content of a file; `None` if there is no such file.
    fn read(&self, name: &str) -> Result<Option<String>, CommandError> {
        let file = self.file(name);
        match manners::read(&file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CommandError::files(format!("cannot read `{}`: {}", file.display(), reason(&error)))),
        }
    }

    /// Writes a file that only its owner may read.
    fn write(&self, name: &str, text: &str) -> Result<(), CommandError> {
        self.note(name)?;
        let file = self.file(name);
        write_secret(&file, text).map_err(|error| CommandError::files(error.to_string()))
    }

    /// The address of the data space, once it is in service.
    pub(super) fn address(&self) -> Result<Option<String>, CommandError> {
        Ok(self.read("address")?.map(|text| text.trim().to_owned()))
    }

    /// Records the address for clients.
    pub(super) fn serves(&self, address: &Address) -> Result<(), CommandError> {
        self.write("address", &format!("{address}\n"))
    }

    /// The ground that it runs on, if already chosen.
    pub(super) fn ground(&self) -> Result<Option<Ground>, CommandError> {
        let Some(text) = self.read("ground.json")? else { return Ok(None) };
        let unreadable = |error| CommandError::files(format!("`{}`: {error}", self.file("ground.json").display()));
        json::read(text.as_bytes()).map(Some).map_err(unreadable)
    }

    /// Creates the folder for a data space on `ground`, and locks others out.
    pub(super) fn begin(&self, ground: &Ground) -> Result<Lock, CommandError> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(self.path());
        made.map_err(|error| CommandError::files(format!("cannot make `{}`: {}", self.0.display(), reason(&error))))?;
        let lock = self.claim()?;
        if self.read("ground.json")?.is_none() {
            self.write("ground.json", &serde_json::to_string_pretty(ground).expect("INVARIANT: it is plain data"))?;
        }
        if !self.file("ca.pem").exists() {
            let made =
                CertificateAuthority::generate(validity()).map_err(|error| CommandError::new(error.to_string()))?;
            // Without the certificate, nothing trusts the key, and both are generated again.
            self.write("ca.key", &made.key())?;
            self.write("ca.pem", &made.certificates())?;
        }
        Ok(lock)
    }

    /// The authority's certificate, and its absolute path.
    pub(super) fn authority(&self) -> Result<(String, PathBuf), CommandError> {
        let text = self.read("ca.pem")?.ok_or_else(|| self.lacks("ca.pem"))?;
        let text = CertificateAuthority::only_certificates(&text).map_err(|error| self.broken("ca.pem", &error))?;
        Ok((text, fs::canonicalize(self.file("ca.pem")).unwrap_or_else(|_| self.file("ca.pem"))))
    }

    /// A member's key and certificate, generated on first use.
    pub(super) fn issued(&self, number: usize, member: &Member) -> Result<String, CommandError> {
        let name = self::member(number);
        if let Some(text) = self.read(&name)? {
            let issued = Issued::read(&text).map_err(|error| self.broken(&name, &error))?;
            return Ok(issued.pem);
        }
        let key = self.read("ca.key")?.ok_or_else(|| self.lacks("ca.key"))?;
        let hosts: Vec<Host> =
            [Some(member.address), member.floating].into_iter().flatten().map(Host::Address).collect();
        let issued = CertificateAuthority::read(&self.authority()?.0, &key)
            .and_then(|authority| authority.issue(&hosts, validity()))
            .map_err(|error| self.broken("ca.key", &error))?;
        self.write(&name, &issued.pem)?;
        Ok(issued.pem)
    }

    fn broken(&self, name: &str, error: &CaError) -> CommandError {
        CommandError::files(format!("`{}`: {error}", self.file(name).display()))
    }

    fn lacks(&self, name: &str) -> CommandError {
        let file = self.file(name);
        CommandError::files(format!("there is no `{}`", file.display())).help(format!(
            "restore it, or start from scratch: `wattle space destroy {}`",
            shown::path(self.0.display())
        ))
    }

    /// Opens the records about its servers.
    pub(super) async fn open(&self) -> Result<Opened, CommandError> {
        let began = self.made()?.and_then(|made| made.cloud);
        if let Some(began) = began.as_deref().filter(|_| !self.file(LOG).exists()) {
            return Err(self.lost(began));
        }
        let key = read_operator_key(&self.file(KEY))?.ok_or_else(|| self.lacks(KEY))?;
        let socket = self.file("space.socket");
        self.note(LOG)?;
        let server = Server::start(&socket, &self.file(LOG), &key.login().principal())
            .await
            .map_err(|error| CommandError::new(error.to_string()))?;
        let store = Address::Socket(socket).connect(&[key.login()]).await?;
        let opened = Opened { key, store, server };
        if let Some(began) = began
            && opened.identity().await? != began
        {
            opened.close().await?;
            return Err(self.lost(&began));
        }
        Ok(opened)
    }

    /// The error that the records about its servers are lost, while the servers may still exist.
    fn lost(&self, began: &str) -> CommandError {
        let (log, folder) = (self.file(LOG), self.path());
        CommandError::files(format!("`{}` is missing or empty: what is known of its servers is lost", log.display()))
            .note("without it, there is no way to tell which servers are its own, and they may all still exist")
            .help(format!("restore it from the copy of `{}` that you keep", folder.display()))
            .help(format!(
                "or delete everything in the cloud that is named `{began}-...` or has a tag that begins with \
                 `wattle:{began}`, and then the folder: `openstack server list --name {}`, `rm -r {}`",
                quoted(began),
                shown::path(folder.display())
            ))
    }
}

impl Opened {
    /// The prefix of the names of all its resources in the cloud.
    pub(super) async fn identity(&self) -> Result<String, CommandError> {
        Ok(Identity::of(&self.store, STACK, &self.key).await?.mark)
    }

    /// Closes the file, after which everything is on disk.
    pub(super) async fn close(self) -> Result<(), CommandError> {
        drop(self.store);
        self.server.stop().await.map_err(|error| CommandError::files(reason(&error)))
    }
}

/// The file with a member's key and certificate.
pub(super) fn member(number: usize) -> String {
    format!("zookeeper{number}.pem")
}

fn validity() -> Range<Time> {
    let now = Time::from(SystemTime::now());
    now..now + VALIDITY
}
