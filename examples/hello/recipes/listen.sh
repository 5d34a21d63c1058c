#!/bin/sh
# Starts only once the greeting is there, so the recipe does not wait, poll or retry.
set -eu

echo "heard: $greeting"
