#!/bin/sh
# One member of a ZooKeeper ensemble. It uses TLS with its clients and with the other members.
set -eu
. "$(dirname "$0")/lib.sh"

packages openjdk-17-jre-headless libzookeeper-java libnetty-java libslf4j-java openssl jq
system_user zookeeper
make_home zookeeper 0750

hosts=$(printf '%s' "$members" | jq -r '.[] | if contains(":") then "[\(.)]" else . end')
count=$(printf '%s\n' "$hosts" | wc -l)
if [ "$number" -lt 1 ] || [ "$number" -gt "$count" ]; then fail "there is no member $number among $count"; fi
install -d -o zookeeper -g zookeeper -m 0750 "$home/data"
printf '%s' "$number" >"$home/data/myid"

printf '%s\n' "$trusted" >"$home/ca.pem"
(
    umask 077
    printf '%s' "$certificates" | jq -r ".[$number - 1]" >"$home/certificate.pem"
    if [ "$(openssl x509 -in "$home/certificate.pem" -noout -pubkey)" != "$(openssl pkey -in "$key" -pubout)" ]; then
        fail "the certificate of the member $number is for another key than $key"
    fi
    cat "$key" "$home/certificate.pem" >"$home/server.pem.new"
    chown zookeeper: "$home/server.pem.new"
    mv "$home/server.pem.new" "$home/server.pem"
)
cat >"$home/zoo.cfg" <<CONF
dataDir=$home/data
secureClientPort=$port
secureClientPortAddress=$address
serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
ssl.keyStore.type=PEM
ssl.keyStore.location=$home/server.pem
ssl.clientAuth=none
tickTime=2000
initLimit=10
syncLimit=5
autopurge.purgeInterval=24
admin.enableServer=false
enforceQuota=true
4lw.commands.whitelist=srvr,mntr,ruok
CONF
if [ "$count" -gt 1 ]; then
    cat >>"$home/zoo.cfg" <<CONF
sslQuorum=true
ssl.quorum.keyStore.type=PEM
ssl.quorum.keyStore.location=$home/server.pem
ssl.quorum.trustStore.type=PEM
ssl.quorum.trustStore.location=$home/ca.pem
CONF
    printf '%s\n' "$hosts" | nl -w 1 -s ' ' |
        sed "s/^\([0-9]*\) \(.*\)/server.\1=\2:$peer_port:$election_port/" >>"$home/zoo.cfg"
fi

java=/usr/share/java
classes=$java/zookeeper.jar:$java/slf4j-simple.jar
for part in buffer codec common handler resolver transport transport-native-epoll transport-native-unix-common; do
    classes=$classes:$java/netty-$part.jar
done
service TERM zookeeper /usr/bin/java "-Xmx${heap}m" -XX:+ExitOnOutOfMemoryError \
    -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$classes" \
    org.apache.zookeeper.server.quorum.QuorumPeerMain "$home/zoo.cfg"
# Members serve once more than half of them have found each other. Whoever answers must match the certificate.
serves() {
    printf srvr | timeout 30 openssl s_client -quiet -connect "$(url_host "$address"):$port" -CAfile "$home/ca.pem" \
        -verify_return_error -verify_ip "$address" | grep -q '^Mode: '
}
until_ready 600 serves

printf '%s:%s' "$(url_host "$address")" "$port" >"${heat_outputs_path}.authority"
printf '%s\n' "$hosts" | sed "s/\$/:$port/" | paste -sd , - >"${heat_outputs_path}.connect"
cp "$home/ca.pem" "${heat_outputs_path}.ca"
