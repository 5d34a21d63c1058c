#!/bin/sh
# Says a secret out loud, as recipes do that trace what they run; takes its time and waits to be let go when it is told to,
# says very much and fails when it is told to, even then.
set -eu

echo "the password is $password"
sleep "${takes:-0}"
while [ "${held:-false}" = true ] && [ ! -e "$WATTLE_STATE_DIR/go" ]; do sleep 0.05; done
if [ "${mood:-}" = loud ]; then
    seq -f 'line %.0f of very many' 200000
    sleep 2
    echo "a last word"
fi
if [ "${mood:-}" = bad ] || [ -e "$WATTLE_STATE_DIR/go-badly" ]; then
    echo "cannot log in as admin with $password" >&2
    exit 3
fi
printf '%s' "$password-token" >"${heat_outputs_path}.token"
printf '<b>%s</b>' "well" >"${heat_outputs_path}.felt"
