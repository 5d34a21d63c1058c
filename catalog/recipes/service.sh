#!/bin/sh
# A service that comes in an archive.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/program.sh"

sha256=$(printf '%s' "$sha256" | tr '[:upper:]' '[:lower:]')
printf '%s\n' "$sha256" | grep -qxE '[0-9a-f]{64}' || fail "\`$sha256\` is no SHA-256: it has 64 hexadecimal digits"
packages ca-certificates curl jq libarchive-tools
# Root owns what is unpacked; the service writes only below `data`.
make_home root 0711
release=$home/release
if [ -n "${directory:-}" ]; then release=$(place "$directory"); fi

# The digest in the folder says what was unpacked there.
unpacked=$release/.sha256
if [ "$(cat "$unpacked" 2>/dev/null)" != "$sha256" ]; then
    if [ ! -e "$unpacked" ] && [ -n "$(ls -A "$release" 2>/dev/null)" ]; then
        fail "\`$release\` holds what was not unpacked there; choose another directory"
    fi
    archive=$home/archive
    curl --fail --silent --show-error --location --retry 5 --retry-connrefused --connect-timeout 30 \
        --output "$archive" "$url" || fail "the archive at \`$url\` cannot be fetched"
    found=$(sha256sum "$archive" | cut -d ' ' -f 1)
    if [ "$found" != "$sha256" ]; then
        rm "$archive"
        fail "the archive at \`$url\` has the SHA-256 $found, and should have $sha256"
    fi
    rm -rf "$release.new"
    mkdir -p "$release.new"
    bsdtar -x --no-same-owner --strip-components "$strip" -f "$archive" -C "$release.new"
    rm "$archive"
    printf '%s' "$sha256" >"$release.new/.sha256"
    end_service
    rm -rf "$release"
    mv "$release.new" "$release"
fi

also_needs=$release
program "$user" "$release" "$command" "${environment:-}" "${secrets:-}"
with_program service TERM "$user"

authority=$(url_host "$address")
if [ -n "${port:-}" ]; then
    until_ready "$((start_within * 2))" listens "$address" "$port"
    authority=$authority:$port
else
    # Without a port, the only sign of success is that it keeps running.
    remaining=4
    stays() {
        remaining=$((remaining - 1))
        [ "$remaining" -lt 0 ]
    }
    until_ready 60 stays
fi

printf '%s' "$authority" >"${heat_outputs_path}.authority"
