#!/bin/sh
# Mounts what an NFS server exports, at a directory of this server.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/mount.sh"

packages jq nfs-common
path=$(place "$directory")

# part NAME: the `host`, `port` or `path` of nfs://HOST:PORT/PATH (RFC 2224).
part() {
    printf '%s' "$url" | jq -rR --arg part "$1" 'capture("^nfs://(?<host>\\[[^]]+\\]|[^]:/?#\\[]+)(:(?<port>[0-9]+))?(?<path>/[^?#\\s]*)$")
        | .port //= "2049" | .[$part]'
}
export=$(part path)
[ -n "$export" ] || fail "the URL is \`$url\`; one of an export is \`nfs://HOST/PATH\` or \`nfs://HOST:PORT/PATH\`"

# The NFS client is part of the kernel.
knows_nfs() {
    grep -qw nfs4 /proc/filesystems
}
knows_nfs || modprobe nfs 2>/dev/null || true
knows_nfs || fail "this machine's kernel cannot mount NFS: it has no file system \`nfs4\`, and no module \`nfs\`"

options=nfsvers=4,port=$(part port)
if [ "$read_only" = true ]; then options=$options,ro; fi
if [ -z "${WATTLE_STATE_DIR:-}" ]; then options=$options,_netdev,nofail; fi
mounted "$path" nfs4 "$options" "$(part host):$export" "$(part host):$export"

printf '%s' "$path" >"${heat_outputs_path}.path"
