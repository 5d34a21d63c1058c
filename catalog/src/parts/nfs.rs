//! NFS: a folder of one server, mounted by others.

use wattle::prelude::*;

/// A folder that other servers mount over NFS 4.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::nova::Server;
/// use wattle_catalog::parts::nfs::{Export, Mount};
///
/// fn shared(t: &mut Topology, keeper: Server, address: Attribute<IpAddr>, readers: Vec<Server>) {
///     let uploads = t.on(keeper).run("uploads", Export::new().address(address).user("www-data"));
///     for server in readers {
///         let mount = t.on(server).run("uploads", Mount::new().url(uploads.url).directory("/srv/shop/uploads"));
///         let path: Output<String> = mount.path;
///         # let _ = path;
///     }
/// }
/// ```
///
/// The server is NFS-Ganesha, in user space: one for each export, so another export of the same server takes another
/// port. Clients are identified only by their addresses, and nothing is encrypted: use it on a private network. For the
/// minute and a half after its start, clients that it knew may claim their locks again, and no one else may open files.
#[component(recipe = "recipes/nfs-export.sh", files = ["recipes/lib.sh"], teardown = "recipes/remove.sh", deadline = "15m")]
pub struct Export {
    /// Address on which it listens.
    #[input]
    address: IpAddr,
    /// TCP port on which it listens.
    #[input(default = 2049, listen)]
    port: u16,
    /// What is exported: an absolute path without spaces, `data` in the component's folder by default. It is created if
    /// it is missing. It must be on a disk file system such as ext4 or xfs. File systems mounted below it are not
    /// exported.
    #[input]
    directory: Option<String>,
    /// The user that owns it, and as which all clients read and write, whatever their own users are. If the system has
    /// no user of this name, one is created. What is in a folder that is already there keeps its owner.
    #[input]
    user: String,
    /// Addresses that may mount it: `10.0.0.0/24`, `10.0.0.7`. The default is the network of `address`.
    #[input]
    clients: Option<Vec<String>>,
    /// Whether clients only read.
    #[input(default = false)]
    read_only: bool,

    /// `nfs://HOST:PORT/COMPONENT`, once it is served.
    #[output]
    url: Url,
}

/// What an NFS server exports, mounted at a directory.
///
/// On a server, it is a line of `/etc/fstab`. With `wattle up`, it is mounted as long as the component runs, which
/// needs root and a kernel with NFS.
#[component(
    recipe = "recipes/nfs-mount.sh",
    files = ["recipes/lib.sh", "recipes/mount.sh"],
    teardown = "recipes/unmount.sh",
    deadline = "15m"
)]
pub struct Mount {
    /// The `url` of an [`Export`], or any other: `nfs://HOST/PATH` or `nfs://HOST:PORT/PATH`.
    #[input]
    url: Url,
    /// Where it is mounted: an absolute path without spaces.
    #[input]
    directory: String,
    /// Whether it is mounted read-only.
    #[input(default = false)]
    read_only: bool,

    /// Where it is mounted, once it is: `directory`; with `wattle up`, that directory below the server's own folder.
    #[output]
    path: String,
}
