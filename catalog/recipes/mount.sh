# shellcheck shell=sh
# What the recipes that mount something share.

# mounted DIRECTORY TYPE OPTIONS WHAT DEVICE: mounts it now, and whenever the server boots. Where servers share a machine, a
# process of the component holds the mount, and unmounts it when it ends.
mounted() {
    mkdir -p "$1"
    if [ -n "${WATTLE_STATE_DIR:-}" ]; then
        make_home root 0755
        # shellcheck disable=SC2016 # The variables belong to the inner shell.
        service TERM root /bin/sh -c '
            if mountpoint -q "$1"; then umount --lazy "$1"; fi
            mount -t "$2" -o "$3" "$4" "$1" || exit
            sleep infinity &
            trap "umount --lazy \"$1\"; kill $!" EXIT
            trap exit TERM INT
            wait' mounted "$1" "$2" "$3" "$5"
        until_ready 60 mountpoint -q "$1"
        return
    fi
    if mountpoint -q "$1" && ! findmnt --mountpoint "$1" --source "$5" >/dev/null; then
        fail "\`$1\` has something else mounted: $(findmnt -n -o SOURCE --mountpoint "$1")"
    fi
    # A UUID names a disk, which the server checks when it boots (fstab(5), the sixth field).
    case $4 in
    UUID=*) fstab "$1" "$4 $1 $2 $3 0 2" ;;
    *) fstab "$1" "$4 $1 $2 $3 0 0" ;;
    esac
    mountpoint -q "$1" || mount "$1"
}

# unmounted DIRECTORY: undoes `mounted`.
unmounted() {
    end_service
    if [ -n "${WATTLE_STATE_DIR:-}" ]; then return; fi
    fstab "$1"
    if mountpoint -q "$1"; then umount "$1"; fi
}

# fstab DIRECTORY [LINE]: sets the line of the directory in /etc/fstab, or removes it, and leaves the rest as it is.
fstab() (
    # Another component of this server may be editing the file.
    exec 9>/run/lock/wattle-parts.fstab
    flock 9
    awk -v directory="$1" '$2 != directory' /etc/fstab >/etc/fstab.wattle-parts
    if [ $# -gt 1 ]; then printf '%s\n' "$2" >>/etc/fstab.wattle-parts; fi
    # Overwrite the file instead of replacing it, so that it keeps its owner and mode.
    cat /etc/fstab.wattle-parts >/etc/fstab
    rm /etc/fstab.wattle-parts
    if owns_machine; then systemctl daemon-reload; fi
)
