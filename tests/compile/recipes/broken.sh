echo "never closed > "$heat_outputs_path.url"
