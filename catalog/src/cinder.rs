//! Cinder: volumes and their attachment to servers.

use wattle::author::IntoProperty;

pub use crate::generated::cinder::*;
use crate::generated::references::{VolumeBackupRef, VolumeRef, VolumeSnapshotRef};

impl Volume {
    /// Starts a volume of `size` GiB.
    #[expect(clippy::new_ret_no_self, reason = "a resource starts with its properties")]
    #[track_caller]
    pub fn new(size: impl IntoProperty<u32>) -> VolumeProperties {
        Self::begin().size(size)
    }

    /// Starts a volume with the content and the size of `snapshot`.
    #[track_caller]
    pub fn from_snapshot(snapshot: impl IntoProperty<VolumeSnapshotRef>) -> VolumeProperties {
        Self::begin().snapshot_id(snapshot)
    }

    /// Starts a volume with the content and the size of `backup`.
    #[track_caller]
    pub fn from_backup(backup: impl IntoProperty<VolumeBackupRef>) -> VolumeProperties {
        Self::begin().backup_id(backup)
    }

    /// Starts a volume with the content and the size of `volume`.
    #[track_caller]
    pub fn from_volume(volume: impl IntoProperty<VolumeRef>) -> VolumeProperties {
        Self::begin().source_volid(volume)
    }
}
