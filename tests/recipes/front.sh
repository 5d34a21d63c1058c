#!/bin/sh
# The front of one tier: takes requests on a port, and hands them to the tier before, if there is one.
set -eu

conf=${WATTLE_RUN_DIR:-.}/front.conf
{
  echo "listen $port;"
  if [ -n "${upstream_url:-}" ]; then
    echo "upstream $upstream_url;"
  else
    echo "# the first tier answers for itself"
  fi
} >"$conf"

if ! grep -q '^listen' "$conf"; then
  echo "front: no port to listen on" >&2
  exit 1
fi

hostname >"${heat_outputs_path}.host"
