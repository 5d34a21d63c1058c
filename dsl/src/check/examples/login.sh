#!/bin/sh
# Logs in with a password.
echo "logging in at $address"
printf %s "$password" | sha256sum > "${heat_outputs_path}.digest"
