# shellcheck shell=sh
# What the recipes of the parts share. Recipes may be rerun after a crash, so these functions must be safe to repeat.

# Functions that set variables run in a subshell, ( ) instead of { }, because a recipe's inputs are variables too.

# The component's name on its server, which its folder and its service also have.
own=$(basename "$WATTLE_RUN_DIR")

# The component keeps all its files in this folder. Servers that share a machine have separate folders.
home=${WATTLE_STATE_DIR:-/srv}/$own

# Whether this machine is the server itself: it runs systemd, and we have not been given a directory to stay inside.
owns_machine() {
    [ -d /run/systemd/system ] && [ -z "${WATTLE_STATE_DIR:-}" ]
}

# fail MESSAGE: ends the recipe, with the message as the reason. Under Heat's agents, there is no place to write it.
fail() {
    printf '%s\n' "$*" >&2
    { printf '%s\n' "$*" >"$WATTLE_RUN_DIR/run/why"; } 2>/dev/null || true
    exit 1
}

# only_root WHAT: ends the recipe unless root runs it.
only_root() {
    if [ "$(id -u)" -ne 0 ]; then fail "only root can $*"; fi
}

# installed NAME...: whether all of these Debian packages are installed.
installed() {
    # shellcheck disable=SC2016 # The format is dpkg's.
    [ "$(dpkg-query -W -f '${db:Status-Status}\n' "$@" 2>/dev/null | grep -cx installed)" -eq $# ]
}

# packages NAME...: installs the Debian packages that are missing, without starting their services.
packages() (
    if [ "$(id -u)" -ne 0 ] && installed "$@"; then exit; fi
    only_root "install packages, and some of these are missing: $*"
    # Servers that share a machine share its package database.
    exec 9>/run/wattle-parts.packages
    flock 9
    policy=/usr/sbin/policy-rc.d
    # A run that was killed may have left its policy behind.
    if grep -qs 'wattle-parts' "$policy"; then rm "$policy"; fi
    if installed "$@"; then exit; fi
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\n# wattle-parts: services start with our settings only.\nexit 101\n' >"$policy"
        chmod +x "$policy"
        trap 'rm "$policy"' EXIT
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q update
    apt-get -q install -y --no-install-recommends -o DPkg::Lock::Timeout=600 "$@"
)

# system_user NAME: creates this user if it is missing, for a service whose package does not bring one.
system_user() (
    if getent passwd "$1" >/dev/null; then exit; fi
    only_root "add the user \`$1\`, which is missing"
    exec 9>/run/wattle-parts.packages
    flock 9
    getent passwd "$1" >/dev/null ||
        useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$1"
)

# without_debians UNIT...: keeps the services in Debian's packages from starting, now and when the server boots.
without_debians() {
    if owns_machine; then systemctl mask --now --quiet "$@"; fi
}

# make_home USER MODE: creates the component's folder, owned by that user.
make_home() {
    if [ "$(id -un)" != "$1" ]; then only_root "run a service as the user \`$1\`"; fi
    install -d -o "$1" -g "$(id -gn "$1")" -m "$2" "$home"
}

# place PATH: where this path of the server is on this machine. Where servers share a machine, each has a folder in place of
# its /srv, and all its other paths are below that folder.
place() (
    case $1 in
    *[[:space:]]* | */../* | */..) fail "a path has neither spaces nor \`..\`: \`$1\`" ;;
    /*) ;;
    *) fail "\`$1\` is no absolute path" ;;
    esac
    state=${WATTLE_STATE_DIR:-}
    case $1 in
    "$state"/*) printf '%s' "$1" ;;
    /srv/*) printf '%s' "${state:-/srv}${1#/srv}" ;;
    *) printf '%s' "$state$1" ;;
    esac
)

# What else in the file system the service needs, besides its folder.
also_needs=

# unit_text WORD...: the words, quoted as in ExecStart of a unit file (systemd.service(5), "Command lines").
unit_text() (
    for word; do
        printf '"%s" ' "$(printf '%s' "$word" | sed 's/[\\"]/\\&/g; s/[$%]/&&/g')"
    done
)

# service SIGNAL USER COMMAND...: starts or restarts a command that stays in the foreground and that the signal ends cleanly.
# On a server of its own, it is a systemd unit; otherwise it has a pid file, so that several servers fit on one machine.
service() (
    signal=$1 account=$2
    shift 2
    if owns_machine; then
        unit=wattle-part-$own.service
        cat >"/etc/systemd/system/$unit" <<UNIT
[Unit]
After=network-online.target
Wants=network-online.target
# Either may be on a volume, which systemd mounts in its own time.
RequiresMountsFor=$home $also_needs

[Service]
User=$account
WorkingDirectory=$home
Restart=on-failure
# What it needs may be away for a while; systemd would give up after five quick starts.
RestartSec=5
KillMode=mixed
KillSignal=SIG$signal
ExecStart=$(unit_text "$@")

[Install]
WantedBy=multi-user.target
UNIT
        systemctl daemon-reload
        systemctl enable --quiet "$unit"
        systemctl restart "$unit"
    else
        end_service
        program=$1
        shift
        # What an earlier process logged is not about this one.
        if [ -e "$home.log" ]; then mv "$home.log" "$home.log.1"; fi
        start-stop-daemon --start --quiet --chuid "$account" --chdir "$home" --background --make-pidfile \
            --pidfile "$home.pid" --output "$home.log" --exec "$program" -- "$@"
        pid=$(cat "$home.pid")
        printf '%s %s %s\n' "$pid" "$signal" "$(began "$pid")" >"$home.service"
    fi
)

# began PID: when the process began, in clock ticks since boot (proc(5), field 22). Prints nothing if there is no such
# process, or if it has ended and its parent has not yet collected its status.
began() {
    sed -n 's/.*) \([^ZX]\)/\1/p' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20
}

# process: PID and SIGNAL of the component's service. Fails if it is not running: another process may have its PID by now.
process() (
    [ -e "$home.service" ] || exit 1
    read -r pid signal began <"$home.service"
    [ -n "$began" ] && [ "$(began "$pid")" = "$began" ] && printf '%s %s' "$pid" "$signal"
)

# end_service: ends the component's service, if there is one, and makes sure that it does not start again.
end_service() (
    if owns_machine; then
        unit=wattle-part-$own.service
        if [ -e "/etc/systemd/system/$unit" ]; then
            systemctl disable --now --quiet "$unit"
            rm "/etc/systemd/system/$unit"
            systemctl daemon-reload
        fi
        exit
    fi
    for request in "" KILL; do
        tries=60
        while running=$(process) && [ "$tries" -gt 0 ]; do
            if [ "$tries" -eq 60 ]; then kill -s "${request:-${running#* }}" "${running%% *}" || true; fi
            tries=$((tries - 1))
            sleep 0.5
        done
    done
    rm -f "$home.service" "$home.pid"
)

# runs: whether the component's service is running.
runs() {
    if owns_machine; then systemctl is-active --quiet "wattle-part-$own.service"; else process >/dev/null; fi
}

# last_words: the last lines that the component's service logged.
last_words() {
    if owns_machine; then
        journalctl --no-pager --lines 20 --output cat --unit "wattle-part-$own.service"
    else
        tail -n 20 "$home.log"
    fi
}

# processes: the PIDs of the component's service, one per line.
processes() (
    if owns_machine; then
        grep -l "/wattle-part-$own\.service\(/.*\)*\$" /proc/[0-9]*/cgroup 2>/dev/null | cut -d / -f 3
        exit
    fi
    running=$(process) || exit 0
    # The service leads a session. Its descendants are below it or, if their parent has ended, still in that session.
    cat /proc/[0-9]*/stat 2>/dev/null | sed -n 's/^\([0-9]*\) (.*) [A-Z] \([0-9]*\) [0-9]* \([0-9]*\) .*/\1 \2 \3/p' |
        awk -v leader="${running%% *}" '
            { parent[$1] = $2; session[$1] = $3 }
            END {
                for (one in session) {
                    above = one
                    for (steps = 0; above > 1 && above != leader && steps < 1000; steps++) above = parent[above]
                    if (above == leader || session[one] == leader) print one
                }
            }'
)

