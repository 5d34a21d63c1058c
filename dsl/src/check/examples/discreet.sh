#!/bin/sh
# Logs in, and does not say with what.
echo "logging in with a password of ${#password} characters"
printf %s "$password" | sha256sum > "${heat_outputs_path}.digest"
