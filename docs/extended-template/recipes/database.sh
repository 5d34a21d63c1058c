#!/bin/sh
# A database: here only its address.
set -eu
: "${password:?}"
printf 'postgresql://%s:5432/%s' "$address" "$name" >"${heat_outputs_path}.url"
