#!/bin/sh
# OpenLDAP: a directory for one domain.
set -eu
. "$(dirname "$0")/lib.sh"

printf '%s' "$domain" | grep -qxE '[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*' || fail "\`$domain\` is no domain, such as \`example.com\`"
base_dn=dc=$(printf '%s' "$domain" | sed 's/\./,dc=/g')
bind_dn=cn=admin,$base_dn
url=ldap://$(url_host "$address"):$port

without_debians slapd.service
packages slapd ldap-utils
make_home openldap 0750
data=$home/data
if [ -e "$home/base_dn" ] && [ "$(cat "$home/base_dn")" != "$base_dn" ]; then
    fail "\`$data\` holds $(cat "$home/base_dn"), and should hold $base_dn: a directory keeps its domain"
fi

(
    umask 077
    printf '%s' "$admin_password" >"$WATTLE_RUN_DIR/password"
)
trap 'rm -f "$WATTLE_RUN_DIR/password"' EXIT
hash=$(slappasswd -n -h '{SSHA}' -T "$WATTLE_RUN_DIR/password")
(
    umask 027
    {
        for schema in core cosine nis inetorgperson; do echo "include /etc/ldap/schema/$schema.schema"; done
        cat <<CONF
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload ppolicy
database mdb
suffix "$base_dn"
rootdn "$bind_dn"
rootpw $hash
directory "$data"
maxsize $((max_size * 1048576))
index objectClass,uid,cn,sn,mail,member,memberUid eq
overlay ppolicy
ppolicy_hash_cleartext
access to attrs=userPassword by self =xw by anonymous auth by * none
access to * by users read by * none
CONF
    } >"$home/slapd.conf.new"
    chgrp openldap "$home/slapd.conf.new"
    mv "$home/slapd.conf.new" "$home/slapd.conf"
)

if [ ! -e "$home/base_dn" ]; then
    # The data of a run that was killed is incomplete.
    rm -rf "$data"
    install -d -o openldap -g openldap -m 0700 "$data"
    runuser -u openldap -- slapadd -f "$home/slapd.conf" <<LDIF
dn: $base_dn
objectClass: domain
dc: ${domain%%.*}
LDIF
    printf '%s' "$base_dn" >"$home/base_dn"
fi

service TERM root /usr/sbin/slapd -d 0 -u openldap -g openldap -f "$home/slapd.conf" -h "$url/"
# as_admin PROGRAM ARGUMENT...: runs a program of ldap-utils, logged in as the administrator.
as_admin() {
    program=$1
    shift
    "$program" -x -H "$url" -D "$bind_dn" -y "$WATTLE_RUN_DIR/password" "$@"
}
until_ready 60 as_admin ldapwhoami

if [ -n "${entries:-}" ]; then
    # Entries from an earlier run exist already, which is error 68.
    status=0
    said=$(printf '%s\n' "$entries" | as_admin ldapadd -c 2>&1 >/dev/null) || status=$?
    if [ "$status" -ne 0 ] && [ "$(printf '%s\n' "$said" | grep -E '^ldap|\([0-9]+\)' | grep -vc '(68)')" -ne 0 ]; then
        fail "the directory does not take the entries: $said"
    fi
fi

printf '%s' "$url" >"${heat_outputs_path}.url"
printf '%s' "$base_dn" >"${heat_outputs_path}.base_dn"
printf '%s' "$bind_dn" >"${heat_outputs_path}.bind_dn"
