#!/bin/sh
# One member of a ZooKeeper ensemble.
set -eu
. "$(dirname "$0")/lib.sh"

packages openjdk-17-jre-headless libzookeeper-java libslf4j-java jq
system_user zookeeper
make_home zookeeper 0750

hosts=$(printf '%s' "$members" | jq -r '.[] | if contains(":") then "[\(.)]" else . end')
count=$(printf '%s\n' "$hosts" | wc -l)
if [ "$number" -lt 1 ] || [ "$number" -gt "$count" ]; then fail "there is no member $number among $count"; fi
install -d -o zookeeper -g zookeeper -m 0750 "$home/data"
printf '%s' "$number" >"$home/data/myid"
cat >"$home/zoo.cfg" <<CONF
dataDir=$home/data
clientPort=$port
clientPortAddress=$address
tickTime=2000
initLimit=10
syncLimit=5
autopurge.purgeInterval=24
admin.enableServer=false
4lw.commands.whitelist=srvr,mntr,ruok
CONF
if [ "$count" -gt 1 ]; then
    printf '%s\n' "$hosts" | nl -w 1 -s ' ' |
        sed "s/^\([0-9]*\) \(.*\)/server.\1=\2:$peer_port:$election_port/" >>"$home/zoo.cfg"
fi

java=/usr/share/java
service TERM zookeeper /usr/bin/java "-Xmx${heap}m" -XX:+ExitOnOutOfMemoryError \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$java/zookeeper.jar:$java/slf4j-simple.jar" \
    org.apache.zookeeper.server.quorum.QuorumPeerMain "$home/zoo.cfg"
# A member serves once more than half of them have found each other.
serves() {
    # shellcheck disable=SC2016 # The variables are of the shell inside.
    /usr/bin/env bash -c 'exec 3<>"/dev/tcp/$0/$1" && printf srvr >&3 && timeout 5 cat <&3' "$address" "$port" |
        grep -q '^Mode: '
}
until_ready 600 serves

printf '%s:%s' "$(url_host "$address")" "$port" >"${heat_outputs_path}.authority"
printf '%s\n' "$hosts" | sed "s/\$/:$port/" | paste -sd , - >"${heat_outputs_path}.connect"
