#!/bin/sh
# PostgreSQL, with one role and one database that the role owns. Replicas may follow it.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/postgresql.sh"

# psql's \getenv below silently skips a variable that is not set.
: "${user:?}" "${password:?}" "${database:?}"
export replication_password="${replication_password:-}"

install_postgresql

# An interrupted initdb leaves half a cluster, so a cluster counts only once it has its final name.
if [ ! -d "$data" ]; then
    rm -rf "$data.new"
    runuser -u postgres -- "$bin/initdb" --pgdata "$data.new" --locale C.UTF-8 --encoding UTF8 --auth-local peer
    mv "$data.new" "$data"
fi
{
    echo 'local all postgres peer'
    for from in $(printf '%s' "${clients:-[\"samenet\"]}" | jq -r '.[]'); do
        printf 'host "%s" "%s" %s scram-sha-256\n' "$database" "$user" "$from"
        if [ -n "$replication_password" ]; then
            printf 'host replication replication %s scram-sha-256\n' "$from"
        fi
    done
} >"$data/pg_hba.conf"

serve -c max_wal_senders=10
sql <<'SQL'
\getenv user user
\getenv password password
\getenv database database
\getenv replication_password replication_password
SELECT format('CREATE ROLE %I LOGIN', :'user')
    WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'user') \gexec
ALTER ROLE :"user" PASSWORD :'password';
SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'user')
    WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
SELECT 'CREATE ROLE replication LOGIN REPLICATION'
    WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'replication') \gexec
SELECT format('ALTER ROLE replication PASSWORD %L', NULLIF(:'replication_password', '')) \gexec
SQL

printf 'postgresql://%s@%s:%s/%s' "$user" "$(url_host "$address")" "$port" "$database" >"${heat_outputs_path}.url"
"$bin/postgres" --version | sed 's/.* \([0-9.]*\) .*/\1/' | tr -d '\n' >"${heat_outputs_path}.version"
