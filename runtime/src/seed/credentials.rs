//! The credentials of a stack's servers and the operator's key, and the files that contain them.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use wattle::lower::Seed;
use wattle::manners;
use wattle::model::{IndexMap, Name};
use wattle::shown::one_line;

use crate::space::{Credential, OperatorKey, Succession};
use crate::store::{AuthorityId, Login, Principal};

use super::SeedError;

/// The credentials of one stack's servers, which stay the same across revisions.
#[derive(Clone, Default)]
pub struct Credentials {
    servers: IndexMap<Name, Credential>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Credentials({} servers)", self.servers.len())
    }
}

#[derive(Deserialize)]
struct File {
    #[serde(alias = "parameter_defaults")]
    parameters: Parameters,
}

#[derive(Deserialize)]
struct Parameters {
    #[serde(default)]
    wattle_credentials: IndexMap<Name, String>,
}

impl Credentials {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The credential of `server`.
    pub fn get(&self, server: &str) -> Option<&Credential> {
        self.servers.get(server)
    }

    /// The credentials of all servers.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Credential)> {
        self.servers.iter()
    }

    /// Creates a credential for each server of `seed` that has none. It trusts the operator who has `key`. Credentials
    /// of servers that are not in `seed` are kept, because these servers may return to the model.
    pub fn complete(&mut self, seed: &Seed, key: &OperatorKey) {
        let authority = key.signer().authority();
        self.servers.reserve(seed.servers.len());
        for server in seed.servers.keys() {
            if !self.servers.contains_key(server) {
                self.servers.insert(server.clone(), Credential::generate(authority));
            }
        }
    }

    /// Returns the same credentials, all trusting the operator who has `key` instead of any earlier one. For servers
    /// that learn of the new key without being replaced.
    #[must_use]
    pub fn believing(mut self, key: &OperatorKey) -> Self {
        let authority = key.signer().authority();
        for credential in self.servers.values_mut() {
            *credential = credential.clone().believing(authority);
        }
        self
    }

    /// Returns the same credentials for a store whose certificates come from any of these authorities. For a store
    /// without certificates, pass none.
    #[must_use]
    pub fn at(mut self, authorities: &[AuthorityId]) -> Self {
        for credential in self.servers.values_mut() {
            *credential = credential.clone().at(authorities.to_vec());
        }
        self
    }

    /// Whether there are no credentials.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// Keeps only the credentials of `wanted` servers.
    pub(super) fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.servers.retain(|server, _| wanted(server));
    }

    /// The principal that all servers of `stack` share if their credentials are of an earlier version.
    pub(super) fn former_member(&self, stack: &str) -> Option<Principal> {
        self.servers.values().find_map(|credential| credential.former_member(stack)).map(|login| login.principal())
    }

    /// Reads credentials written by [`Credentials::write`]. Returns an empty set if there is no file.
    ///
    /// # Errors
    /// [`SeedError::File`], [`SeedError::Malformed`].
    pub fn read(path: &Path) -> Result<Self, SeedError> {
        read(path)?.map_or_else(|| Ok(Self::new()), |text| Self::parse(&text, path))
    }

    /// Parses the result of [`Credentials::text`]. `path` is for messages.
    ///
    /// # Errors
    /// [`SeedError::Malformed`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, SeedError> {
        let malformed = |reason: String| SeedError::Malformed { path: path.to_owned(), reason };
        // The message must not quote the faulty line.
        let file: File = serde_yaml::from_str(text)
            .map_err(|_| malformed("no environment file with `wattle_credentials` below `parameters`".to_owned()))?;
        let (mut credentials, mut former) = (Self::new(), None);
        for (server, text) in file.parameters.wattle_credentials {
            let credential: Credential =
                text.parse().map_err(|error| malformed(format!("server `{server}`: {error}")))?;
            let member = credential.former_member("").map(|login| login.principal());
            if member.is_some() && member != *former.get_or_insert_with(|| member.clone()) {
                return Err(malformed(format!(
                    "server `{server}` belongs to another stack than the servers before it"
                )));
            }
            credentials.servers.insert(server, credential);
        }
        Ok(credentials)
    }

    /// Writes the credentials as a Heat environment file, along with other parameters that Heat needs: `space` is the
    /// address of the data space for the servers, and `ca` holds the certificates of its authority, in case their
    /// system does not have them. Only the owner can read the file, and it is replaced as a whole.
    ///
    /// # Errors
    /// [`SeedError::File`].
    pub fn write(&self, path: &Path, stack: &str, space: &str, ca: &str) -> Result<(), SeedError> {
        write_secret(path, &self.text(stack, space, ca))
    }

    /// Returns the text of [`Self::write`] for the template that accompanies `seed`. A template without software on its
    /// servers has no parameters for credentials, and Heat would refuse values for them.
    pub fn text_for(&self, seed: &Seed, stack: &str, space: &str, ca: &str) -> String {
        let section = if seed.servers.is_empty() { "parameter_defaults" } else { "parameters" };
        self.text_below(section, stack, space, ca)
    }

    /// Returns the text that [`Self::write`] writes.
    pub fn text(&self, stack: &str, space: &str, ca: &str) -> String {
        self.text_below("parameters", stack, space, ca)
    }

    fn text_below(&self, section: &str, stack: &str, space: &str, ca: &str) -> String {
        // JSON is a subset of YAML that all YAML parsers agree on.
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let mut text = format!(
            "# Environment file for Heat (`openstack stack create -e`), written by `wattle seed apply` for the stack\n\
             # `{stack}`. SECRET: anyone who has it can act for every server of the stack. Keep it: the next `seed \
             apply`\n\
             # reads it, so that servers keep what they prove their identity with.\n\
             {section}:\n  wattle_stack: {}\n  wattle_space: {}\n  wattle_space_ca: {}\n  wattle_credentials:\n",
            quoted(stack),
            quoted(space),
            quoted(ca)
        );
        for (server, credential) in &self.servers {
            let _ = writeln!(text, "    {}: {}", quoted(server), quoted(&credential.expose()));
        }
        if self.servers.is_empty() {
            text.truncate(text.trim_end().len());
            text.push_str(" {}\n");
        }
        text
    }
}

