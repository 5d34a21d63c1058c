#!/bin/sh
echo "http://localhost" > "$heat_outputs_path.url"
