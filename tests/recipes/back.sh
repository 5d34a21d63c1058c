#!/bin/sh
# The back of one tier: works for the front, and knows one peer.
set -eu

conf=${WATTLE_RUN_DIR:-.}/back.conf
cat >"$conf" <<EOF
front $host;
peer $peer;
EOF

for name in front peer; do
  if ! grep -q "^$name " "$conf"; then
    echo "back: no $name" >&2
    exit 1
  fi
done

url=http://$host/
echo "back: serving $url"
printf '%s' "$url" >"${heat_outputs_path}.url"
