//! Cinder: volumes and their attachment to servers.

use wattle::author::IntoProperty;

use crate::nova::Server;
use crate::resource::{resource, setters};

resource! {
    /// A volume.
    Volume, VolumeProperties, "OS::Cinder::Volume", "cinder_volume.json"
}

impl Volume {
    /// Starts a volume of `size` GiB.
    #[expect(clippy::new_ret_no_self, reason = "a resource starts with its properties")]
    #[track_caller]
    pub fn new(size: impl IntoProperty<u32>) -> VolumeProperties {
        Self::properties().set("size", size)
    }
}

setters!(VolumeProperties {
    /// Name of the volume.
    name: String,
    /// What it is for.
    description: String,
    /// Name or id of the volume's type.
    volume_type: String,
    /// Availability zone to place it in.
    availability_zone: String,
});

resource! {
    /// A volume attached to a server.
    VolumeAttachment, VolumeAttachmentProperties, "OS::Cinder::VolumeAttachment", "cinder_volumeattachment.json"
}

impl VolumeAttachment {
    /// Attaches `volume` to `server`.
    #[expect(clippy::new_ret_no_self, reason = "a resource starts with its properties")]
    #[track_caller]
    pub fn new(server: impl IntoProperty<Server>, volume: impl IntoProperty<Volume>) -> VolumeAttachmentProperties {
        Self::properties().set("instance_uuid", server).set("volume_id", volume)
    }
}

setters!(VolumeAttachmentProperties {
    /// Device on which the server is asked to show it; the hypervisor may choose another.
    mountpoint: String,
});
