set -eu
. ./app.sh
psql -qf recipes/db2.sql
echo "http://localhost/" > "$heat_outputs_path.url"
