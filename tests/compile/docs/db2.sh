# The recipe of the examples in this crate's documentation.
set -eu
echo "$owner_password" | passwd --stdin db2inst1
for database in $(echo "$databases" | jq -r '.[]'); do
  db2 create database "$database"
done
echo "jdbc:db2://$(hostname -f):$port" >"$heat_outputs_path.jdbc_base"
