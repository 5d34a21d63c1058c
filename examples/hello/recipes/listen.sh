#!/bin/sh
# Starts only when the greeting is there: no waiting, no polling, no retrying in a recipe.
set -eu

echo "heard: $greeting"
