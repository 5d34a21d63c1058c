set -eu
for database in $databases; do
  db2 drop database "$database"
done
