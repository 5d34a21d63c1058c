//! Volumes, and the file systems on them.

use wattle::author::{Module, Resource};
use wattle::prelude::*;

use crate::cinder::{Volume, VolumeAttachment, VolumeProperties};
use crate::nova::Server;

/// A volume that is attached to a server.
///
/// ```
/// use wattle::prelude::*;
/// use wattle_catalog::cinder::Volume;
/// use wattle_catalog::nova::Server;
/// use wattle_catalog::parts::volume::{AttachedVolume, FileSystem};
///
/// fn storage(t: &mut Topology, server: Server) -> Output<String> {
///     let disk = t.add("disk", AttachedVolume { server, volume: Volume::new(20) });
///     // Where PostgreSQL keeps its cluster, if it runs on this server as `postgresql`.
///     let files = FileSystem::new().volume(disk.id()).directory("/srv/postgresql");
///     t.on(server).run("files", files).path
/// }
/// ```
#[must_use = "a module does nothing until it is added to a topology: `t.add(name, module)`"]
pub struct AttachedVolume {
    /// The server.
    pub server: Server,
    /// The volume: `Volume::new(20)` has 20 GiB.
    pub volume: VolumeProperties,
}

/// A volume that was added, and is attached to its server.
#[derive(Clone, Copy)]
pub struct Disk {
    /// The volume.
    pub volume: Volume,
    /// What attaches it.
    pub attachment: VolumeAttachment,
}

impl Disk {
    /// The volume's id, by which its server finds it.
    pub fn id(self) -> Resource {
        self.volume.resource()
    }
}

impl Module for AttachedVolume {
    type Outputs = Disk;

    fn build(self, t: &mut Topology) -> Disk {
        let volume = t.add("volume", self.volume);
        let attachment = t.add("attachment", VolumeAttachment::new(self.server, volume));
        Disk { volume, attachment }
    }
}

/// The file system of a volume, mounted at a directory.
///
/// It waits until the volume is attached, and finds it by its id, whatever device the hypervisor shows it as. A file
/// system is made only on a volume with nothing on it. With `wattle up`, the volume is a sparse file of 1 GiB, and is
/// mounted as long as the component runs, which needs root and loop devices.
#[component(
    recipe = "recipes/volume.sh",
    files = ["recipes/lib.sh", "recipes/mount.sh"],
    teardown = "recipes/unmount.sh",
    deadline = "20m"
)]
pub struct FileSystem {
    /// The volume's id: [`Disk::id`].
    #[input]
    volume: String,
    /// Where it is mounted: an absolute path without spaces.
    #[input]
    directory: String,
    /// `ext4` or `xfs`.
    #[input(default = "ext4")]
    filesystem: String,

    /// Where it is mounted, once it is: `directory`; with `wattle up`, that directory below the server's own folder.
    #[output]
    path: String,
}
