#!/bin/sh
# Logs in, and says with what.
echo "logging in with $password"
printf %s "$password" | sha256sum > "${heat_outputs_path}.digest"
