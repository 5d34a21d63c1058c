#!/bin/sh
# The shared storage: a volume's file system, exported by NFS to the servers of the cell.
set -eu
. "$(dirname "$0")/lib.sh"

packages nfs-kernel-server e2fsprogs

# Heat attaches the volume once the server exists, which may be after this recipe has started.
for _ in $(seq 150); do
    if [ -b "$device" ]; then break; fi
    sleep 2
done
if [ ! -b "$device" ]; then
    echo "no volume is attached as \`$device\`" >&2
    exit 1
fi
blkid "$device" >/dev/null || mkfs.ext4 -q "$device"

mkdir -p "$directory"
grep -qF " $directory " /etc/fstab || printf '%s %s ext4 defaults,nofail 0 2\n' "$device" "$directory" >>/etc/fstab
mountpoint -q "$directory" || mount "$directory"

# The nodes write as root, because the installer of Connections sets its own owners and modes.
mkdir -p /etc/exports.d
printf '%s %s(rw,sync,no_subtree_check,no_root_squash)\n' "$directory" "$clients" >/etc/exports.d/connections.exports
exportfs -r
systemctl enable --now nfs-server

printf '%s:%s' "$address" "$directory" >"${heat_outputs_path}.export"
