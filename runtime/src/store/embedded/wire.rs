//! The protocol between a client and the server. It consists of frames: a length of four bytes (little endian), and
//! that many bytes of postcard. The first frame in each direction is the greeting. After that, each frame begins with a
//! number that the client chose for a request, and everything about that request has the same number.

use std::borrow::Cow;
use std::io;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::super::{Access, Login, Node, Op, StoreError, Version, bytes, check_path};

/// Changes whenever a client and a server of an earlier version could misunderstand each other.
pub(super) const PROTOCOL: u32 = 4;

/// A peer that announces more is not one of ours. One operation may contain a node's data and an access list.
const MAX_FRAME: usize = 64 << 20;

/// The maximum size of the operations in one request, unless a single one is larger.
pub(super) const MAX_BATCH: usize = 1 << 20;

/// A client's first frame. The protocol number always comes first, so that every server can refuse every client.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) protocol: u32,
    /// A random number that identifies this client across reconnects.
    pub(super) client: u64,
    pub(super) logins: Vec<Login>,
}

/// The server's first frame. It never changes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Greeting {
    Welcome,
    /// Why the client need not try again.
    Refused(String),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request<'a> {
    Get {
        path: Cow<'a, str>,
    },
    Changed {
        path: Cow<'a, str>,
        seen: Option<Version>,
    },
    Children {
        path: Cow<'a, str>,
    },
    Set {
        path: Cow<'a, str>,
        #[serde(with = "cow_bytes")]
        data: Cow<'a, [u8]>,
        expected: Option<Version>,
    },
    Apply {
        ops: Cow<'a, [Op]>,
        /// Whether the log must be on disk before the response.
        sync: bool,
    },
    Protect {
        path: Cow<'a, str>,
        access: Cow<'a, Access>,
        checks: Cow<'a, [Op]>,
    },
    /// Holds the node until the request is cancelled.
    Hold {
        path: Cow<'a, str>,
        #[serde(with = "cow_bytes")]
        data: Cow<'a, [u8]>,
        access: Cow<'a, Access>,
        over: Option<Version>,
    },
    /// Cancels the request with this number.
    Cancel,
    /// Adds these logins to the client's from now on.
    LogIn {
        logins: Cow<'a, [Login]>,
    },
}

mod cow_bytes {
    use std::borrow::Cow;

    use serde::{Deserializer, Serializer};

    use super::bytes;

    #[expect(clippy::ptr_arg, reason = "the name that serde uses")]
    pub(super) fn serialize<S: Serializer>(bytes: &Cow<'_, [u8]>, serializer: S) -> Result<S::Ok, S::Error> {
        bytes::serialize(bytes, serializer)
    }

    pub(super) fn deserialize<'de, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'a, [u8]>, D::Error> {
        bytes::deserialize(deserializer).map(Cow::Owned)
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply<'a> {
    Node(Option<Cow<'a, Node>>),
    Names(Vec<String>),
    Written(Version),
    Done,
    /// The node that this request holds has been changed or removed.
    Lost,
    Failed(Fault),
}

/// A [`StoreError`] on the wire.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Fault {
    Illegal { path: String },
    Missing { path: String },
    Exists { path: String },
    Conflict { path: String },
    Replaced { path: String },
    NotEmpty { path: String },
    Denied { action: String, path: String },
    TooLarge { path: String, bytes: u64 },
    Unusable { reason: String },
    Full { path: String },
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Illegal { path, .. } => Self::Illegal { path },
            StoreError::Missing { path } => Self::Missing { path },
            StoreError::Exists { path } => Self::Exists { path },
            StoreError::Conflict { path } => Self::Conflict { path },
            StoreError::Replaced { path } => Self::Replaced { path },
            StoreError::NotEmpty { path } => Self::NotEmpty { path },
            StoreError::Denied { action, path } => Self::Denied { action: action.to_owned(), path },
            StoreError::TooLarge { path, bytes } => Self::TooLarge { path, bytes: bytes as u64 },
            StoreError::Unusable { reason, .. } => Self::Unusable { reason },
            // A store does not know about the operator's signatures. Its clients verify them.
            error @ StoreError::Disowned { .. } => Self::Unusable { reason: error.to_string() },
            StoreError::Full { path } => Self::Full { path },
        }
    }
}

