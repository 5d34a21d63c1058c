# shellcheck shell=sh
# What the recipes that run a command of the author's share.

# variables JSON: the entries of an object, as commands that export them in a shell; needs jq.
variables() {
    printf '%s' "$1" | jq -r 'to_entries[] | if .key | test("^[A-Za-z_][A-Za-z0-9_]*$")
        then "export \(.key)=\(.value | @sh)" else error("`\(.key)` is no name of a variable") end'
}

# program USER FOLDER COMMAND ENVIRONMENT SECRETS: creates $home, owned by root. In it are `data`, where the user may write,
# and `start`, which the user may read: a shell script that becomes the command (a JSON list), in the folder, with these
# variables (JSON objects, or nothing).
program() (
    system_user "$1"
    make_home root 0711
    data=$home/data
    group=$(id -gn "$1")
    install -d -o "$1" -g "$group" -m 0750 "$data"
    none='{}'
    umask 027
    {
        variables "$(jq -n --arg data "$data" --arg user "$1" \
            '{HOME: $data, STATE_DIRECTORY: $data, USER: $user, LANG: "C.UTF-8"}')"
        variables "${4:-$none}"
        variables "${5:-$none}"
        printf 'cd %s\nexec ' "$(jq -rn --arg path "$2" '$path | @sh')"
        printf '%s' "$3" | jq -r 'map(@sh) | join(" ")'
    } >"$home/start.new"
    chgrp "$group" "$home/start.new"
    mv "$home/start.new" "$home/start"
)

# with_program COMMAND...: runs COMMAND, followed by the words that run what `program` made. The program gets this environment
# only, because that of the recipe holds the component's secrets.
with_program() {
    "$@" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        ${WATTLE_STATE_DIR:+"WATTLE_STATE_DIR=$WATTLE_STATE_DIR"} /bin/sh "$home/start"
}
