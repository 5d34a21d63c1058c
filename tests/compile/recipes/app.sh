set -eu
echo "$database" > /etc/app.conf
echo "http://$(hostname)/" > "$heat_outputs_path.url"