# sockets: the sockets that accept connections at $address and $port (proc(5), /proc/net/tcp), as RANK INODE, one per line.
# The kernel gives a connection to the socket with the highest rank; sockets with the same rank share the connections.
sockets() (
    at=$(perl -MSocket=inet_pton,AF_INET,AF_INET6 -e '
        my $bytes = inet_pton(AF_INET, $ARGV[0]) // inet_pton(AF_INET6, $ARGV[0]) // exit 1;
        printf "%08X", $_ for unpack "L*", $bytes' "$address")
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
        awk -v at="$at" -v port="$(printf %04X "$port")" '
            $4 == "0A" && split($2, local, ":") && local[2] == port {
                if (local[1] == at) print 4, $10
                else if (local[1] ~ "^0+FFFF(0000)?" at "$") print 3, $10
                else if (local[1] == "00000000" && length(at) == 8) print 2, $10
                else if (local[1] ~ "^0+$" && length(local[1]) == 32) print 1, $10
            }'
)

# holders INODE...: the PIDs that have any of these sockets open, one per line, as far as this user may see.
holders() (
    for inode; do
        find /proc/[0-9]*/fd -lname "socket:\[$inode\]" 2>/dev/null | cut -d / -f 3
    done | sort -nu
)

# opened: the inodes of the sockets that the component's service has open, one per line, as far as this user may see.
opened() (
    for one in $(processes); do
        find "/proc/$one/fd" -lname 'socket:\[*\]' -printf '%l\n' 2>/dev/null
    done | tr -dc '0-9\n' | sort -u
)

# is_hidden: whether this user may not see what the component's service has open. In a container, even root may not see
# what other users have open.
is_hidden() (
    for one in $(processes); do
        if LC_ALL=C readlink -v "/proc/$one/exe" 2>&1 | grep -q 'Permission denied'; then exit 0; fi
    done
    exit 1
)

# shares LISTENING: which of the sockets that `sockets` has found get connections. Prints OWN and the inode of the service's
# socket that is first in line, and OTHER and the inode of each socket of another process that gets any: the kernel prefers
# it, or both processes have allowed sharing the port (SO_REUSEPORT).
shares() (
    { opened && printf '%s\n' "$1"; } | awk '
        NF == 1 { own[$1] = 1 }
        NF == 2 && $2 in own { if ($1 > best) { best = $1; first = $2 } }
        NF == 2 && !($2 in own) { rank[$2] = $1 }
        END {
            if (first != "") print "OWN", first
            for (inode in rank) if (rank[inode] >= best) print "OTHER", inode
        }' |
        while read -r whose inode; do
            # A socket that nobody is seen to hold may belong to a process of the service that this user cannot see.
            if [ "$whose" = OWN ] || ! is_hidden || [ -n "$(holders "$inode")" ]; then echo "$whose $inode"; fi
        done
)

# has_port: whether the component's service itself, and no other process, takes all connections at $address and $port.
has_port() (
    listening=$(sockets)
    if [ -z "$listening" ]; then exit 1; fi
    case $(shares "$listening") in
    *OTHER*) exit 1 ;;
    OWN*) exit 0 ;;
    # If this user cannot see who listens, it is enough that somebody does.
    *) is_hidden ;;
    esac
)

