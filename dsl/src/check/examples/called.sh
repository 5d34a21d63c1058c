#!/bin/sh
set -e

main() {
    apt-get install --yes nginx
    echo "http://localhost:$port/" >"${heat_outputs_path}.url"
}

main
