# shellcheck shell=sh
# What a primary and a replica of PostgreSQL share.

# Ours is a cluster of its own; Debian need not create one as well.
install_postgresql() {
    mkdir -p /etc/postgresql-common/createcluster.d
    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/wattle-parts.conf
    packages postgresql jq
    bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    data=$home/data
    make_home postgres 0750
}

# serve OPTION...: starts the cluster in `data`. Either may become the other one day, so both are told the same. A replica that was
# away for longer than `wal_keep_size` lasts must be made anew.
serve() {
    service INT postgres "$bin/postgres" -D "$data" -c "listen_addresses=$address" -c "port=$port" \
        -c "unix_socket_directories=$home" -c hot_standby=on -c wal_level=replica -c wal_keep_size=1GB "$@"
    until_ready 120 "$bin/pg_isready" -h "$home" -p "$port"
}

# sql: runs what it is given as the owner of the cluster.
sql() {
    runuser -u postgres -- psql -h "$home" -p "$port" --no-psqlrc --quiet --tuples-only --no-align -v ON_ERROR_STOP=1
}

# pgpass PASSWORD: a line of a password file; : and \ are escaped in it.
pgpass() {
    printf '*:*:*:*:%s\n' "$(printf '%s' "$1" | sed 's/[\\:]/\\&/g')"
}