impl Fault {
    /// Converts the error to one of the server at `address`.
    pub(super) fn at(self, address: &str) -> StoreError {
        match self {
            Self::Illegal { path } => {
                check_path(&path).err().unwrap_or(StoreError::Illegal { path, reason: "the server does not accept it" })
            }
            Self::Missing { path } => StoreError::Missing { path },
            Self::Exists { path } => StoreError::Exists { path },
            Self::Conflict { path } => StoreError::Conflict { path },
            Self::Replaced { path } => StoreError::Replaced { path },
            Self::NotEmpty { path } => StoreError::NotEmpty { path },
            Self::Denied { action, path } => {
                let known = ["read", "write", "create", "delete", "protect"];
                let action = known.into_iter().find(|known| *known == action).unwrap_or("do that with");
                StoreError::Denied { action, path }
            }
            Self::TooLarge { path, bytes } => {
                StoreError::TooLarge { path, bytes: usize::try_from(bytes).unwrap_or(usize::MAX) }
            }
            Self::Unusable { reason } => StoreError::Unusable { address: address.to_owned(), reason },
            Self::Full { path } => StoreError::Full { path },
        }
    }
}

/// Appends a frame to `to`.
pub(super) fn append(to: &mut Vec<u8>, content: &impl Serialize) {
    let start = to.len();
    to.extend([0; 4]);
    *to = postcard::to_extend(content, std::mem::take(to)).expect("INVARIANT: what we send has a form in postcard");
    let length = u32::try_from(to.len() - start - 4).expect("INVARIANT: a request is bounded, and so is a node");
    to[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// Builds a frame.
pub(super) fn frame(content: &impl Serialize) -> Vec<u8> {
    let mut frame = Vec::new();
    append(&mut frame, content);
    frame
}

/// The content of a frame.
pub(super) fn parse<T: DeserializeOwned>(frame: &[u8]) -> io::Result<T> {
    postcard::from_bytes(frame).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// The protocol number of a [`Hello`] of any version.
pub(super) fn protocol_of(hello: &[u8]) -> io::Result<u32> {
    let taken = postcard::take_from_bytes(hello);
    taken.map(|(protocol, _)| protocol).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Data that has arrived and is not consumed yet.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    bytes: Vec<u8>,
    taken: usize,
}

impl Inbox {
    /// The next frame, if it has arrived completely.
    ///
    /// # Errors
    /// The data is not a valid frame.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let Some((length, rest)) = self.bytes[self.taken..].split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_FRAME {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not the protocol of a data space"));
        }
        if rest.len() < length {
            return Ok(None);
        }
        let start = self.taken + 4;
        self.taken = start + length;
        Ok(Some(&self.bytes[start..self.taken]))
    }

    /// Waits for more data.
    ///
    /// # Errors
    /// The connection is closed.
    pub(super) async fn fill(&mut self, from: &mut (impl AsyncRead + Unpin)) -> io::Result<()> {
        const ROOM: usize = 8 << 10;
        self.bytes.drain(..self.taken);
        self.taken = 0;
        if self.bytes.is_empty() {
            self.bytes.shrink_to(64 * ROOM);
        }
        // The buffer grows for a long frame, so that it does not arrive in small pieces.
        self.bytes.reserve(ROOM.max(self.bytes.len()));
        match from.read_buf(&mut self.bytes).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    /// Waits for the next frame.
    ///
    /// # Errors
    /// No valid frame arrives.
    pub(super) async fn receive<T: DeserializeOwned>(&mut self, from: &mut (impl AsyncRead + Unpin)) -> io::Result<T> {
        loop {
            if let Some(frame) = self.next()? {
                return parse(frame);
            }
            self.fill(from).await?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn frames_in_pieces() {
        let mut sent = Vec::new();
        for n in 0..50u64 {
            append(&mut sent, &(n, vec![7u8; usize::try_from(n * n).unwrap()]));
        }
        let mut inbox = Inbox::default();
        let (mut read, mut bytes) = (0, &*sent);
        while read < 50 {
            if let Some(frame) = inbox.next().unwrap() {
                let (n, content): (u64, Vec<u8>) = parse(frame).unwrap();
                assert_eq!((n, content.len() as u64), (read, n * n));
                read += 1;
            } else {
                inbox.fill(&mut (&mut bytes).take(13)).await.unwrap();
            }
        }
        assert!(inbox.next().unwrap().is_none());
        assert_eq!(inbox.fill(&mut bytes).await.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn what_is_no_frame_of_ours_is_refused() {
        let mut inbox = Inbox { bytes: b"GET / HTTP/1.1\r\n".to_vec(), taken: 0 };
        assert!(inbox.next().is_err());
    }

    #[test]
    fn errors_come_across() {
        let path = || "/a/ü".to_owned();
        let errors = [
            StoreError::Missing { path: path() },
            StoreError::Exists { path: path() },
            StoreError::Conflict { path: path() },
            StoreError::Replaced { path: path() },
            StoreError::NotEmpty { path: path() },
            StoreError::Denied { action: "protect", path: path() },
            StoreError::TooLarge { path: path(), bytes: 1_000_001 },
            StoreError::Full { path: path() },
            StoreError::Unusable { address: "here".to_owned(), reason: "no".to_owned() },
            check_path("/a//b").unwrap_err(),
        ];
        for error in errors {
            let text = error.to_string();
            let frame = frame(&Reply::Failed(error.into()));
            match parse(&frame[4..]).unwrap() {
                Reply::Failed(fault) => assert_eq!(fault.at("here").to_string(), text),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Checks that the content of a frame round-trips.
    fn again<T: DeserializeOwned + Serialize + std::fmt::Debug>(content: &[u8]) {
        if let Ok(read) = parse::<T>(content) {
            let frame = frame(&read);
            let twice: T = parse(&frame[4..]).expect("our own");
            assert_eq!(format!("{twice:?}"), format!("{read:?}"));
        }
    }

    /// Frames of all kinds.
    fn frames() -> Vec<Vec<u8>> {
        let (path, version) = (|| Cow::Borrowed("/a/ü"), Version { transaction: 7, count: 1 });
        let login = Login { name: "web".to_owned(), password: "x".to_owned() };
        let access = Access::new().grant(&login.principal(), crate::store::Rights::READ);
        let ops = vec![
            Op::Create { path: "/a".to_owned(), data: vec![1; 40], access: access.clone() },
            Op::Set { path: "/a".to_owned(), data: Vec::new(), expected: Some(version) },
            Op::Check { path: "/a".to_owned(), expected: version },
            Op::Delete { path: "/a".to_owned() },
        ];
        let data = || Cow::Borrowed(&b"data"[..]);
        let requests = [
            Request::Get { path: path() },
            Request::Changed { path: path(), seen: Some(version) },
            Request::Children { path: path() },
            Request::Set { path: path(), data: data(), expected: None },
            Request::Apply { ops: Cow::Borrowed(&ops), sync: true },
            Request::Protect { path: path(), access: Cow::Borrowed(&access), checks: Cow::Borrowed(&ops) },
            Request::Hold { path: path(), data: data(), access: Cow::Borrowed(&access), over: Some(version) },
            Request::Cancel,
        ];
        let replies = [
            Reply::Node(Some(Cow::Owned(Node { data: vec![9; 9], version }))),
            Reply::Names(vec!["a".to_owned(), String::new()]),
            Reply::Written(version),
            Reply::Failed(StoreError::denied("read", "/a").into()),
        ];
        let requests = requests.iter().enumerate().map(|(number, request)| frame(&(number as u64, request)));
        let replies = replies.iter().map(|reply| frame(&(1_u64, reply)));
        let hello = frame(&Hello { protocol: PROTOCOL, client: 7, logins: vec![login] });
        requests.chain(replies).chain([hello, frame(&Greeting::Refused("no".to_owned()))]).collect()
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig {
            cases: 5_000, failure_persistence: None, ..proptest::prelude::ProptestConfig::default()
        })]

        /// Arbitrary data gives frames or an error, and allocates no more than the data needs.
        #[test]
        fn what_comes_is_a_frame_or_an_error(
            which in 0..14_usize,
            edits in proptest::collection::vec((0..400_usize, proptest::num::u8::ANY, 0..4_u8), 0..6),
            tail in proptest::collection::vec(proptest::num::u8::ANY, 0..12),
        ) {
            let frames = frames();
            let mut bytes = frames[which % frames.len()].clone();
            for (at, byte, kind) in edits {
                let at = at % (bytes.len() + 1);
                match kind {
                    0 if at < bytes.len() => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    2 if at < bytes.len() => { bytes.remove(at); }
                    _ => bytes.truncate(at.max(4)),
                }
            }
            bytes.extend(&tail);
            for content in [&bytes[..], bytes.get(4..).unwrap_or_default()] {
                again::<(u64, Request<'static>)>(content);
                again::<(u64, Reply<'static>)>(content);
                again::<Hello>(content);
                again::<Greeting>(content);
                let _ = protocol_of(content);
            }
            let (length, mut inbox, mut taken) = (bytes.len(), Inbox { bytes, taken: 0 }, 0);
            while let Ok(Some(frame)) = inbox.next() {
                taken += 4 + frame.len();
            }
            assert!(taken <= length && inbox.taken == taken);
        }
    }
}
