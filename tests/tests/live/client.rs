//! A raw HTTP client.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Splits the URL of a service into `HOST:PORT` and its token.
pub(crate) fn parts(url: &str) -> (String, String) {
    let rest = url.strip_prefix("http://").expect("a URL");
    let (host, token) = rest.split_once("/?token=").expect("a token");
    (host.to_owned(), token.to_owned())
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The header, with its names in lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// Sends a request whose head consists of these lines.
pub(crate) fn ask(host: &str, lines: &[&str]) -> Answer {
    let mut stream = connect(host);
    write!(stream, "{}\r\nConnection: close\r\n\r\n", lines.join("\r\n")).expect("asks");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("answers");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {text}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}

/// Requests `path` like a browser.
pub(crate) fn get(host: &str, path: &str) -> Answer {
    ask(host, &[&format!("GET {path} HTTP/1.1"), &format!("Host: {host}")])
}

pub(crate) fn connect(host: &str) -> TcpStream {
    let stream = TcpStream::connect(host).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_mins(1))).expect("sets");
    stream
}

/// A stream of events.
pub(crate) struct Events {
    lines: BufReader<TcpStream>,
    /// All received bytes.
    pub(crate) heard: String,
}

impl Events {
    /// Requests the events of `path`.
    pub(crate) fn of(host: &str, path: &str) -> Self {
        let mut stream = connect(host);
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("asks");
        Self { lines: BufReader::new(stream), heard: String::new() }
    }

    /// The next line; `None` at the end.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.lines.read_line(&mut line).expect("hears");
        self.heard.push_str(&line);
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event and its data; `None` at the end.
    pub(crate) fn next(&mut self) -> Option<(String, Value)> {
        let mut name = String::new();
        loop {
            let line = self.line()?;
            if let Some(event) = line.strip_prefix("event: ") {
                event.clone_into(&mut name);
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((name, serde_json::from_str(data).expect("JSON")));
            }
        }
    }

    /// Reads until an event satisfies `is_so`, and returns that event.
    pub(crate) fn until(&mut self, what: &str, is_so: impl Fn(&str, &Value) -> bool) -> Value {
        loop {
            let (name, data) = self.next().unwrap_or_else(|| panic!("it ended before: {what}\n{}", self.heard));
            if is_so(&name, &data) {
                return data;
            }
        }
    }
}
