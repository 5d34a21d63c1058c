//! The log: a file to which each change is appended, and from which the tree is restored.
//!
//! The file is [`MAGIC`] followed by records. A record consists of its length, the checksum (CRC-32) of its content,
//! the checksum of these two, and its content in postcard. Appended records survive the process, however it ends.
//! Records that were [synced](Log::sync) also survive a loss of power.
//!
//! A record that a crash left incomplete can only be the last. It is cut off, with a warning, when the log is opened
//! again. If valid records follow a broken one, the file was damaged in another way, and nothing is changed.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use wattle::manners::must_end;

use super::super::{Access, Node, Op, Version};
use super::ServerError;

const MAGIC: &[u8] = b"wattle log 1\n";

/// The length and two checksums.
const HEADER: usize = 12;

/// A log smaller than this is not worth rewriting.
const SMALL: u64 = 4 << 20;

/// Identifies the request, with its client, that made a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Token {
    pub(super) client: u64,
    pub(super) request: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Record<'a> {
    /// The number of the last transaction.
    Transaction(i64),
    /// A node with its contents.
    Node { path: Cow<'a, str>, node: Cow<'a, Node>, access: Cow<'a, Access> },
    /// The changes of one transaction.
    Change { transaction: i64, by: Token, ops: Vec<Cow<'a, Op>> },
    /// New rights of a node.
    Protect { by: Token, path: Cow<'a, str>, access: Cow<'a, Access> },
    /// A change that was made, and its result.
    Made { by: Token, version: Version },
}

impl Record<'_> {
    /// The bytes in the file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = postcard::to_extend(self, vec![0; HEADER]).expect("INVARIANT: records have a form in postcard");
        let length = u32::try_from(bytes.len() - HEADER).expect("INVARIANT: a request is bounded, and so is a node");
        let content = crc32fast::hash(&bytes[HEADER..]);
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes[4..8].copy_from_slice(&content.to_le_bytes());
        let header = crc32fast::hash(&bytes[..8]);
        bytes[8..HEADER].copy_from_slice(&header.to_le_bytes());
        bytes
    }
}

/// The content of the record at the beginning of `bytes`. `None` if there is no valid one.
fn content(bytes: &[u8]) -> Option<&[u8]> {
    let (header, rest) = bytes.split_first_chunk::<HEADER>()?;
    let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if crc32fast::hash(&header[..8]) != number(8) {
        return None;
    }
    let content = rest.get(..number(0) as usize)?;
    (crc32fast::hash(content) == number(4)).then_some(content)
}

/// An open log. No other process has it open.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: Arc<File>,
    size: u64,
    // The size at which to check again whether rewriting is worthwhile.
    limit: u64,
    // Why nothing more can be appended: a broken record could not be removed.
    broken: Option<String>,
}

