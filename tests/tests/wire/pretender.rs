//! A fake ZooKeeper that records the messages of clients.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server that pretends to be a ZooKeeper.
pub(crate) struct Pretender {
    host: String,
    heard: Arc<Mutex<Vec<u8>>>,
}

impl Pretender {
    /// Starts one at `address`.
    pub(crate) fn start(address: IpAddr) -> Self {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let heard = Arc::<Mutex<Vec<u8>>>::default();
        let noted = Arc::clone(&heard);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let noted = Arc::clone(&noted);
                std::thread::spawn(move || converse(stream, &noted));
            }
        });
        Self { host, heard }
    }

    /// `HOST:PORT`.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// All messages, as text.
    pub(crate) fn heard(&self) -> String {
        String::from_utf8_lossy(&self.heard.lock().unwrap()).into_owned()
    }
}

/// The type of authentication requests.
const AUTH: i32 = 100;

/// The type of ping requests.
const PING: i32 = 11;

/// Accepts a session and all logins, and records further messages.
fn converse(mut stream: TcpStream, noted: &Mutex<Vec<u8>>) -> io::Result<()> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut request = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap().min(1 << 20)];
    stream.read_exact(&mut request)?;
    noted.lock().unwrap().extend(&request);
    // ConnectResponse: protocol version, session timeout, session ID, its password, not read-only.
    let mut response = Vec::new();
    response.extend(0_u32.to_be_bytes());
    response.extend(10_000_u32.to_be_bytes());
    response.extend(7_u64.to_be_bytes());
    response.extend(16_u32.to_be_bytes());
    response.extend([1; 16]);
    response.push(0);
    stream.write_all(&u32::try_from(response.len()).unwrap().to_be_bytes())?;
    stream.write_all(&response)?;
    loop {
        stream.read_exact(&mut length)?;
        let mut request = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap().min(1 << 20)];
        stream.read_exact(&mut request)?;
        noted.lock().unwrap().extend(&request);
        if [AUTH, PING].iter().any(|kind| request.get(4..8) == Some(&kind.to_be_bytes())) {
            // ReplyHeader: request ID, transaction ID, no error.
            stream.write_all(&16_u32.to_be_bytes())?;
            stream.write_all(&[&request[..4], &[0; 12]].concat())?;
        }
    }
}
