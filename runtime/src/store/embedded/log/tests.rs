//! The log, torn and damaged at any position.

use super::*;

fn record(n: i64) -> Record<'static> {
    Record::Transaction(n)
}

fn large(n: u8) -> Record<'static> {
    let op = Op::Create { path: format!("/{n}"), data: vec![n; 1000], access: Access::new() };
    Record::Change { transaction: 1, by: Token { client: 1, request: u64::from(n) }, ops: vec![Cow::Owned(op)] }
}

fn read(path: &Path) -> Result<Vec<Record<'static>>, ServerError> {
    let mut records = Vec::new();
    Log::open(path, |record| {
        records.push(record);
        Ok(())
    })?;
    Ok(records)
}

fn write(path: &Path, records: &[Record<'_>]) {
    let mut log = Log::open(path, |_| Ok(())).unwrap();
    for record in records {
        log.append(&record.to_bytes()).unwrap();
    }
}

#[test]
fn what_was_appended_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    assert_eq!(read(&path).unwrap(), []);
    write(&path, &[record(1), large(7)]);
    write(&path, &[record(2)]);
    assert_eq!(read(&path).unwrap(), [record(1), large(7), record(2)]);
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn an_end_that_was_torn_off_anywhere_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    write(&path, &[record(1), large(7)]);
    let before = std::fs::read(&path).unwrap();
    let last = record(i64::MAX).to_bytes();
    for torn in 0..last.len() {
        let mut bytes = before.clone();
        bytes.extend(&last[..torn]);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(read(&path).unwrap(), [record(1), large(7)], "after {torn} bytes");
        assert_eq!(std::fs::read(&path).unwrap(), before, "after {torn} bytes");
    }
    // Space that the file system allocated but did not fill.
    let mut bytes = before.clone();
    bytes.extend([0; 5000]);
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(read(&path).unwrap(), [record(1), large(7)]);
    write(&path, &[record(3)]);
    assert_eq!(read(&path).unwrap(), [record(1), large(7), record(3)]);
    // So early that even the beginning is missing.
    for begun in 0..MAGIC.len() {
        std::fs::write(&path, &MAGIC[..begun]).unwrap();
        assert_eq!(read(&path).unwrap(), []);
    }
}

#[test]
fn damage_is_an_error_and_nothing_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    write(&path, &[record(1), large(7), record(2)]);
    let sound = std::fs::read(&path).unwrap();
    let first = MAGIC.len();
    let last = sound.len() - record(2).to_bytes().len();
    for at in (first..last).step_by(3) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&path, &bytes).unwrap();
        match read(&path) {
            Err(ServerError::Damaged { at: found, .. }) => assert!(found <= at as u64),
            other => panic!("{other:?} with byte {at} damaged"),
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
    // A piece is missing in the middle.
    let mut bytes = sound.clone();
    bytes.drain(first + 20..first + 200);
    std::fs::write(&path, &bytes).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.contains("damaged at byte"), "{error}");
}

#[test]
fn what_is_no_log_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::write(&path, "my diary\n").unwrap();
    assert!(matches!(read(&path), Err(ServerError::Foreign { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), b"my diary\n");
}

#[test]
fn only_one_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let log = Log::open(&path, |_| Ok(())).unwrap();
    assert!(matches!(read(&path), Err(ServerError::InUse { .. })));
    drop(log);
    assert_eq!(read(&path).unwrap(), []);
}

#[test]
fn a_log_that_is_mostly_dead_is_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let mut log = Log::open(&path, |_| Ok(())).unwrap();
    let mut appended = 0;
    while !log.has_grown() {
        log.append(&large(7).to_bytes()).unwrap();
        appended += 1;
    }
    // Everything is alive, so it is not worthwhile.
    assert!(!log.rewrite(log.size, std::iter::empty()).unwrap());
    assert!(!log.has_grown());
    assert!(log.rewrite(0, [record(1), large(8)].into_iter()).unwrap());
    assert!(!log.has_grown());
    // The new file is locked just like the old one.
    assert!(matches!(read(&path), Err(ServerError::InUse { .. })));
    log.append(&record(2).to_bytes()).unwrap();
    drop(log);
    assert!(appended > 4000);
    assert_eq!(read(&path).unwrap(), [record(1), large(8), record(2)]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    // The remains of a new file after a crash are harmless.
    std::fs::write(folder.path().join("log.new"), "half").unwrap();
    let mut log = Log::open(&path, |_| Ok(())).unwrap();
    log.pretend_to_have_grown();
    assert!(log.rewrite(0, [record(3)].into_iter()).unwrap());
    drop(log);
    assert_eq!(read(&path).unwrap(), [record(3)]);
}

#[test]
fn what_a_record_says_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    write(&path, &[record(1), record(2)]);
    let outcome = Log::open(&path, |r| if r == record(2) { Err("odd".to_owned()) } else { Ok(()) });
    assert!(matches!(outcome, Err(ServerError::Damaged { reason, .. }) if reason == "odd"));
}
