set -eu
for database in $databases; do
  db2 create database "$database"
done
echo "jdbc:db2://$(hostname):$port" > "$heat_outputs_path.jdbc_base"
echo "$port" > "$heat_outputs_path.listens"
echo true > "$heat_outputs_path.ready"
echo "$owner_password" > "$heat_outputs_path.token"
