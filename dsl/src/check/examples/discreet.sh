#!/bin/sh
# Logs in without printing the password.
echo "logging in with a password of ${#password} characters"
printf %s "$password" | sha256sum > "${heat_outputs_path}.digest"
