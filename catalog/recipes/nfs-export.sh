#!/bin/sh
# A folder that other servers mount by NFS 4, served in user space.
set -eu
. "$(dirname "$0")/lib.sh"

without_debians nfs-ganesha.service nfs-ganesha-lock.service rpcbind.service rpcbind.socket
packages nfs-ganesha nfs-ganesha-vfs libnfs-utils iproute2 jq
system_user "$user"
make_home root 0711
path=$home/data
if [ -n "${directory:-}" ]; then path=$(place "$directory"); fi
if [ "$read_only" = true ]; then access=RO; else access=RW; fi
if [ "$access" = RW ] || [ ! -e "$path" ]; then
    mkdir -p "$path"
    chown "$user:" "$path"
fi

# network: the network of the address. All of 127.0.0.0/8 is this machine, whatever addresses its interface has.
network() {
    case $address in
    127.*) echo 127.0.0.0/8 ;;
    *) ip -j address | jq -er --arg own "$address" \
        'first(.[].addr_info[] | select(.local == $own) | "\(.local)/\(.prefixlen)")' ;;
    esac
}
if [ -z "${clients:-}" ]; then
    near=$(network) || fail "no interface has the address $address, whose network may mount the export; say \`clients\`"
    clients=$(jq -n --arg near "$near" '[$near]')
fi
# This server is a client too: the recipe checks the export from here.
allowed=$(printf '%s' "$clients" | jq -r --arg own "$address" '. + [$own] | unique | join(", ")')
# quoted TEXT: the text, quoted for ganesha.conf.
quoted() {
    case $1 in *[\"\\]*) fail "a path of an export has neither quotes nor backslashes: \`$1\`" ;; esac
    printf '"%s"' "$1"
}
cat >"$home/ganesha.conf" <<CONF
NFS_Core_Param {
    Protocols = 4;
    Bind_addr = $address;
    NFS_Port = $port;
    Enable_NLM = false;
    Enable_RQUOTA = false;
    Enable_UDP = false;
}
NFSv4 {
    RecoveryRoot = $(quoted "$home/recovery");
    Only_Numeric_Owners = true;
}
EXPORT {
    Export_Id = 1;
    Path = $(quoted "$path");
    Pseudo = /$own;
    Protocols = 4;
    Transports = TCP;
    SecType = sys;
    Access_Type = None;
    Squash = All_Squash;
    Anonymous_Uid = $(id -u "$user");
    Anonymous_Gid = $(id -g "$user");
    FSAL {
        Name = VFS;
    }
    CLIENT {
        Clients = $allowed;
        Access_Type = $access;
    }
}
CONF
mkdir -p "$home/recovery"
# shellcheck disable=SC2034 # `service` reads it.
also_needs=$path

service TERM root /usr/bin/ganesha.nfsd -F -f "$home/ganesha.conf" -L /dev/stdout -p "$home/pid"
# A server that cannot export the folder still starts, but exports nothing. So check the export itself.
until_ready 120 nfs-ls "nfs://$(url_host "$address")/$own?version=4&nfsport=$port"

printf 'nfs://%s:%s/%s' "$(url_host "$address")" "$port" "$own" >"${heat_outputs_path}.url"
