#!/bin/sh
# A command that runs on a schedule.
set -eu
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/program.sh"

packages cron jq util-linux

# cron silently ignores what it does not understand, and takes whatever follows five fields for a command.
case $schedule in
*'
'*) words=2 ;;
*) words=$(printf '%s\n' "$schedule" | wc -w) ;;
esac
case $words:$schedule in
*@reboot*) fail "the schedule is \`@reboot\`; what is to run when the server boots is a service" ;;
1:@* | 5:*) ;;
*) fail "the schedule is \`$schedule\`; it has five fields (minute, hour, day, month, weekday), or is one such as \`@daily\`" ;;
esac
printf '%s true\n' "$schedule" >"$WATTLE_RUN_DIR/schedule"
said=$(crontab -n "$WATTLE_RUN_DIR/schedule" 2>&1) ||
    fail "cron does not take the schedule \`$schedule\`: $(printf '%s\n' "$said" | sed -n 's/^.*:[0-9]*: //p')"

program "$user" "$home/data" "$command" "${environment:-}" "${secrets:-}"
# A run in progress holds this lock, whatever this recipe does next.
touch "$home/lock"
chown "$user:" "$home/lock"
chmod 0600 "$home/lock"
if owns_machine; then
    log="exec systemd-cat --identifier='wattle-part-$own'"
    table=/etc/cron.d/wattle-part-$own
else
    log="exec >>$(jq -rn --arg path "$home/log" '$path | @sh') 2>&1; exec"
    touch "$home/log"
    chown "$user:" "$home/log"
    install -d "$home/cron.d"
    table=$home/cron.d/wattle-part-$own
fi
# words WORD...: the words, quoted for a shell.
words() {
    # shellcheck disable=SC2016 # The variable is jq's.
    jq -rn '$ARGS.positional | map(@sh) | join(" ")' --args -- "$@"
}
run=$(with_program words flock --nonblock --conflict-exit-code 0 "$home/lock")
printf '#!/bin/sh\n%s %s\n' "$log" "$run" >"$home/job.new"
chmod 0755 "$home/job.new"
mv "$home/job.new" "$home/job"
# In a crontab, % stands for the end of a line (crontab(5)). cron does not read a table with a dot in its name.
printf '%s %s %s\n' "$schedule" "$user" "$(words "$home/job" | sed 's/%/\\%/g')" >"$table.new"
mv "$table.new" "$table"

if owns_machine; then
    systemctl enable --now --quiet cron.service
else
    # A cron that knows only this job, which the machine's own cron does not know.
    : >"$home/nothing"
    # shellcheck disable=SC2016 # The variables belong to the inner shell.
    service TERM root /usr/bin/unshare --mount --propagation private /bin/sh -euc '
        cd "$1"
        : >pid
        mount --bind cron.d /etc/cron.d
        mount --bind nothing /etc/crontab
        mount -t tmpfs crontabs /var/spool/cron/crontabs
        for file in crond.pid crond.reboot; do
            if [ ! -e "/run/$file" ]; then : >"/run/$file"; fi
        done
        mount --bind pid /run/crond.pid
        exec /usr/sbin/cron -f' cron "$home"
    until_ready 20 test -s "$home/pid"
fi

printf '%s' "$home/data" >"${heat_outputs_path}.data"
