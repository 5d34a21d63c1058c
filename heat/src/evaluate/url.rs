//! `make_url`.

use crate::template::Call;

use super::call::{known, wrong};
use super::{Fault, Scope, Value};

/// The arguments of `make_url`.
pub(super) const PARTS: [&str; 8] = ["scheme", "username", "password", "host", "port", "path", "query", "fragment"];

/// The schemes that Python expects to be followed by a network location.
const NETWORK: [&str; 25] = [
    "ftp", "http", "gopher", "nntp", "telnet", "imap", "wais", "file", "mms", "https", "shttp", "snews", "prospero",
    "rtsp", "rtsps", "rtspu", "rsync", "svn", "svn+ssh", "sftp", "nfs", "git", "git+ssh", "ws", "wss",
];

impl Scope<'_> {
    pub(super) fn make_url(call: &Call<'_>, arguments: &Value) -> Result<Value, Fault> {
        let Value::Map(arguments) = known!(arguments) else {
            return Err(wrong(call, "it takes a map of the parts of a URL"));
        };
        let mut unknown = false;
        let mut part = |name: &str| match arguments.get(name) {
            None => Ok(String::new()),
            Some(Value::Text(text)) => Ok(text.clone()),
            Some(Value::Unknown) => {
                unknown = true;
                Ok(String::new())
            }
            Some(other) => Err(wrong(call, format!("its {name} must be a string, not {}", other.kind()))),
        };
        let (scheme, username, password) = (part("scheme")?, part("username")?, part("password")?);
        let (host, path, fragment) = (part("host")?, part("path")?, part("fragment")?);
        if scheme.contains(':') {
            return Err(wrong(call, "its scheme contains a colon"));
        }
        let mut place = String::new();
        if !username.is_empty() || !password.is_empty() {
            place.push_str(&quote(&username, ""));
            if !password.is_empty() {
                place.push(':');
                place.push_str(&quote(&password, ""));
            }
            place.push('@');
        }
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&host);
        let host = quote(host, ":");
        place.push_str(&if host.contains(':') { format!("[{host}]") } else { host });
        match arguments.get("port") {
            None => {}
            Some(Value::Unknown) => unknown = true,
            Some(number) => match port_of(number) {
                Ok(_) => place.push_str(&format!(":{}", number.python())),
                Err(why) => return Err(wrong(call, why)),
            },
        }
        let query = match arguments.get("query") {
            None => String::new(),
            Some(Value::Unknown) => {
                unknown = true;
                String::new()
            }
            Some(Value::Map(query)) => {
                unknown |= query.values().any(|value| !value.is_known());
                let pairs: Vec<_> =
                    query.iter().map(|(key, value)| format!("{}={}", plus(key), plus(&value.python()))).collect();
                pairs.join("&").replace("%2F", "/")
            }
            Some(other) => return Err(wrong(call, format!("its query must be a map, not {}", other.kind()))),
        };
        if unknown {
            return Ok(Value::Unknown);
        }
        let path = quote(&path, "/");
        let mut url = String::new();
        if !scheme.is_empty() {
            url.push_str(&scheme);
            url.push(':');
        }
        // Combined as in `urllib.parse.urlunsplit`.
        if !place.is_empty() || (NETWORK.contains(&&*scheme) && !path.starts_with("//")) {
            url.push_str("//");
            url.push_str(&place);
            if !path.is_empty() && !path.starts_with('/') {
                url.push('/');
            }
        }
        url.push_str(&path);
        if !query.is_empty() {
            url.push('?');
            url.push_str(&query);
        }
        if !fragment.is_empty() {
            url.push('#');
            url.push_str(&quote(&fragment, "/"));
        }
        Ok(Value::Text(url))
    }
}

/// The number of a port.
///
/// # Errors
///
/// Why it is not a port, as a clause.
pub(super) fn port_of(port: &Value) -> Result<i128, String> {
    let number = match port {
        Value::Integer(number) => Some(*number),
        Value::Boolean(number) => Some(i128::from(*number)),
        #[expect(clippy::cast_possible_truncation, reason = "a port this large is never valid")]
        Value::Float(number) => Some(*number as i128),
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    };
    match number {
        Some(number @ 1..=65_535) => Ok(number),
        Some(number) => Err(format!("its port is {number}, but ports are 1 to 65535")),
        None => Err(format!("its port must be a number, not {}", port.kind())),
    }
}

fn quote(text: &str, safe: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"_.-~".contains(&byte) || safe.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn plus(text: &str) -> String {
    quote(text, " ").replace(' ', "+")
}