# taken: prints who else takes connections at $address and $port. Fails if nobody does.
taken() (
    if [ -z "${port:-}" ] || ! listens "$address" "$port" 2>/dev/null; then exit 1; fi
    shares=$(shares "$(sockets)")
    case $shares in
    *OWN*OTHER*) how='also taken by' ;;
    OWN*) exit 1 ;;
    *) how='taken by' ;;
    esac
    # shellcheck disable=SC2046 # They are numbers.
    for one in $(holders $(printf '%s\n' "$shares" | sed -n 's/^OTHER //p')); do
        by="${by:+$by, }process $one ($(cat "/proc/$one/comm" 2>/dev/null || echo unknown))"
    done
    printf '%s:%s is %s %s' "$(url_host "$address")" "$port" "$how" "${by:-another process}"
)

# until_ready TRIES COMMAND...: repeats the command, twice a second, until it succeeds and, if there is a $port, the service,
# and nobody else, listens there. Fails when no tries are left, and at once if the service has ended.
until_ready() (
    tries=$1 seconds=$(($1 / 2))
    shift
    until { [ -z "${port:-}" ] || has_port; } && "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        if runs && [ "$tries" -gt 0 ]; then
            sleep 0.5
            continue
        fi
        words=$(last_words 2>&1) || true
        printf '%s\n' "$words" >&2
        if by=$(taken); then
            # If two services share a port, each gets connections that are meant for the other.
            end_service
            fail "$own cannot listen: $by"
        fi
        last=$(printf '%s\n' "$words" | sed '/^[[:space:]]*$/d' | tail -n 1)
        if printf '%s' "$words" | grep -qi 'address already in use'; then
            fail "$own cannot listen: ${address:+$(url_host "$address"):}${port:-its port} is in use"
        fi
        if runs; then fail "$own does not answer within $seconds s; it said last: $last"; fi
        fail "$own has ended: $last"
    done
)

# listens ADDRESS PORT: whether anything accepts connections there.
listens() {
    /usr/bin/env bash -c "exec 3<>/dev/tcp/$1/$2"
}

# url_host ADDRESS: the address as it appears in a URL (RFC 3986, section 3.2.2).
url_host() {
    case $1 in
    *:*) printf '[%s]' "$1" ;;
    *) printf '%s' "$1" ;;
    esac
}

# authorities: reads a JSON list of URLs, and prints HOST:PORT of each on its own line; needs jq.
authorities() {
    jq -r 'if length == 0 then error("the list of upstreams is empty") else .[] end
        | . as $url
        | capture("^(?<scheme>[^:/]+)://([^@/]*@)?(?<host>\\[[^]]*\\]|[^:/?#]+)(:(?<port>[0-9]+))?")
            // error("the URL of an upstream has no host: \($url)")
        | "\(.host):\(.port // {http: 80, https: 443, postgresql: 5432, redis: 6379, ldap: 389}[.scheme]
            // error("the URL of an upstream has no port: \($url)"))"'
}
