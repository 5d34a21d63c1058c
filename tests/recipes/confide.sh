#!/bin/sh
# Says a secret out loud, as recipes do that trace what they run; takes its time when it is told to, and fails when it is.
set -eu

echo "the password is $password"
sleep "${takes:-0}"
if [ "${mood:-}" = bad ]; then
    echo "cannot log in as admin with $password" >&2
    exit 3
fi
printf '%s' "$password-token" >"${heat_outputs_path}.token"
printf '<b>%s</b>' "well" >"${heat_outputs_path}.felt"
