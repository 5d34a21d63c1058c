#!/bin/sh
set -eu
kill "$(cat "$password")"
rm "$password"
