set -eu
. "$(dirname "$0")/app.sh"
echo "http://localhost/" > "$heat_outputs_path.url"
