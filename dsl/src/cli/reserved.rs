//! Names that no file may have that a template brings along: other commands would take it for what its name says.

/// What `seed apply` and `up` keep: keys, credentials, secrets, and what an `up` is known by.
const KEPT: [&str; 6] =
    ["operator.key", "operator.key.next", "credentials.yaml", "secrets.json", "identity.json", "up.json"];

/// Whether a file at `path`, below a folder that is written, would be taken for a key or for the state of an `up`: on any file system,
/// also one that does not tell `A` from `a`.
pub fn is_reserved(path: &str) -> bool {
    let is_state = |part: &str| part.get(..7).is_some_and(|begin| begin.eq_ignore_ascii_case(".wattle"));
    let is_kept = |name: &str| KEPT.iter().any(|kept| kept.eq_ignore_ascii_case(name));
    let mut parts = path.split(['/', '\\']).filter(|part| !matches!(*part, "" | "."));
    parts.clone().any(is_state) || parts.next_back().is_some_and(is_kept)
}

#[cfg(test)]
mod tests {
    use super::is_reserved;

    #[test]
    fn a_key_is_known_by_its_name_in_any_spelling() {
        let kept = [
            "operator.key",
            "./operator.key",
            "operator.key.next",
            "x/../operator.key",
            "x/Credentials.YAML",
            "up.json",
            "operator.key/.",
        ];
        for path in kept.into_iter().chain([".wattle/space", "x/.WATTLE/servers/db/agent/journal", ".wattle-old/x"]) {
            assert!(is_reserved(path), "{path}");
        }
        for path in ["", "x.sh", "operator.key.pub", "credentials.yaml/x", "wattle/x", "a.wattle", ".gitignore"] {
            assert!(!is_reserved(path), "{path}");
        }
    }
}
