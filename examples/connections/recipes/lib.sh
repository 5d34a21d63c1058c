# shellcheck shell=sh
# What the shell recipes of this example share. Recipes may be rerun after a crash, so these functions must be safe to repeat.

# packages NAME...: installs the Debian packages that are missing.
packages() {
    # shellcheck disable=SC2016 # The format is dpkg's.
    if [ "$(dpkg-query -W -f '${db:Status-Status}\n' "$@" 2>/dev/null | grep -cx installed)" -ne $# ]; then
        export DEBIAN_FRONTEND=noninteractive
        apt-get -q update
        apt-get -q install -y --no-install-recommends -o DPkg::Lock::Timeout=600 "$@"
    fi
}

# need_installer PATH PRODUCT: stops, and says what is missing, unless IBM's installer is at PATH.
need_installer() {
    if [ ! -e "$1" ]; then
        echo "$2 is not there: unpack its installer so that \`$1\` exists" >&2
        exit 1
    fi
}
