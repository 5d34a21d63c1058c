#!/bin/sh
# Logs in, and prints the password.
echo "logging in with $password"
printf %s "$password" | sha256sum > "${heat_outputs_path}.digest"
