#!/bin/sh
# The component has left the model: its service ends. Its files stay in its folder.
set -eu
. "$(dirname "$0")/lib.sh"

end_service
