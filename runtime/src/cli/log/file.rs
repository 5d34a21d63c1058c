//! A log file of limited size.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::log_file;

/// The size, in bytes, at which a new file is started. The previous one is kept.
const MOST: u64 = 8 << 20;

/// A file, and the previous one, whose name ends in `.1`.
pub(super) struct Rotated<N> {
    path: PathBuf,
    most: u64,
    file: File,
    bytes: u64,
    // Formats a message about the log itself.
    note: N,
}

impl<N: Fn(&str) -> String> Rotated<N> {
    /// Opens the file at `path` for appending.
    pub(super) fn open(path: &Path, note: N) -> io::Result<Self> {
        Self::of(path, MOST, note)
    }

    fn of(path: &Path, most: u64, note: N) -> io::Result<Self> {
        let file = log_file::append(path)?;
        let bytes = file.metadata()?.len();
        Ok(Self { path: path.to_owned(), most, file, bytes, note })
    }

    fn rotate(&mut self) -> io::Result<()> {
        let mut former = OsString::from(&self.path);
        former.push(".1");
        let is_dropped = fs::exists(&former).unwrap_or(false);
        fs::rename(&self.path, &former)?;
        self.file = log_file::append(&self.path)?;
        let dropped = if is_dropped { "; what was before that is dropped" } else { "" };
        let text = format!("the lines before this one are in `{}`{dropped}", Path::new(&former).display());
        let line = (self.note)(&text);
        self.bytes = line.len() as u64;
        self.file.write_all(line.as_bytes())
    }
}

/// Each call writes one line, which is never split.
impl<N: Fn(&str) -> String> Write for Rotated<N> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.bytes > 0 && self.bytes + line.len() as u64 > self.most {
            self.rotate()?;
        }
        self.file.write_all(line)?;
        self.bytes += line.len() as u64;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_files_hold_the_last_lines_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.log");
        fs::write(&path, "of before\n").unwrap();
        let note = |text: &str| format!("({text})\n");
        let mut log = Rotated::of(&path, 1000, note).unwrap();
        for number in 0..500 {
            log.write_all(format!("line {number}\n").as_bytes()).unwrap();
        }
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let (now, before) = (read("agent.log"), read("agent.log.1"));
        assert!(now.len() <= 1000 && before.len() <= 1000, "{} {}", now.len(), before.len());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert!(now.starts_with("(the lines before this one are in `"), "{now}");
        assert!(now.contains("; what was before that is dropped)"), "{now}");
        let both = [before, now].concat();
        let lines: Vec<_> = both.lines().filter(|line| line.starts_with("line ")).collect();
        let expected: Vec<_> = (500 - lines.len()..500).map(|number| format!("line {number}")).collect();
        assert_eq!(lines, expected);
    }
}
