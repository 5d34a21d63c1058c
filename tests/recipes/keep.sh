#!/bin/sh
# Adds a word to those that a directory keeps, and tells them all, after the file system that they are on.
set -eu

echo "$word" >>"$directory/words"
echo "$(findmnt -n -o FSTYPE --target "$directory") $(paste -s -d ' ' "$directory/words")" >"${heat_outputs_path}.kept"
