#!/bin/sh
# A volume's file system, mounted at a directory of its server.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mount.sh"

case $filesystem in
ext4) packages e2fsprogs ;;
xfs) packages xfsprogs ;;
*) fail "the file system is \`$filesystem\`; it is \`ext4\` or \`xfs\`" ;;
esac
path=$(place "$directory")

# device: the disk whose serial number is the volume's id. virtio has room for only 20 characters of the id.
device() {
    for link in /dev/disk/by-id/*"$volume" "/dev/disk/by-id/virtio-$(printf '%.20s' "$volume")"; do
        if [ -b "$link" ]; then
            realpath "$link"
            return
        fi
    done
    return 1
}

options=defaults
if [ -n "${WATTLE_STATE_DIR:-}" ]; then
    # No volume is attached to this machine: a file takes its place.
    make_home root 0755
    device=$home/volume.img
    truncate -s 1G "$device"
    options=loop
else
    # Heat attaches the volume once the server exists, which may be after this recipe has started.
    tries=300
    until device=$(device); do
        tries=$((tries - 1))
        if [ "$tries" -le 0 ]; then fail "no disk of this server has the serial number of the volume, \`$volume\`"; fi
        sleep 2
    done
    options=defaults,nofail
fi

# Only an empty volume gets a file system. blkid reports an empty volume by the status 2, and nothing else by it (blkid(8)).
status=0
found=$(blkid -p -s TYPE -o value "$device") || status=$?
if [ "$status" -eq 2 ]; then
    "mkfs.$filesystem" -q "$device"
elif [ "$status" -ne 0 ] || [ "$found" != "$filesystem" ]; then
    fail "the volume holds something other than an $filesystem file system: $(blkid -p "$device" || true)"
fi
mounted "$path" "$filesystem" "$options" "UUID=$(blkid -p -s UUID -o value "$device")" "$device"

printf '%s' "$path" >"${heat_outputs_path}.path"