/// The prefix of the lines in a key's file that name its data spaces.
const OF: &str = "# space: ";

/// The prefix of the line that names the previous keys.
const AFTER: &str = "# after: ";

/// Reads the operator's key. Returns `None` if there is no file.
///
/// # Errors
/// [`SeedError::File`], [`SeedError::Malformed`].
pub fn read_operator_key(path: &Path) -> Result<Option<OperatorKey>, SeedError> {
    let Some(text) = read(path)? else { return Ok(None) };
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let key: Option<OperatorKey> = line.unwrap_or_default().parse().ok();
    let before = text.lines().find_map(|line| line.trim().strip_prefix(AFTER));
    let before = before.map_or_else(|| Some(Succession::default()), Succession::read);
    let malformed = || SeedError::Malformed { path: path.to_owned(), reason: "no operator's key".to_owned() };
    key.zip(before).map(|(key, before)| Some(key.after(before))).ok_or_else(malformed)
}

/// Reads the addresses of the data spaces from a key's file. Empty if it names none or does not exist.
///
/// # Errors
/// [`SeedError::File`].
pub fn spaces_of_key(path: &Path) -> Result<Vec<String>, SeedError> {
    let text = read(path)?.unwrap_or_default();
    Ok(text.lines().filter_map(|line| line.trim().strip_prefix(OF)).map(|space| space.trim().to_owned()).collect())
}

