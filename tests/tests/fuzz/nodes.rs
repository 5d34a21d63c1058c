//! Nodes of a data space: plans, desired revisions, statuses, values; signed and sealed data.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wattle::model::Value;
use wattle_agent_core::journal::{Chain, encode, replay};
use wattle_agent_core::record::{Record, Stored};
use wattle_runtime::space::{
    Alive, Content, DesiredRevision, Export, Exported, Failure, Importer, OperatorKey, Place, ServerKey, ServerPlan,
    ServerStatus, Status, Written, open, open_entry, seal, seal_entry,
};
use wattle_tests::fuzz::{Read, Target};

const JSON: [&str; 18] = [
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "null",
    "true",
    "\"\"",
    "\"revision\":",
    "\"space\":",
    "\"value\":",
    "{\"failure\":",
    "{\"entry\":",
    "\"leaf\":",
    "\\u0000",
    "-1",
    "{\"list\":[",
];

/// Reads the bytes as each of these types, writes the result, and reads that again.
macro_rules! read_as {
    ($bytes:ident: $($kind:ty),* $(,)?) => {{
        let mut is_read = false;
        $(is_read |= again::<$kind>($bytes);)*
        if is_read { Read::Accepted } else { Read::Refused }
    }};
}

fn again<T: DeserializeOwned + Serialize>(bytes: &[u8]) -> bool {
    let Ok(read) = serde_json::from_slice::<T>(bytes) else { return false };
    let once = serde_json::to_vec(&read).expect("it is JSON");
    let twice: T = serde_json::from_slice(&once).unwrap_or_else(|error| panic!("{error}: {}", once.escape_ascii()));
    assert_eq!(serde_json::to_vec(&twice).expect("it is JSON"), once);
    true
}

#[test]
fn what_a_node_says_is_written_the_same() {
    let mut corpus: Vec<Vec<u8>> = Vec::new();
    for seed in crate::seeds() {
        let (nodes, _) = crate::applied(&seed);
        let held = nodes.into_iter().map(|(_, data)| match data.iter().position(|byte| *byte == b'\n') {
            Some(end) if data.starts_with(b"wattle-signed/") => data[end + 1..].to_vec(),
            _ => data,
        });
        corpus.extend(held.filter(|data| (data.starts_with(b"{")) && data.len() < 8_000));
    }
    corpus.extend(
        [
            r#"{"revision": 3, "space": "2026-01-01T00:00:00Z-aa", "value": {"a": [1, "b"]}}"#,
            r#"{"revision": 3, "failure": {"component": "db/a", "message": "exit code 1", "kind": "recipe", "at": "2026-01-01T00:00:00Z"}}"#,
        ]
        .map(|text| text.as_bytes().to_vec())
        .into_iter()
        .filter(|text| serde_json::from_slice::<Written>(text).is_ok()),
    );
    let read = |bytes: &[u8]| read_as!(bytes: ServerPlan, DesiredRevision, Status, ServerStatus, Written, Alive, Export, Exported, Importer, Failure, serde_json::Value);
    Target { name: "nodes", corpus, words: &JSON, thinned: 4 }.try_all(read);
}

/// Only bytes that the operator has signed count as the operator's.
#[test]
fn what_is_signed_is_believed_as_it_is_and_nowhere_else() {
    let key = OperatorKey::generate();
    let (signer, next, other) = (key.signer(), key.next().signer(), OperatorKey::generate().signer());
    let authority = signer.authority();
    let path = "/wattle/shop/revision";
    let held: [&[u8]; 3] = [b"{\"revision\": 1}", b"", b"a\nwattle-signed/1 x\nb"];
    let signers = [&signer, &next];
    let corpus: Vec<Vec<u8>> =
        signers.iter().flat_map(|signer| held.iter().map(|held| signer.sign(path, held))).collect();
    let foreign = [other.sign(path, held[0]), signer.sign("/wattle/shop/servers", held[0])];
    for node in &foreign {
        assert!(authority.follow(path, node).is_err());
    }
    let words: Vec<String> = foreign.iter().map(|node| String::from_utf8_lossy(node).into_owned()).collect();
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .chain(["wattle-signed/1 ", "wattle-signed/2 ", ".", "=", "==", "\n", " ", "A"])
        .collect();
    let read = |bytes: &[u8]| {
        let verified = authority.follow(path, bytes);
        if let Ok((by, _)) = verified {
            assert!(by == authority || by == next.authority(), "somebody else's word");
            let is_same = |node: &Vec<u8>| authority.follow(path, node) == verified;
            assert!(corpus.iter().any(is_same), "it was not signed so");
        }
        verified.into()
    };
    Target { name: "signed nodes", corpus: corpus.clone(), words: &words, thinned: 1 }.try_all(read);
}

