#!/bin/sh
# Does to its server what installers do: leaves files all over, and a process.
set -eu

if [ -e /etc/wattle-trespassed ]; then
    echo "somebody was here before: $(cat /etc/wattle-trespassed)" >&2
    exit 1
fi
echo "$word" >/etc/wattle-trespassed
printf '#!/bin/sh\n' >/usr/local/bin/wattle-trespassed
echo "$word" >"$WATTLE_STATE_DIR/kept"
rm /etc/debian_version

# Nobody else's processes are there, nor the environment of whoever called `up`.
if [ "$(cat /proc/1/comm)" != wattle ] || [ -n "${WATTLE_TEST_OUTSIDE:-}" ]; then
    echo "this server sees what is outside" >&2
    exit 1
fi
if (echo 1 >/proc/sys/vm/compact_memory) 2>/dev/null; then
    echo "this server may change the machine" >&2
    exit 1
fi
setsid sleep "$seconds" </dev/null >/dev/null 2>&1 &

[ "$(wattle get word)" = "$word" ]
printf '%s' "$word on $(cat /proc/sys/kernel/hostname)${heard:+ after $heard}" >"${heat_outputs_path}.said"
