#!/bin/sh
# OpenLDAP: the company's directory, filled from an LDIF file if there is one.
set -eu
. "$(dirname "$0")/lib.sh"

base_dn="dc=$(printf '%s' "$domain" | sed 's/\./,dc=/g')"
bind_dn="cn=admin,$base_dn"

# Debian's package creates the tree of the domain, and its administrator, from these answers.
packages debconf-utils
debconf-set-selections <<ANSWERS
slapd slapd/domain string $domain
slapd shared/organization string $domain
slapd slapd/password1 password $admin_password
slapd slapd/password2 password $admin_password
ANSWERS
packages slapd ldap-utils

# slapd listens on every address. On a server without systemd, it is started here.
ldapsearch -x -H ldapi:/// -s base -b '' >/dev/null 2>&1 ||
    slapd -h 'ldap:/// ldapi:///' -u openldap -g openldap -F /etc/ldap/slapd.d

password_file=$(mktemp)
trap 'rm "$password_file"' EXIT
printf '%s' "$admin_password" >"$password_file"
if [ -e "$installers/people.ldif" ]; then
    # With -c, entries of an earlier run (code 68, already exists) do not stop the rest.
    ldapadd -c -x -H ldapi:/// -D "$bind_dn" -y "$password_file" -f "$installers/people.ldif" || [ $? -eq 68 ]
fi
ldapwhoami -x -H "ldap://$address" -D "$bind_dn" -y "$password_file"

printf 'ldap://%s:389' "$address" >"${heat_outputs_path}.url"
printf '%s' "$base_dn" >"${heat_outputs_path}.base_dn"
printf '%s' "$bind_dn" >"${heat_outputs_path}.bind_dn"
