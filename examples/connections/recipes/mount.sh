#!/bin/sh
# The shared storage, at the same path on every server that mounts it.
set -eu
. "$(dirname "$0")/lib.sh"

packages nfs-common

mkdir -p "$directory"
if ! grep -qF " $directory " /etc/fstab; then
    printf '%s %s nfs4 hard,_netdev,nofail 0 0\n' "$export" "$directory" >>/etc/fstab
fi
mountpoint -q "$directory" || mount "$directory"

printf '%s' "$directory" >"${heat_outputs_path}.path"
