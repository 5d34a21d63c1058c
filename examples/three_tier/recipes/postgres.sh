#!/bin/sh
# PostgreSQL, with one role and one database that the role owns.
set -eu
. "$(dirname "$0")/lib.sh"

# psql's \getenv below silently skips a variable that is not set.
: "${user:?}" "${password:?}" "${database:?}"

# The recipe creates its own cluster, so Debian's package need not create one.
mkdir -p /etc/postgresql-common/createcluster.d
echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/three_tier.conf
packages postgresql

bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
home=$state_dir/postgres
data=$home/data
install -d -o postgres -g postgres -m 0750 "$home"

# An interrupted initdb leaves half a cluster, so a cluster counts only once it has its final name.
if [ ! -d "$data" ]; then
    rm -rf "$data.new"
    runuser -u postgres -- "$bin/initdb" --pgdata "$data.new" --locale C.UTF-8 --encoding UTF8 --auth-local peer
    mv "$data.new" "$data"
fi
cat >"$data/pg_hba.conf" <<HBA
local all         postgres         peer
host  "$database" "$user"  samenet scram-sha-256
HBA

service postgres postgres "$bin/postgres" -D "$data" \
    -c "listen_addresses=$address" -c "port=$port" -c "unix_socket_directories=$home"
until_ready 60 "$bin/pg_isready" -h "$home" -p "$port"

runuser -u postgres -- psql -h "$home" -p "$port" --no-psqlrc --quiet -v ON_ERROR_STOP=1 <<'SQL'
\getenv user user
\getenv password password
\getenv database database
SELECT format('CREATE ROLE %I LOGIN', :'user')
    WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'user') \gexec
ALTER ROLE :"user" PASSWORD :'password';
SELECT format('CREATE DATABASE %I OWNER %I', :'database', :'user')
    WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') \gexec
SQL

printf 'postgresql://%s@%s:%s/%s' "$user" "$(url_host "$address")" "$port" "$database" >"${heat_outputs_path}.url"
"$bin/postgres" --version | sed 's/.* \([0-9.]*\) .*/\1/' | tr -d '\n' >"${heat_outputs_path}.version"
