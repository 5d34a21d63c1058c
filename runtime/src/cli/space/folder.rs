//! The folder of a data space that was brought up on a cloud: its keys, and what is known of its servers.

use std::fs::{self, DirBuilder};
use std::io;
use std::ops::Range;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::{Arg, ArgMatches, value_parser};
use wattle::manners::{self, reason};
use wattle::shown::argument as quoted;
use wattle_agent_core::time::Time;

use crate::ca::{CertificateAuthority, Host};
use crate::cli::failure::Failure;
use crate::ensemble::{Ground, Member};
use crate::seed::{read_operator_key, write_operator_key, write_secret};
use crate::space::OperatorKey;
use crate::store::embedded::Server;
use crate::store::{Address, Store};

/// What the folder is called where nothing else is said.
const FOLDER: &str = "wattle-space";

/// How long certificates count: a member with another one is another server.
const VALIDITY: Duration = Duration::from_hours(24 * 3_650);

/// The argument that names the folder.
pub(super) fn argument() -> Arg {
    Arg::new("folder")
        .value_name("FOLDER")
        .value_parser(value_parser!(PathBuf))
        .default_value(FOLDER)
        .help("The folder of its keys, and of what is known of its servers")
}

/// Where the data space of this directory is, which `--space new` means.
pub(in crate::cli) fn own() -> Result<String, Failure> {
    let home = Home(FOLDER.into());
    home.address()?.ok_or_else(|| {
        Failure::usage(format!("`--space {}` means the data space in `{FOLDER}`, and there is none here", super::NEW))
            .help("`wattle space new` makes one, and so does `wattle deploy DIR --space new`")
            .help("or go to the directory in which it was made")
    })
}

/// The folder.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Home(PathBuf);

/// What is known of its servers, opened.
pub(super) struct Opened {
    pub(super) key: OperatorKey,
    pub(super) store: Arc<dyn Store>,
    server: Server,
}

impl Home {
    /// The one that a command line names, else the one of this directory.
    pub(in crate::cli) fn of(matches: &ArgMatches) -> Self {
        let named = matches.try_get_one::<PathBuf>("folder").ok().flatten();
        Self(named.cloned().unwrap_or_else(|| FOLDER.into()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// What a file says; nothing if there is none.
    fn read(&self, name: &str) -> Result<Option<String>, Failure> {
        let file = self.file(name);
        match manners::read(&file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::files(format!("cannot read `{}`: {}", file.display(), reason(&error)))),
        }
    }

    /// Writes a file, for its owner alone.
    fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let file = self.file(name);
        write_secret(&file, text).map_err(|error| Failure::files(error.to_string()))
    }

    /// Where the data space is, once it serves.
    pub(super) fn address(&self) -> Result<Option<String>, Failure> {
        Ok(self.read("address")?.map(|text| text.trim().to_owned()))
    }

    /// Writes down where clients find it.
    pub(super) fn serves(&self, address: &Address) -> Result<(), Failure> {
        self.write("address", &format!("{address}\n"))
    }

    /// What it runs on, if that is known already.
    pub(super) fn ground(&self) -> Result<Option<Ground>, Failure> {
        let Some(text) = self.read("ground.json")? else { return Ok(None) };
        let unreadable = |error| Failure::files(format!("`{}`: {error}", self.file("ground.json").display()));
        serde_json::from_str(&text).map(Some).map_err(unreadable)
    }

    /// Makes the folder for what will run on `ground`.
    pub(super) fn begin(&self, ground: &Ground) -> Result<(), Failure> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.0);
        made.map_err(|error| Failure::files(format!("cannot make `{}`: {}", self.0.display(), reason(&error))))?;
        if self.read("ground.json")?.is_none() {
            self.write("ground.json", &serde_json::to_string_pretty(ground).expect("INVARIANT: it is plain data"))?;
        }
        if !self.file("operator.key").exists() {
            write_operator_key(&self.file("operator.key"), &OperatorKey::generate())
                .map_err(|error| Failure::files(error.to_string()))?;
        }
        if !self.file("ca.pem").exists() {
            let made = CertificateAuthority::generate(validity()).map_err(|error| Failure::new(error.to_string()))?;
            // Without the certificate nothing trusts the key, and both are made anew.
            self.write("ca.key", &made.key())?;
            self.write("ca.pem", &made.certificates())?;
        }
        Ok(())
    }

    /// The authority's certificate, and where it is wherever one calls.
    pub(super) fn authority(&self) -> Result<(String, PathBuf), Failure> {
        let text = self.read("ca.pem")?.ok_or_else(|| self.lacks("ca.pem"))?;
        Ok((text, fs::canonicalize(self.file("ca.pem")).unwrap_or_else(|_| self.file("ca.pem"))))
    }

    /// A member's key and certificate, made the first time.
    pub(super) fn issued(&self, number: usize, member: &Member) -> Result<String, Failure> {
        let name = format!("zookeeper{number}.pem");
        if let Some(text) = self.read(&name)? {
            return Ok(text);
        }
        let key = self.read("ca.key")?.ok_or_else(|| self.lacks("ca.key"))?;
        let hosts: Vec<Host> =
            [Some(member.address), member.floating].into_iter().flatten().map(Host::Address).collect();
        let issued = CertificateAuthority::read(&self.authority()?.0, &key)
            .and_then(|authority| authority.issue(&hosts, validity()))
            .map_err(|error| Failure::new(error.to_string()))?;
        self.write(&name, &issued.pem)?;
        Ok(issued.pem)
    }

    fn lacks(&self, name: &str) -> Failure {
        let file = self.file(name);
        Failure::files(format!("there is no `{}`", file.display()))
            .help(format!("bring it back, or begin anew: `wattle space destroy {}`", quoted(self.0.display())))
    }

    /// Opens what is known of its servers.
    pub(super) async fn open(&self) -> Result<Opened, Failure> {
        let key = read_operator_key(&self.file("operator.key"))?.ok_or_else(|| self.lacks("operator.key"))?;
        let socket = self.file("space.socket");
        let server = Server::start(&socket, &self.file("space.log"), &key.login().principal())
            .await
            .map_err(|error| Failure::new(error.to_string()))?;
        let store = Address::Socket(socket).connect(&[key.login()]).await?;
        Ok(Opened { key, store, server })
    }

    /// Removes what was made.
    pub(super) fn remove(&self) -> Result<(), Failure> {
        let members = (1..=crate::ensemble::MEMBERS).map(|number| format!("zookeeper{number}.pem"));
        let own = ["address", "space.log", "operator.key", "ca.pem", "ca.key", "ground.json"].map(str::to_owned);
        for name in own.into_iter().chain(members) {
            let file = self.file(&name);
            match fs::remove_file(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Failure::files(format!("cannot remove `{}`: {}", file.display(), reason(&error))));
                }
                _ => {}
            }
        }
        // What else is in it is not ours.
        let _ = fs::remove_dir(&self.0);
        Ok(())
    }
}

impl Opened {
    /// Everything is on the disk.
    pub(super) async fn close(self) -> Result<(), Failure> {
        drop(self.store);
        self.server.stop().await.map_err(|error| Failure::files(reason(&error)))
    }
}

fn validity() -> Range<Time> {
    let now = Time::from(SystemTime::now());
    now..now + VALIDITY
}
