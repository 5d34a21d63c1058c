#!/bin/sh
# HAProxy, which distributes connections among the servers behind it, and leaves out those that do not answer.
set -eu
. "$(dirname "$0")/lib.sh"

without_debians haproxy.service
packages haproxy jq
make_home root 0711

host=$(url_host "$address")
case $mode in
http) url=http://$host:$port/ forward='option forwardfor' ;;
tcp) url=tcp://$host:$port forward= ;;
*) fail "the mode is \`$mode\`; it is \`http\` or \`tcp\`" ;;
esac
upstreams=$(printf '%s' "$upstreams" | authorities)
cat >"$home/haproxy.cfg" <<CONF
global
    user haproxy
    group haproxy
    maxconn 4096
    # Two that listen at one port would share its connections, and neither would fail.
    noreuseport
defaults
    mode $mode
    timeout connect 5s
    timeout client 1m
    timeout server 1m
    $forward
listen upstreams
    bind $host:$port
    balance $balance
    default-server check
$(printf '%s\n' "$upstreams" | nl -w 1 -s ' ' | sed 's/^\([0-9]*\) /    server server\1 /')
CONF
/usr/sbin/haproxy -c -q -f "$home/haproxy.cfg"

service TERM root /usr/sbin/haproxy -W -db -f "$home/haproxy.cfg"
until_ready 60 listens "$address" "$port"

printf '%s' "$url" >"${heat_outputs_path}.url"
