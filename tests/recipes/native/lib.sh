line() {
    printf '%s %s %s %s %s' "$flag" "$number" "$texts" "$ports" "${absent-unset}"
}
