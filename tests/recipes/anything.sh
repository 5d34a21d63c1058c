#!/bin/sh
# Reads and writes some of everything.
set -eu

echo "$texts ${address:-nowhere} $number ${password:+confidential}"
printf 'some text' >"${heat_outputs_path}.text"
printf '%s' "$number" >"${heat_outputs_path}.count"
printf 'token' >"${heat_outputs_path}.token"