impl Log {
    /// Opens the log at `path`, or creates an empty one, and passes each of its records to `each`, which may report an
    /// error in it.
    pub(super) fn open(
        path: &Path,
        mut each: impl FnMut(Record<'static>) -> Result<(), String>,
    ) -> Result<Self, ServerError> {
        must_end(path).map_err(ServerError::file("read", path))?;
        let file = lock(path)?;
        let bytes = std::fs::read(path).map_err(ServerError::file("read", path))?;
        let mut log = Self { path: path.to_owned(), file: Arc::new(file), size: 0, limit: SMALL, broken: None };
        if bytes.len() < MAGIC.len() && MAGIC.starts_with(&bytes) {
            // It is new, or a crash occurred before it had any contents.
            log.file.set_len(0).map_err(ServerError::file("write", path))?;
            (&*log.file).write_all(MAGIC).map_err(ServerError::file("write", path))?;
            log.size = MAGIC.len() as u64;
            return Ok(log);
        }
        if !bytes.starts_with(MAGIC) {
            return Err(ServerError::Foreign { path: path.to_owned() });
        }
        let mut at = MAGIC.len();
        let damaged = |at: usize, reason| ServerError::Damaged { path: path.to_owned(), at: at as u64, reason };
        while at < bytes.len() {
            let Some(content) = content(&bytes[at..]) else { break };
            let record = postcard::from_bytes(content).map_err(|error| damaged(at, error.to_string()))?;
            each(record).map_err(|reason| damaged(at, reason))?;
            at += HEADER + content.len();
        }
        if at < bytes.len() {
            if let Some(sound) = (at + 1..bytes.len()).find(|at| content(&bytes[*at..]).is_some_and(|c| !c.is_empty()))
            {
                return Err(damaged(at, format!("the log is intact again from byte {sound} on")));
            }
            tracing::warn!(
                log = %path.display(),
                at,
                bytes = bytes.len() - at,
                "the last entry was only partly written when the data space stopped: it is cut off",
            );
            log.file.set_len(at as u64).map_err(ServerError::file("write", path))?;
        }
        log.size = at as u64;
        Ok(log)
    }

    /// The file, so that it can be synced without blocking others.
    pub(super) fn file(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    /// Appends records. An error leaves the log unchanged.
    pub(super) fn append(&mut self, records: &[u8]) -> io::Result<()> {
        if let Some(broken) = &self.broken {
            return Err(io::Error::other(broken.clone()));
        }
        if let Err(error) = (&*self.file).write_all(records) {
            if let Err(worse) = self.file.set_len(self.size) {
                self.broken = Some(format!("{error}; the write could not be undone either: {worse}"));
            }
            return Err(error);
        }
        self.size += records.len() as u64;
        Ok(())
    }

    /// Whether it has grown so much that rewriting may be worthwhile.
    pub(super) fn has_grown(&self) -> bool {
        self.size > self.limit
    }

    #[cfg(test)]
    pub(super) fn pretend_to_have_grown(&mut self) {
        self.limit = 0;
        self.size += 1 << 40;
    }

    #[cfg(test)]
    pub(super) fn break_file(&mut self) {
        self.file = Arc::new(File::open(&self.path).expect("there is a log"));
    }

    /// Replaces all contents by `records`, which have about `bytes` bytes, if most of the contents are dead. The old
    /// contents stay until the new file is on disk.
    pub(super) fn rewrite<'a>(
        &mut self,
        bytes: u64,
        records: impl Iterator<Item = Record<'a>>,
    ) -> Result<bool, ServerError> {
        if self.size < SMALL + 2 * bytes {
            self.limit = SMALL + 2 * bytes;
            return Ok(false);
        }
        // Whatever the result, the next attempt comes only after the log has grown by the same amount again.
        self.limit = 2 * self.size;
        let path = self.path.with_added_extension("new");
        let written = self.replace(&path, records);
        if written.is_err() {
            // The reason may have been a lack of space.
            let _ = std::fs::remove_file(&path);
        }
        written.map(|()| true)
    }

    /// Writes `records` to a new file at `path`, which then replaces the log's.
    fn replace<'a>(&mut self, path: &Path, records: impl Iterator<Item = Record<'a>>) -> Result<(), ServerError> {
        let fails = || ServerError::file("write", path);
        let file = options().open(path).map_err(fails())?;
        file.try_lock().map_err(|_| ServerError::InUse { path: path.to_owned() })?;
        file.set_len(0).map_err(fails())?;
        let mut writer = BufWriter::with_capacity(1 << 18, &file);
        writer.write_all(MAGIC).map_err(fails())?;
        let mut size = MAGIC.len() as u64;
        for record in records {
            let bytes = record.to_bytes();
            size += bytes.len() as u64;
            writer.write_all(&bytes).map_err(fails())?;
        }
        writer.flush().map_err(fails())?;
        drop(writer);
        file.sync_all().map_err(fails())?;
        std::fs::rename(path, &self.path).map_err(ServerError::file("replace", &self.path))?;
        sync_folder(&self.path).map_err(ServerError::file("sync", &self.path))?;
        tracing::debug!(log = %self.path.display(), from = self.size, to = size, "the log was rewritten");
        self.file = Arc::new(file);
        self.size = size;
        self.limit = SMALL + 2 * size;
        self.broken = None;
        Ok(())
    }

    /// Waits until everything that was appended is on disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Err(error) = self.sync() {
            tracing::warn!(log = %self.path.display(), %error, "the log could not be written to disk");
        }
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    // The contents may be secret, so only the owner can read them.
    options.read(true).append(true).create(true).mode(0o600);
    options
}

/// Opens the file at `path` exclusively.
fn lock(path: &Path) -> Result<File, ServerError> {
    let fails = || ServerError::file("open", path);
    loop {
        let new = !path.exists();
        let file = options().open(path).map_err(fails())?;
        if !crate::lock::lock(&file).map_err(fails())? {
            return Err(ServerError::InUse { path: path.to_owned() });
        }
        if new {
            sync_folder(path).map_err(fails())?;
        }
        // The previous owner may have replaced the file before it ended.
        let ours = file.metadata().map_err(fails())?;
        if std::fs::metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())) {
            return Ok(file);
        }
    }
}

/// Syncs the directory entries beside `path` to disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests;
