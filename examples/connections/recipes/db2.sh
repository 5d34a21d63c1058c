#!/bin/sh
# DB2: one instance, and one database for each application of Connections, created by IBM's own scripts.
set -eu
. "$(dirname "$0")/lib.sh"

home=/opt/ibm/db2/V10.5
wizards=$installers/connections/Wizards/connections.sql

need_installer "$installers/db2/db2setup" 'DB2 10.5'
need_installer "$wizards" 'the database wizard of IBM Connections'
packages jq libaio1 libpam0g ksh

if [ ! -x "$home/bin/db2start" ]; then
    "$installers/db2/db2_install" -b "$home" -p SERVER -n
fi

# The instance runs as its owner.
getent group db2iadm1 >/dev/null || groupadd db2iadm1
getent passwd "$owner" >/dev/null || useradd --create-home --shell /bin/bash --gid db2iadm1 "$owner"
printf '%s:%s\n' "$owner" "$owner_password" | chpasswd
if [ ! -d "$(getent passwd "$owner" | cut -d: -f6)/sqllib" ]; then
    "$home/instance/db2icrt" -p "$port" -u "$owner" "$owner"
fi
as_owner() {
    runuser -l "$owner" -c "$1"
}
as_owner "db2set DB2COMM=TCPIP && db2 update dbm cfg using SVCENAME $port"
# db2start fails with SQL1026N if the instance is running already.
as_owner 'db2start || db2gcf -s'

# The wizard keeps the scripts of each application in a folder named after the application.
scripts_of() {
    case $1 in
    OPNACT) echo activities ;;
    SNCOMM) echo communities ;;
    PEOPLEDB) echo profiles ;;
    *) printf '%s\n' "$1" | tr '[:upper:]' '[:lower:]' ;;
    esac
}

existing=$(as_owner 'db2 list database directory' | sed -n 's/.*Database name *= *//p')
for database in $(printf '%s' "$databases" | jq -r '.[]'); do
    if printf '%s\n' "$existing" | grep -qx "$database"; then continue; fi
    scripts=$wizards/$(scripts_of "$database")/db2
    as_owner "db2 -td@ -vf '$scripts/createDb.sql'"
    as_owner "db2 -td@ -vf '$scripts/appGrants.sql'"
done

printf 'jdbc:db2://%s:%s' "$address" "$port" >"${heat_outputs_path}.jdbc_base"
