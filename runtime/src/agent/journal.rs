//! The journal: the history of each component on this server, on disk before it is published.
//!
//! The journal is append-only, and each line is on disk before [`Journal::append`] returns. The machine decides what
//! the lines mean, and what must be on disk before something else is done. When the disk is full, nothing is published
//! that is not in the journal. The agent keeps its records, and continues when there is room. Secrets in the journal
//! are encrypted for the server itself.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use wattle_agent_core::journal::{Chain, Damaged, Replayed, encode, replay};
use wattle_agent_core::memory::Memory;
use wattle_agent_core::record::Record;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or created.
    #[error("cannot use the journal `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A line was not written by an agent.
    #[error(
        "line {line} of the journal `{}` is damaged: {reason}; without it, finished components would run again: restore \
         it, or move it away if that is what should happen",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// Marks everything that is finished on a server as merely started, so that it runs again: its machine was restarted,
/// and the services that recipes had started are gone. What can be torn down stays known, with its inputs.
///
/// # Errors
/// The journal in the agent's folder `state` cannot be read or written.
pub fn forget_finished(state: &Path) -> io::Result<()> {
    let path = state.join("journal");
    if !path.try_exists()? {
        return Ok(());
    }
    let (mut journal, mut memory) = match Journal::open(&path) {
        Ok(opened) => opened,
        // The agent will report it.
        Err(JournalError::Damaged { .. }) => return Ok(()),
        Err(JournalError::Io { source, .. }) => return Err(source),
    };
    memory.forget_finished();
    journal.rewrite(&memory)
}

/// Writes a file that only its owner can read, and syncs it to disk.
fn write_anew(path: &Path, text: &[u8]) -> io::Result<File> {
    let _ = fs::remove_file(path);
    let mut file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text)?;
    file.sync_all()?;
    Ok(file)
}

fn replace(new: &Path, path: &Path) -> io::Result<()> {
    fs::rename(new, path)?;
    sync_folder(path)
}

/// Syncs the name of a file to disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// The journal of one server.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    /// The number of bytes that are complete lines. The rest is an incomplete line.
    length: u64,
    torn: bool,
    /// The checksum that the next line continues.
    chain: Chain,
}

impl Journal {
    /// Opens the journal at `path`, or begins it.
    ///
    /// # Errors
    /// The journal cannot be read or is damaged. A truncated last line is not damage.
    pub(super) fn open(path: &Path) -> Result<(Self, Memory), JournalError> {
        let io = |source| JournalError::Io { path: path.to_owned(), source };
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path).map_err(io)?;
        sync_folder(path).map_err(io)?;
        let text = fs::read(path).map_err(io)?;
        let damaged = |Damaged { line, reason }| JournalError::Damaged { path: path.to_owned(), line, reason };
        let Replayed { memory, whole, lines, chain } = replay(&text).map_err(damaged)?;
        let mut journal = Self { file, path: path.to_owned(), length: whole as u64, torn: whole < text.len(), chain };
        journal.compact(&memory, lines);
        Ok((journal, memory))
    }

    /// Writes `records` to disk, all or none.
    ///
    /// # Errors
    /// The records are not on disk. The call can be repeated.
    pub(super) fn append(&mut self, records: &[Record]) -> io::Result<()> {
        let mut chain = self.chain.clone();
        let text: Vec<u8> = records.iter().flat_map(|record| encode(&mut chain, record)).collect();
        if self.torn {
            self.file.set_len(self.length)?;
            self.torn = false;
        }
        if let Err(error) = self.file.write_all(&text).and_then(|()| self.file.sync_data()) {
            self.torn = self.file.set_len(self.length).is_err();
            return Err(error);
        }
        self.length += text.len() as u64;
        self.chain = chain;
        Ok(())
    }

    /// Rewrites the journal when most of it is obsolete. A failure is harmless, because the old one stays valid.
    fn compact(&mut self, memory: &Memory, lines: usize) {
        if lines <= 256 + 4 * memory.records().len() {
            return;
        }
        if let Err(error) = self.rewrite(memory) {
            tracing::warn!("the journal `{}` stays as long as it is: {error}", self.path.display());
        }
    }

    fn rewrite(&mut self, memory: &Memory) -> io::Result<()> {
        let records = memory.records();
        let new = self.path.with_extension("new");
        let mut chain = Chain::default();
        let text: Vec<u8> = records.iter().flat_map(|record| encode(&mut chain, record)).collect();
        let file = write_anew(&new, &text)?;
        replace(&new, &self.path)?;
        self.file = file;
        self.length = text.len() as u64;
        self.torn = false;
        self.chain = chain;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
