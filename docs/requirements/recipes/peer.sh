#!/bin/sh
# Introduces two peers to each other.
echo "peer is at $other"
hostname -I > "${heat_outputs_path}.address"
