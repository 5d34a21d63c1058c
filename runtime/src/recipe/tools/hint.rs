//! Interprets a tool's own failure messages: missing rights of the agent, and files that were not included.

/// Phrases for a lack of permission.
const REFUSED: [&str; 9] = [
    "permission denied",
    "operation not permitted",
    "eacces",
    "must be root",
    "are you root",
    "need to be root",
    "superuser",
    "must be run as root",
    "you cannot perform this operation unless you are root",
];
/// How a missing file is reported (`strerror(3)`).
const MISSING: &str = "No such file or directory";
/// The number of last lines that are examined.
const LINES: usize = 5;

/// A hint about a failure with the last lines of output in `log`; `user` is the agent's, unless that is root. `travels`
/// returns whether a path is among the included files.
pub(super) fn of(log: &[String], user: Option<u32>, travels: impl Fn(&str) -> bool) -> Option<String> {
    let last: Vec<&String> = log.iter().rev().filter(|line| !line.trim().is_empty()).take(LINES).collect();
    let is_refused = |line: &&String| {
        let line = line.to_lowercase();
        REFUSED.iter().any(|word| line.contains(word))
    };
    if let Some(user) = user.filter(|_| last.iter().copied().any(|line| is_refused(&line))) {
        return Some(format!(
            "it ran as user {user}, not as root: start the agent, or `wattle up`, as root if it needs that"
        ));
    }
    let missing = last.iter().find_map(|line| relative(line)).filter(|path| !travels(path))?;
    Some(format!(
        "a recipe starts in the folder of the files that came with it, and `{missing}` is not there: name it in \
         `files` if it is a file of the crate"
    ))
}

/// The relative path that a line reports as missing.
fn relative(line: &str) -> Option<&str> {
    let (before, _) = line.split_once(MISSING)?;
    let before = before.trim_end_matches([':', ' ']);
    let unquoted = |quote: char| {
        let inside = before.strip_suffix(quote)?;
        Some(inside.rsplit_once([quote, '\u{2018}']).map_or(inside, |(_, path)| path))
    };
    let path = unquoted('\'').or_else(|| unquoted('\u{2019}')).or_else(|| before.rsplit([' ', ':']).next())?;
    let is_path = !path.is_empty() && !path.starts_with(['/', '~', '-']) && !path.contains(['*', '$']);
    (is_path && path.contains(['.', '/'])).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::of;

    fn hint(line: &str, user: Option<u32>) -> Option<String> {
        of(&["before".into(), line.into(), String::new()], user, |path| path == "there.conf")
    }

    #[test]
    fn who_is_not_root_is_told_so() {
        for line in [
            "cp: cannot create regular file '/etc/x': Permission denied",
            "E: Could not open lock file /var/lib/dpkg/lock - open (13: Permission denied), are you root?",
            "chown: changing ownership of 'x': Operation not permitted",
            "PermissionError: [Errno 13] Permission denied: '/etc/x'",
        ] {
            let text = hint(line, Some(1000)).expect(line);
            assert!(text.starts_with("it ran as user 1000, not as root"), "{text}");
            assert_eq!(hint(line, None), None, "{line}");
        }
        assert_eq!(hint("cp: nothing of the kind", Some(1000)), None);
    }

    #[test]
    fn a_relative_path_that_is_not_there_is_one_of_the_crate() {
        for line in [
            "cp: cannot stat 'conf/app.ini': No such file or directory",
            "cp: cannot stat \u{2018}conf/app.ini\u{2019}: No such file or directory",
            "cat: conf/app.ini: No such file or directory",
            "/tmp/run/files/recipes/x.sh: line 3: conf/app.ini: No such file or directory",
        ] {
            assert!(hint(line, None).expect(line).contains("`conf/app.ini` is not there"), "{line}");
        }
        for line in [
            "cp: cannot stat '/etc/app.ini': No such file or directory",
            "cat: there.conf: No such file or directory",
            "mkdir: No such file or directory",
        ] {
            assert_eq!(hint(line, None), None, "{line}");
        }
    }
}
