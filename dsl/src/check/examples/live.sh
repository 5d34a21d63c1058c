#!/bin/sh
set -e
port=$(wattle get port)
wattle set url "http://localhost:$port"
