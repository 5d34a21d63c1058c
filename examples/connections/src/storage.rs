//! The shared storage: one file system, at the same path on every server that mounts it.

use wattle::prelude::*;
use wattle_catalog::{cinder, nova};

use crate::platform::Platform;

/// Path of the shared storage on every server that mounts it.
const MOUNT_POINT: &str = "/opt/IBM/connections-shared";

/// Device as which the hypervisor shows the first volume.
const DEVICE: &str = "/dev/vdb";

/// A volume's file system, exported by NFS.
#[component(recipe = "recipes/nfs.sh", files = ["recipes/lib.sh"])]
pub struct NfsExport {
    /// Address of the server.
    #[input]
    address: IpAddr,
    /// The volume; a file system is made on it if it has none.
    #[input]
    device: String,
    /// Where the volume is mounted on its own server.
    #[input(default = "/srv/connections")]
    directory: String,
    /// Addresses that may mount it: `10.0.0.0/24`.
    #[input]
    clients: String,

    /// `HOST:DIRECTORY`, as `mount` takes it.
    #[output]
    export: String,
}

/// A mounted NFS export.
#[component(recipe = "recipes/mount.sh", files = ["recipes/lib.sh"])]
pub struct Mount {
    /// `HOST:DIRECTORY`.
    #[input]
    export: String,
    /// Where to mount it.
    #[input]
    directory: String,

    /// Where it is mounted.
    #[output]
    path: String,
}

/// A server with the shared storage.
pub struct StorageServer {
    /// What all servers have in common.
    pub platform: Platform,
    /// Size of the volume in GiB.
    pub gigabytes: u32,
}

/// Storage that any server can mount.
#[derive(Clone, Copy)]
pub struct Storage {
    export: Output<String>,
}

impl Module for StorageServer {
    type Outputs = Storage;

    fn build(self, t: &mut Topology) -> Storage {
        let Self { platform, gigabytes } = self;
        let server = t.add("server", platform.server("m1.medium"));
        let volume = t.add("volume", cinder::Volume::new(gigabytes));
        t.add("attachment", cinder::VolumeAttachment::new(server, volume).mountpoint(DEVICE));
        let nfs = NfsExport::new().address(server.address(platform.net)).device(DEVICE).clients(platform.cidr);
        Storage { export: t.on(server).run("nfs", nfs).export }
    }
}

impl Storage {
    /// Mounts the storage on `server`, at the same path as on all other servers, and returns that path.
    #[track_caller]
    pub fn mount(self, t: &mut Topology, server: nova::Server) -> Output<String> {
        t.on(server).run("mount", Mount::new().export(self.export).directory(MOUNT_POINT)).path
    }
}
