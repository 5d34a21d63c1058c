#!/bin/sh
# Installs a package.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q install --yes --no-install-recommends ncal
# shellcheck disable=SC2016 # The format is dpkg's.
dpkg-query -W -f '${Package} ${Version}' ncal >"${heat_outputs_path}.version"