/// Opening yields what was sealed, and only in its place.
#[test]
fn what_is_sealed_opens_as_it_was_or_not_at_all() {
    let (reader, other) = (ServerKey::generate(), ServerKey::generate());
    let recipients = [reader.recipient(), other.recipient()];
    let recipients: Vec<&str> = recipients.iter().map(String::as_str).collect();
    let place = Place { stack: "shop", entry: "db/postgres/password" };
    let secret = Value::from("hunter2");
    let sealed = seal_entry(&secret, &place, recipients.iter().copied()).expect("seals");
    let elsewhere =
        seal_entry(&secret, &Place { entry: "db/postgres/url", ..place }, recipients.iter().copied()).expect("seals");
    let plain = seal(&secret, recipients.iter().copied()).expect("seals");
    assert!(
        open_entry(&elsewhere, &place, &reader.opener()).is_err()
            && open_entry(&plain, &place, &reader.opener()).is_err()
    );
    let words = [elsewhere.as_str(), &plain, "=", "age-encryption.org/v1", "LS0t"];
    let read = |bytes: &[u8]| {
        let Ok(text) = std::str::from_utf8(bytes) else { return Read::Refused };
        let opened = open_entry(text, &place, &reader.opener());
        if let Ok(value) = &opened {
            assert_eq!((value, text), (&secret, sealed.as_str()));
        }
        if let Ok(value) = open(text, &reader.opener()) {
            assert_eq!((&value, text), (&secret, plain.as_str()));
        }
        opened.into()
    };
    Target { name: "sealed values", corpus: vec![sealed.clone().into_bytes()], words: &words, thinned: 4 }
        .try_all(read);
}

/// A header is long if it names many readers, but it may also be long and name none.
#[test]
fn a_long_header_takes_no_longer_than_it_is() {
    let reader = ServerKey::generate();
    let place = Place { stack: "shop", entry: "db/postgres/password" };
    let others = (0..300).map(|_| ServerKey::generate().recipient());
    let recipients: Vec<String> = others.chain([reader.recipient()]).collect();
    let sealed = seal_entry(&"x".into(), &place, recipients.iter().map(String::as_str)).expect("seals");
    let begin = Instant::now();
    assert_eq!(open_entry(&sealed, &place, &reader.opener()).expect("opens"), "x".into());
    for line in ["-> x y\n\n", "-> x\n", "->\n", "\n"] {
        for end in ["", "--- x\n", "\n--- ", "-> x"] {
            let text = format!("age-encryption.org/v1\n{}{end}", line.repeat(700_000 / line.len()));
            let sealed = STANDARD.encode(text);
            assert!(open_entry(&sealed, &place, &reader.opener()).is_err());
        }
    }
    assert!(begin.elapsed() < Duration::from_mins(1), "{:?}", begin.elapsed());
}

/// An agent reads its own file, on a disk that may be corrupt.
#[test]
fn a_journal_is_replayed_or_damaged() {
    let stored = Stored { content: Content::Value(Value::from("x\ny")), recipients: vec!["age1".to_owned()] };
    let records = [
        Record::Early { component: "a".into(), output: "o".into(), stored },
        Record::Gone { component: "a".into() },
        Record::Gone { component: "b".into() },
    ];
    let mut chain = Chain::default();
    let whole: Vec<u8> = records.iter().flat_map(|record| encode(&mut chain, record)).collect();
    // Earlier versions had no checksums.
    let former: Vec<u8> =
        records.iter().flat_map(|record| [&serde_json::to_vec(record).expect("JSON"), &b"\n"[..]].concat()).collect();
    let torn = whole[..whole.len() - 7].to_vec();
    let read = |bytes: &[u8]| match replay(bytes) {
        Ok(replayed) => {
            let again = replay(&bytes[..replayed.whole]).expect("what is whole");
            assert_eq!((again.whole, again.lines, again.chain), (replayed.whole, replayed.lines, replayed.chain));
            assert_eq!(format!("{:?}", again.memory), format!("{:?}", replayed.memory));
            Read::Accepted
        }
        Err(damaged) => {
            assert!(damaged.line > 0 && !damaged.reason.is_empty());
            Read::Refused
        }
    };
    Target { name: "journals", corpus: vec![whole, former, torn, Vec::new()], words: &JSON, thinned: 1 }.try_all(read);
}
