#!/bin/sh
# The shared storage: a volume's file system, exported to the servers of the cell by NFS.
set -eu
. "$(dirname "$0")/lib.sh"

packages nfs-kernel-server e2fsprogs

# Cinder cuts a volume's id to what a virtio disk's serial number can hold.
disk=/dev/disk/by-id/virtio-$(printf '%.20s' "$volume")
for _ in $(seq 60); do
    if [ -b "$disk" ]; then break; fi
    sleep 2
done
if [ ! -b "$disk" ]; then
    echo "the volume \`$volume\` is not attached: there is no \`$disk\`" >&2
    exit 1
fi
blkid "$disk" >/dev/null || mkfs.ext4 -q "$disk"

mkdir -p "$directory"
grep -qF " $directory " /etc/fstab || printf '%s %s ext4 defaults,nofail 0 2\n' "$disk" "$directory" >>/etc/fstab
mountpoint -q "$directory" || mount "$directory"

# The nodes write as root: the installer of Connections sets owners and modes of its own.
mkdir -p /etc/exports.d
printf '%s %s(rw,sync,no_subtree_check,no_root_squash)\n' "$directory" "$clients" >/etc/exports.d/connections.exports
exportfs -r
systemctl enable --now nfs-server

printf '%s:%s' "$address" "$directory" >"${heat_outputs_path}.export"
