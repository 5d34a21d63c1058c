#!/bin/sh
# Tivoli Directory Integrator, which fills PEOPLEDB with the people in the directory.
set -eu
. "$(dirname "$0")/lib.sh"

home=/opt/IBM/TDI/V7.1
setup=$installers/tdi/install_tdiv71_linux_x86_64.bin
solution=/opt/IBM/tdisol/TDI

need_installer "$setup" 'Tivoli Directory Integrator 7.1'
need_installer "$installers/connections/tdisol" 'the TDI solution of IBM Connections'
need_installer "$installers/db2/jdbc/db2jcc4.jar" 'the JDBC driver of DB2'
packages ldap-utils

if [ ! -x "$home/ibmdisrv" ]; then
    cat >/var/tmp/tdi.rsp <<RESPONSE
LICENSE_ACCEPTED=true
INSTALLER_UI=silent
USER_INSTALL_DIR=$home
CHOSEN_INSTALL_FEATURE_LIST=Runtime
RESPONSE
    "$setup" -f /var/tmp/tdi.rsp
fi
cp "$installers/db2/jdbc/"db2jcc*.jar "$home/jvm/jre/lib/ext/"
mkdir -p "$solution"
cp -r "$installers/connections/tdisol/." "$solution/"

# property NAME VALUE: sets a property of the solution, or changes it. TDI encrypts the protected ones at first use.
property() {
    grep -vF "$1=" "$solution/profiles_tdi.properties" >"$solution/profiles_tdi.properties.new" || true
    printf '%s=%s\n' "$1" "$2" >>"$solution/profiles_tdi.properties.new"
    mv "$solution/profiles_tdi.properties.new" "$solution/profiles_tdi.properties"
}
umask 077
property source_ldap_url "$ldap_url"
property source_ldap_user_login "$bind_dn"
property '{protect}-source_ldap_user_password' "$bind_password"
property source_ldap_search_base "$base_dn"
property source_ldap_search_filter '(&(uid=*)(objectclass=inetOrgPerson))'
property dbrepos_jdbc_driver com.ibm.db2.jcc.DB2Driver
property dbrepos_jdbc_url "$database_url"
property dbrepos_username "$database_user"
property '{protect}-dbrepos_password' "$database_password"

# Both steps start over each time, and change only what differs from the directory.
cd "$solution"
export TDIPATH="$home"
./collect_dns.sh
./populate_from_dn_file.sh

wc -l <collect.dns | tr -d ' \n' >"${heat_outputs_path}.people"
