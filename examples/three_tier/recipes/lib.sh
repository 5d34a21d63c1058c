# shellcheck shell=sh
# What the recipes of this example share. Recipes may be rerun after a crash, so these functions must be safe to repeat.

# Functions that set variables run in a subshell, ( ) instead of { }, because a recipe's inputs are variables too.

# Each component keeps all its files on the server below this directory.
state_dir=${WATTLE_STATE_DIR:-/var/lib/wattle}

# Whether this machine is the server itself: it runs systemd, and we have not been given a directory to stay inside.
owns_machine() {
    [ -d /run/systemd/system ] && [ -z "${WATTLE_STATE_DIR:-}" ]
}

# packages NAME...: installs the Debian packages that are missing, without starting their services.
packages() (
    # Servers that share a machine share its package database.
    exec 9>/run/lock/three_tier.packages
    flock 9
    policy=/usr/sbin/policy-rc.d
    # A run that was killed may have left its policy behind.
    if grep -qs 'three_tier' "$policy"; then rm "$policy"; fi
    # shellcheck disable=SC2016 # The format is dpkg's.
    if [ "$(dpkg-query -W -f '${db:Status-Status}\n' "$@" 2>/dev/null | grep -cx installed)" -eq $# ]; then
        exit
    fi
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\n# three_tier: services start with our settings only.\nexit 101\n' >"$policy"
        chmod +x "$policy"
        trap 'rm "$policy"' EXIT
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q update
    apt-get -q install -y --no-install-recommends -o DPkg::Lock::Timeout=600 "$@"
)

# service NAME USER COMMAND...: starts or restarts a command that stays in the foreground and that an interrupt ends cleanly.
# On a server of its own, it is a systemd unit; otherwise it has a pid file, so that several servers fit on one machine.
service() (
    name=$1 account=$2
    shift 2
    if owns_machine; then
        unit=three-tier-$name.service
        {
            printf '[Unit]\nAfter=network-online.target\nWants=network-online.target\n\n'
            printf '[Service]\nUser=%s\nRestart=on-failure\nKillMode=mixed\nKillSignal=SIGINT\nExecStart=' "$account"
            printf '"%s" ' "$@"
            printf '\n\n[Install]\nWantedBy=multi-user.target\n'
        } >"/etc/systemd/system/$unit"
        systemctl daemon-reload
        systemctl enable --quiet "$unit"
        systemctl restart "$unit"
    else
        pid_file=$state_dir/$name.pid
        program=$1
        shift
        start-stop-daemon --stop --quiet --oknodo --retry INT/30/KILL/5 --remove-pidfile --pidfile "$pid_file" \
            --exec "$program"
        start-stop-daemon --start --quiet --chuid "$account" --background --make-pidfile --pidfile "$pid_file" \
            --output "$state_dir/$name.log" --exec "$program" -- "$@"
    fi
)

# until_ready SECONDS COMMAND...: repeats the command until it succeeds, or fails when the time has run out.
until_ready() (
    tries=$1
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        if [ "$tries" -le 0 ]; then
            echo "not ready in time: $*" >&2
            exit 1
        fi
        sleep 1
    done
)

# url_host ADDRESS: the address as it appears in a URL (RFC 3986, section 3.2.2).
url_host() {
    case $1 in
    *:*) printf '[%s]' "$1" ;;
    *) printf '%s' "$1" ;;
    esac
}
