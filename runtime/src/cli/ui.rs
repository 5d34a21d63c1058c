//! `--ui`: the live view of a stack in a browser.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use clap::{Arg, ArgMatches};
use wattle::diagram::Diagram;

use crate::deploy::Maker;
use crate::local::Folder;
use crate::openstack::Templates;
use crate::space::{OperatorKey, Space};
use crate::ui::{Listening, Shown, Ui, UiError};

use super::console::Console;
use super::error::CommandError;
use super::paint::{Tone, paint};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// The option.
pub(super) fn option() -> Arg {
    Arg::new("ui")
        .long("ui")
        .value_name("ADDRESS")
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("127.0.0.1:0")
        .value_parser(address)
        .help("Also show it in a browser, at the printed URL; only on this machine unless ADDRESS[:PORT] is given")
}

/// Parses `ADDRESS:PORT`, only one of them, or neither.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = || text.parse().map(|port| SocketAddr::new(LOOPBACK, port)).ok();
    let alone = || text.trim_matches(['[', ']']).parse().map(|address| SocketAddr::new(address, 0)).ok();
    let local = || text.strip_prefix("localhost:").and_then(|port| Some(SocketAddr::new(LOOPBACK, port.parse().ok()?)));
    text.parse().ok().or_else(port).or_else(alone).or_else(local).ok_or_else(|| {
        "it is not an address with a port; write `127.0.0.1:8000`, or `8000` for that port of this machine alone".into()
    })
}

/// Listens for the live view, if requested. Obstacles are reported before anything else is done.
pub(super) async fn listen(matches: &ArgMatches) -> Result<Option<Listening>, CommandError> {
    match matches.get_one::<SocketAddr>("ui") {
        Some(address) => Ok(Some(Listening::at(*address).await?)),
        None => Ok(None),
    }
}

/// The key that decrypts the infrastructure's targets, and their reader.
pub(super) fn opens(key: OperatorKey) -> (OperatorKey, Arc<dyn Maker>) {
    (key, Arc::new(Templates::default()))
}

/// Serves the live view, and reports its address. `key` is the operator's, if known, and `folder` is that of an `up` on
/// this machine. `before` is drawn if nothing else is left.
pub(super) fn show(
    listening: Listening,
    space: &Space,
    key: Option<OperatorKey>,
    folder: Option<&Folder>,
    before: Option<Diagram>,
    console: &mut Console,
) -> Result<Ui, CommandError> {
    let shown = Shown {
        space: space.clone(),
        opens: key.map(opens),
        directory: folder.map(|folder| folder.directory().to_owned()),
        logs: folder.map(Folder::servers),
        before: before.map(Arc::new),
    };
    let ui = listening.show(shown);
    if !ui.address().ip().is_loopback() {
        console.err.write(&format!(
            "{} other machines can reach the live view at {}, and nothing is encrypted: anyone who sees its URL\n\
             {:9}or what it serves sees values and logs; `--ui` alone is for this machine, and `ssh -L` reaches it\n",
            paint("warning:", Tone::Waiting, console.err.color),
            ui.address(),
            ""
        ))?;
    }
    let url = paint(&ui.url(), Tone::Head, console.out.color);
    console.out.write(&format!("live view: {url}\n"))?;
    Ok(ui)
}

impl From<UiError> for CommandError {
    fn from(error: UiError) -> Self {
        let failure = Self::new(format!("there is no live view: {error}"));
        match error {
            UiError::Taken { .. } => failure.help("without a port, `--ui` takes a free one"),
            UiError::Elsewhere { .. } => {
                failure.help("`--ui` alone is for this machine; `ip address` lists its addresses")
            }
            UiError::Listen { .. } => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_and_without_ports() {
        let read = |text: &str| address(text).map(|address| address.to_string());
        for (text, expected) in [
            ("127.0.0.1:8000", "127.0.0.1:8000"),
            ("8000", "127.0.0.1:8000"),
            ("localhost:8000", "127.0.0.1:8000"),
            ("10.0.0.1", "10.0.0.1:0"),
            ("0.0.0.0:80", "0.0.0.0:80"),
            ("[::1]:80", "[::1]:80"),
            ("::1", "[::1]:0"),
        ] {
            assert_eq!(read(text), Ok(expected.to_owned()), "{text}");
        }
        for wrong in ["", "x", "127.0.0.1:99999", "10.0.0", "example.com:80"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
