#!/bin/sh
# The shop: a small HTTP server that reads its pages' content from the database.
set -eu
. "$(dirname "$0")/lib.sh"

packages python3 python3-psycopg2

home=$state_dir/app
install -d -o www-data -g www-data -m 0750 "$home"
install -m 0644 "$(dirname "$0")/app.py" "$home/app.py"

# A libpq password file keeps the password out of command lines and environments. In it, : and \ must be escaped.
(
    umask 077
    printf '*:*:*:*:%s\n' "$(printf '%s' "$database_password" | sed 's/[\\:]/\\&/g')" >"$home/pgpass.new"
    chown www-data: "$home/pgpass.new"
    mv "$home/pgpass.new" "$home/pgpass"
)

service app www-data /usr/bin/python3 "$home/app.py" \
    --address "$address" --port "$port" --database "$database_url?passfile=$home/pgpass"

url=http://$(url_host "$address"):$port/
until_ready 60 /usr/bin/python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' "$url"
printf '%s' "$url" >"${heat_outputs_path}.url"
