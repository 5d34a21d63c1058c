set -eu
here=${0%/*}
. "$here/ap.sh"
cp recipes/db2.sql /srv
echo "http://localhost/" > "$heat_outputs_path.url"
