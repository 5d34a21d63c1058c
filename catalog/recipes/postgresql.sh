# shellcheck shell=sh
# What a primary and a replica of PostgreSQL share.

# The recipes create their own cluster, so Debian's package need not create one.
install_postgresql() {
    mkdir -p /etc/postgresql-common/createcluster.d
    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/wattle-parts.conf
    packages postgresql jq
    bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    data=$home/data
    make_home postgres 0750
}

# serve OPTION...: starts the cluster in `data`. A primary may become a replica one day, or a replica a primary, so both get the
# same options. A replica that was away for longer than `wal_keep_size` lasts must be created again.
serve() {
    service INT postgres "$bin/postgres" -D "$data" -c "listen_addresses=$address" -c "port=$port" \
        -c "unix_socket_directories=$home" -c hot_standby=on -c wal_level=replica -c wal_keep_size=1GB "$@"
    until_ready 120 "$bin/pg_isready" -h "$home" -p "$port"
}

# sql: runs the SQL on its standard input as the owner of the cluster.
sql() {
    runuser -u postgres -- psql -h "$home" -p "$port" --no-psqlrc --quiet --tuples-only --no-align -v ON_ERROR_STOP=1
}

# pgpass PASSWORD: a line of a password file, with : and \ escaped.
pgpass() {
    printf '*:*:*:*:%s\n' "$(printf '%s' "$1" | sed 's/[\\:]/\\&/g')"
}
