//! Reads an agent's journal.

use serde_json::Value;

/// Returns the kind and the content of each complete line. Ignores a truncated last line.
///
/// # Panics
/// A line is not JSON followed by a checksum.
pub fn records(text: &[u8]) -> Vec<(String, Value)> {
    let text = String::from_utf8_lossy(text);
    let whole = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    let record = |line: &str| {
        let (json, sum) = line.rsplit_once(' ').expect("a record and its checksum");
        assert_eq!(sum.len(), 16, "{line}");
        let Ok(Value::Object(record)) = serde_json::from_str(json) else { panic!("no record: {line}") };
        record.into_iter().next().expect("a kind and what it is about")
    };
    whole.map(record).collect()
}
