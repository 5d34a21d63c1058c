#!/bin/sh
# A private key that stays on its server, and the request to sign it.
set -eu
. "$(dirname "$0")/lib.sh"

packages openssl
make_home root 0700
umask 077

# A key counts only once it has its final name, so a key from an interrupted run does not count.
if [ ! -s "$home/key.pem" ]; then
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out "$home/key.pem.new"
    mv "$home/key.pem.new" "$home/key.pem"
fi

printf '%s/key.pem' "$home" >"${heat_outputs_path}.path"
# The authority decides what the certificate says.
openssl req -new -key "$home/key.pem" -subj "/CN=$own" >"${heat_outputs_path}.request"
