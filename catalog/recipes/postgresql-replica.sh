#!/bin/sh
# A PostgreSQL replica: follows a primary by streaming replication, and answers queries that only read.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/postgresql.sh"

install_postgresql

# Parts of the primary's URL: replication uses its address, but another user and another database.
primary_authority=$(printf '%s' "$primary" | sed -n 's|^postgresql://\([^@/]*@\)\{0,1\}\([^/?]*\).*|\2|p')
database=$(printf '%s' "$primary" | sed -n 's|^postgresql://[^/]*/\([^?]*\).*|\1|p')
user=$(printf '%s' "$primary" | sed -n 's|^postgresql://\([^@/]*\)@.*|\1|p')
(
    umask 077
    pgpass "$replication_password" >"$home/pgpass.new"
    chown postgres: "$home/pgpass.new"
    mv "$home/pgpass.new" "$home/pgpass"
)
upstream="postgresql://replication@$primary_authority/?passfile=$home/pgpass"

# A copy counts only once it has its final name, so an interrupted copy does not count. A replica that has been promoted
# since then stays promoted.
if [ ! -d "$data" ]; then
    rm -rf "$data.new"
    runuser -u postgres -- "$bin/pg_basebackup" --dbname "$upstream" --pgdata "$data.new" --checkpoint fast --no-password
    runuser -u postgres -- touch "$data.new/standby.signal"
    mv "$data.new" "$data"
fi

serve -c "primary_conninfo=$upstream"
follows() {
    echo "SELECT NOT pg_is_in_recovery() OR EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming')" |
        sql | grep -qx t
}
until_ready 60 follows

printf 'postgresql://%s@%s:%s/%s' "$user" "$(url_host "$address")" "$port" "$database" >"${heat_outputs_path}.url"
