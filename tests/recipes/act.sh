#!/bin/sh
# Does as it is told by `act`, and keeps count: of what began and of what came to its end.
set -eu

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
    fill) value="$value $(head -c 40000 /dev/zero | tr '\0' '"')" ;;
esac
printf '%s' "$value" >"${heat_outputs_path}.said"
printf '%s' "$count" >"${heat_outputs_path}.count"
if [ "$act" = fill ]; then
    cat /dev/zero >"$WATTLE_STATE_DIR/disk/filler" || echo "the disk is full"
fi
echo "$name" >>"$WATTLE_STATE_DIR/ended"
