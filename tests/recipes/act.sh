#!/bin/sh
# Does as it is told by `act`, and keeps count: of what began and of what came to its end.
set -eu

# Whether a recipe of this server runs on another machine that it has had, and neither was ever paused.
machine=${WATTLE_STATE_DIR%/state}
number=${machine##*/}
server=${machine%/*}/${number%%.*}
runs=$WATTLE_STATE_DIR/runs-$name
echo $$ >"$runs"
for other in "$server"/state/runs-* "$server".*/state/runs-*; do
    its=${other%/state/*}
    if [ -e "$other" ] && [ "$its" != "$machine" ] && [ ! -e "$its/paused" ] && [ ! -e "$machine/paused" ] &&
        kill -0 "$(cat "$other")" 2>/dev/null; then
        echo "$name beside ${other#"${machine%/*}/"}" >>"$WATTLE_STATE_DIR/beside"
    fi
done
echo "$name" >>"$WATTLE_STATE_DIR/begun"
echo "$name begins to $act"
value="$name${heard:+ after $heard}"
count=${#value}
case $act in
    say) sleep "0.0$((count % 10))" ;;
    gate) while [ ! -e "$WATTLE_STATE_DIR/gate-$name" ]; do sleep 0.05; done ;;
    fail)
        echo "this cannot be done" >&2
        exit 3
        ;;
    gate-fail)
        while [ ! -e "$WATTLE_STATE_DIR/gate-$name" ]; do sleep 0.05; done
        echo "this cannot be done" >&2
        exit 3
        ;;
    hang)
        trap '' TERM
        echo "this takes its time"
        while :; do sleep 0.2; done
        ;;
    mistype) count=many ;;
    swell) value=$(head -c 1100000 /dev/zero | tr '\0' x) ;;
    forget)
        printf '%s' "$count" >"${heat_outputs_path}.count"
        exit 0
        ;;
    # More in JSON, where each of them takes two bytes, than in the file that goes when the run is over.
    *fill) value="$value $(head -c 40000 /dev/zero | tr '\0' '"')" ;;
esac
printf '%s' "$value" >"${heat_outputs_path}.said"
printf '%s' "$count" >"${heat_outputs_path}.count"
if [ "$act" = serve-fill ]; then
    (setsid sh -c 'echo $$ >>"$WATTLE_STATE_DIR/services"; exec sleep 3600' >/dev/null 2>&1 &)
    until [ "$(grep -c . "$WATTLE_STATE_DIR/services" 2>/dev/null)" = "$(grep -cx "$name" "$WATTLE_STATE_DIR/begun")" ]; do
        sleep 0.05
    done
fi
case $act in *fill)
    cat /dev/zero >"$WATTLE_STATE_DIR/disk/filler" || echo "the disk is full"
    ;;
esac
echo "$name" >>"$WATTLE_STATE_DIR/ended"
rm -f "$runs"
