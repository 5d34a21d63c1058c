#!/bin/sh
# Redis, with a password. It logs every write to disk.
set -eu
. "$(dirname "$0")/lib.sh"

without_debians redis-server.service
packages redis-server
make_home redis 0750

# quoted TEXT: the text, quoted for redis.conf.
quoted() {
    printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"
}
(
    umask 077
    cat >"$home/redis.conf.new" <<CONF
bind $address
port $port
dir "$home"
daemonize no
appendonly yes
requirepass $(quoted "$password")
CONF
    if [ -n "${max_memory:-}" ]; then echo "maxmemory ${max_memory}mb" >>"$home/redis.conf.new"; fi
    chown redis: "$home/redis.conf.new"
    mv "$home/redis.conf.new" "$home/redis.conf"
)

service TERM redis /usr/bin/redis-server "$home/redis.conf"
export REDISCLI_AUTH="$password"
answers() {
    # Another service at that address may accept the question, and never answer.
    timeout 5 redis-cli -h "$address" -p "$port" ping | grep -qx PONG
}
until_ready 60 answers

printf 'redis://%s:%s/' "$(url_host "$address")" "$port" >"${heat_outputs_path}.url"
