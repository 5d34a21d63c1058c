//! Disks: an agent's journal as written, and as left by a crash.

use wattle_agent_core::journal::{self, Chain, Damaged, Replayed};
use wattle_agent_core::machine::Event;
use wattle_agent_core::memory::Memory;
use wattle_agent_core::record::Record;

use crate::happening::Happening;
use crate::world::World;

/// The number of bytes that reach a disk together, or not at all.
const BLOCK: usize = 512;

/// The data that survives a crash.
#[derive(Default)]
pub(crate) struct Disk {
    bytes: Vec<u8>,
    chain: Chain,
    /// The records after these bytes: most of them are never read, and checksums take time.
    rest: Vec<Record>,
    /// The sum of all records.
    pub(crate) memory: Memory,
}

impl Disk {
    fn add(&mut self, record: &Record) {
        self.rest.push(record.clone());
        self.memory.note(record.clone());
    }

    fn bytes(&mut self) -> &mut Vec<u8> {
        self.bytes.extend(self.rest.drain(..).flat_map(|record| journal::encode(&mut self.chain, &record)));
        &mut self.bytes
    }

    /// Encodes a record as the next line.
    fn next(&mut self, record: &Record) -> Vec<u8> {
        self.bytes();
        journal::encode(&mut self.chain.clone(), record)
    }

    /// Reads the journal at the start of an agent: the memory and the number of lines.
    pub(super) fn read(&mut self) -> Result<(Memory, usize), Damaged> {
        let Replayed { memory, whole, lines, chain } = journal::replay(self.bytes())?;
        self.bytes.truncate(whole);
        self.chain = chain;
        self.memory.clone_from(&memory);
        Ok((memory, lines))
    }
}

impl World {
    pub(super) fn write_journal(&mut self, host: usize) {
        let incarnation = self.hosts[host].incarnation;
        let delay = self.chance.between(1, if self.is_calm { 3 } else { self.faults.sync });
        self.after(delay, Happening::Synced { host, incarnation });
    }

    /// Handles the end of a write to disk.
    pub(crate) fn synced(&mut self, host: usize, incarnation: u64) {
        if !self.is_there(host, incarnation) {
            return;
        }
        let Some((ticket, records)) = self.agent(host).journal.front().cloned() else { return };
        if self.hosts[host].is_full {
            self.after(5_000, Happening::Synced { host, incarnation });
            return self.tell(host, incarnation, Event::JournalFails(ticket));
        }
        self.agent(host).journal.pop_front();
        for record in &records {
            self.on_disk(host, record);
        }
        if !self.agent(host).journal.is_empty() {
            self.write_journal(host);
        }
        self.tell(host, incarnation, Event::Journalled(ticket));
    }

    fn on_disk(&mut self, host: usize, record: &Record) {
        self.hosts[host].disk.add(record);
        self.recorded(host, record);
    }

    /// Leaves any part of a pending write on disk.
    pub(super) fn tear(&mut self, host: usize, records: &[Record]) {
        for record in records {
            match self.chance.below(4) {
                0 => return,
                1 => self.on_disk(host, record),
                2 => {
                    let line = self.hosts[host].disk.next(record);
                    let cut = self.chance.index(line.len());
                    self.say(|| format!("h{host}: its journal is torn"));
                    return self.hosts[host].disk.bytes.extend_from_slice(&line[..cut]);
                }
                _ => {
                    let mut line = self.hosts[host].disk.next(record);
                    let cut = self.chance.index(line.len() - 1) + 1;
                    let disk = &mut self.hosts[host].disk;
                    // Blocks are written completely or not at all.
                    let cut = (disk.bytes.len() + cut).next_multiple_of(BLOCK) - disk.bytes.len();
                    let end = line.len().min(cut);
                    line[..end].fill(0);
                    return disk.bytes.extend_from_slice(&line);
                }
            }
        }
    }
}
