#!/bin/sh
# The shop's catalogue: its table, and the initial goods.
set -eu
. "$(dirname "$0")/lib.sh"

packages postgresql-client

export PGPASSWORD="$database_password"
sql() {
    psql "$database_url" --no-psqlrc --quiet --tuples-only --no-align -v ON_ERROR_STOP=1
}

sql <<'SQL'
SET client_min_messages = warning;
CREATE TABLE IF NOT EXISTS products (
    name  text    PRIMARY KEY,
    price integer NOT NULL -- in cents
);
INSERT INTO products VALUES ('hurdle', 4900), ('panel', 8900), ('gate', 12900)
    ON CONFLICT DO NOTHING;
SQL

echo 'SELECT count(*) FROM products' | sql | tr -d '\n' >"${heat_outputs_path}.products"
