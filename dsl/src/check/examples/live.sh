#!/bin/sh
port=$(wattle get port)
wattle set url "http://localhost:$port"
