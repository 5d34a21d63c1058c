#!/bin/sh
echo "http://localhost" > "$heat_outputs_path.ulr"
