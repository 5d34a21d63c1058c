#!/bin/sh
# Fetches a page, through a proxy if there is one.
set -eu

python3 - "$url" >"${heat_outputs_path}.page" <<'END'
import sys, urllib.request
sys.stdout.write(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())
END
