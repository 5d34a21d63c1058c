//! Your own services.

use std::collections::BTreeMap;
use std::time::Duration;

use wattle::prelude::*;

/// A service that comes in an archive: fetched, compared with its digest, unpacked, and run.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use wattle::prelude::*;
/// use wattle_catalog::nova::Server;
/// use wattle_catalog::parts::service::Service;
///
/// fn shop(t: &mut Topology, server: Server, address: Attribute<IpAddr>, db: Output<Url>, key: Parameter<Secret<String>>) {
///     let archive: Url = "https://releases.example.com/shop-1.2.tar.gz".parse().expect("a URL");
///     let service = Service::new()
///         .url(archive)
///         .sha256("0f343b0931126a20f133d67c2b018a3b1bee2ca0af8a4b2b4f3b1c1d4a1f8b9c")
///         .strip(1_u8)
///         .command(["bin/shop", "--verbose"])
///         .user("shop")
///         .environment(BTreeMap::from([("SHOP_DATABASE".to_owned(), db)]))
///         .secrets(BTreeMap::from([("SHOP_KEY".to_owned(), key)]))
///         .address(address)
///         .port(8080_u16);
///     let shop = t.on(server).run("shop", service);
///     let url = text!("http://{}/", shop.authority);
///     # let _ = url;
/// }
/// ```
///
/// It is a systemd unit, `wattle-part-COMPONENT.service`. Without systemd, and with `wattle up`, it is a plain process,
/// which is not restarted when it fails. Either way it gets the environment that is given here, `PATH`, `LANG`, `USER`,
/// and as `HOME` and `STATE_DIRECTORY` the folder where it may write; it cannot change what was unpacked. A new digest
/// is a new release, which replaces the one before.
#[component(
    recipe = "recipes/service.sh",
    files = ["recipes/lib.sh", "recipes/program.sh"],
    teardown = "recipes/remove.sh",
    deadline = "30m"
)]
pub struct Service {
    /// Where the archive is: `.tar` with any compression, or `.zip`.
    #[input]
    url: Url,
    /// SHA-256 of the archive, in hexadecimal digits. The component fails if the archive has a different one.
    #[input]
    sha256: String,
    /// How many leading folders to remove from the archive's paths.
    #[input(default = 0)]
    strip: u8,
    /// Where it is unpacked, an absolute path without spaces; by default `release` in the component's folder.
    #[input]
    directory: Option<String>,
    /// The program with its arguments. It starts in the folder where the archive is unpacked, to which paths such as
    /// `bin/shop` and `./shop` are relative. It must stay in the foreground and end on `SIGTERM`.
    #[input]
    command: Vec<String>,
    /// The user that runs it. If the system has no user of this name, one is created.
    #[input]
    user: String,
    /// Environment variables.
    #[input]
    environment: Option<BTreeMap<String, String>>,
    /// Environment variables that no one else may see.
    #[input]
    secrets: Option<BTreeMap<String, Secret<String>>>,
    /// Address by which others reach it. It listens there only if `environment` or `command` says so.
    #[input]
    address: IpAddr,
    /// TCP port on which it listens. It is ready once it or a process that it started listens there; other processes do
    /// not count. Without a port, it is ready when it has run for two seconds.
    #[input(listen)]
    port: Option<u16>,
    /// How long it may take to listen.
    #[input(default = Duration::from_mins(1))]
    start_within: Duration,

    /// `HOST:PORT`, or `HOST` if it has no port, once it is ready.
    #[output]
    authority: String,
}