/// Adds the data space at `space` to those in a key's file.
///
/// # Errors
/// [`SeedError::File`].
pub fn note_space_of_key(path: &Path, space: &str) -> Result<(), SeedError> {
    let Some(text) = read(path)? else { return Ok(()) };
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    write_secret(path, &format!("{text}{end}{OF}{}\n", one_line(space)))
}

/// Writes the operator's key. Only the owner can read the file, and it is replaced as a whole.
///
/// # Errors
/// [`SeedError::File`].
pub fn write_operator_key(path: &Path, key: &OperatorKey) -> Result<(), SeedError> {
    let mut text = format!(
        "# Key of the operator of a wattle data space. SECRET: anyone who has it can change every stack that was\n\
         # made with it, and without it no one can.\n\
         {}\n",
        key.expose()
    );
    if *key.before() != Succession::default() {
        let _ = writeln!(text, "{AFTER}{}", key.before().to_text());
    }
    write_secret(path, &text)
}

fn read(path: &Path) -> Result<Option<String>, SeedError> {
    match manners::read(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(SeedError::File { path: path.to_owned(), source }),
    }
}

/// Replaces the file at `path` by one that only its owner can read: completely, or not at all.
pub(crate) fn write_secret(path: &Path, text: &str) -> Result<(), SeedError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}", random()));
    let write = |beside: &PathBuf| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(beside, path)
    };
    write(&beside).map_err(|source| {
        let _ = fs::remove_file(&beside);
        SeedError::File { path: path.to_owned(), source }
    })
}

/// 256 random bits.
fn random() -> String {
    let login: Login = OperatorKey::generate().login();
    login.password
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn some() -> Credentials {
        let (mut credentials, authority) = (Credentials::new(), OperatorKey::generate().signer().authority());
        for server in ["db", "apps.node1", "1e3", "yes"] {
            credentials.servers.insert(server.into(), Credential::generate(authority));
        }
        credentials
    }

    #[test]
    fn files_are_read_as_they_were_written_and_are_their_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.yaml");
        assert!(Credentials::read(&path).unwrap().servers.is_empty());
        let credentials = some();
        for _ in 0..2 {
            credentials.write(&path, "shop: #1", "zookeeper+tls://zk:2281", "-----\n").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let read = Credentials::read(&path).unwrap();
        let texts = |credentials: &Credentials| -> Vec<(Name, String)> {
            credentials.iter().map(|(name, credential)| (name.clone(), credential.expose())).collect()
        };
        assert_eq!(texts(&read), texts(&credentials));
        Credentials::new().write(&path, "shop", "unix:/run/x", "").unwrap();
        assert!(Credentials::read(&path).unwrap().servers.is_empty());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "something is left beside it");
    }

    #[test]
    fn a_damaged_file_is_reported_without_what_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.yaml");
        for text in ["parameters: {wattle_credentials: {db: hunter2}}", "parameters: [hunter2", "hunter2: 1"] {
            fs::write(&path, text).unwrap();
            let message = Credentials::read(&path).expect_err("no credentials").to_string();
            assert!(message.contains("credentials.yaml") && !message.contains("hunter2"), "{message}");
        }
    }

    #[test]
    fn the_operators_key_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("operator.key");
        assert!(read_operator_key(&path).unwrap().is_none());
        let key = OperatorKey::generate();
        write_operator_key(&path, &key).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(read_operator_key(&path).unwrap().unwrap().expose(), key.expose());
        assert!(spaces_of_key(&path).unwrap().is_empty());
        for space in ["zookeeper+tls://zk1:2281", "zookeeper+tls://zk2:2281"] {
            note_space_of_key(&path, space).unwrap();
        }
        assert_eq!(spaces_of_key(&path).unwrap(), ["zookeeper+tls://zk1:2281", "zookeeper+tls://zk2:2281"]);
        assert_eq!(read_operator_key(&path).unwrap().unwrap().expose(), key.expose());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(&path, "# nothing\n").unwrap();
        read_operator_key(&path).expect_err("no key");
    }
}
