//! This machine's package sources (sources.list(5)), as far as an image of the same system needs them.

use std::fs;
use std::path::{Path, PathBuf};

/// A source of packages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PackageSource {
    /// The mirror.
    pub(super) mirror: String,
    /// The components, such as `main`.
    pub(super) components: Vec<String>,
    /// The file with the keys that sign it.
    pub(super) keyring: Option<PathBuf>,
}

/// This machine's source for `suite`.
pub(super) fn source(suite: &str) -> Option<PackageSource> {
    let listed = fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = listed.chain([PathBuf::from("/etc/apt/sources.list")]).collect();
    files.sort();
    files.iter().find_map(|path| in_file(path, &fs::read_to_string(path).ok()?, suite))
}

fn in_file(path: &Path, text: &str, suite: &str) -> Option<PackageSource> {
    match path.extension()?.to_str()? {
        "sources" => text.split("\n\n").find_map(|stanza| of_stanza(stanza, suite)),
        "list" => text.lines().find_map(|line| of_line(line, suite)),
        _ => None,
    }
}

/// Parses a stanza in the style of deb822(5).
fn of_stanza(text: &str, suite: &str) -> Option<PackageSource> {
    let lines = || text.lines().filter(|line| !line.starts_with('#'));
    let field = |name: &str| -> Vec<String> {
        let is_it = |line: &&str| line.split(':').next().is_some_and(|found| found.eq_ignore_ascii_case(name));
        let mut rest = lines().skip_while(|line| !is_it(line));
        let first = rest.next().and_then(|line| line.split_once(':')).map(|(_, value)| value);
        let more = rest.take_while(|line| line.starts_with([' ', '\t']));
        first.into_iter().chain(more).flat_map(str::split_whitespace).map(str::to_owned).collect()
    };
    let is_on = !field("Enabled").iter().any(|value| value.eq_ignore_ascii_case("no"));
    if !is_on || !has(&field("Types"), "deb") || !has(&field("Suites"), suite) {
        return None;
    }
    let keyring = field("Signed-By").into_iter().next().map(PathBuf::from).filter(|path| path.is_absolute());
    of(field("URIs"), field("Components"), keyring)
}

/// Parses a line: `deb [OPTION=VALUE ...] URI SUITE COMPONENT...`.
fn of_line(text: &str, suite: &str) -> Option<PackageSource> {
    let text = text.split('#').next()?.trim();
    let rest = text.strip_prefix("deb")?.strip_prefix([' ', '\t'])?.trim_start();
    let (options, rest) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => ("", rest),
    };
    let mut words = rest.split_whitespace().map(str::to_owned);
    let uri = words.next()?;
    if words.next()? != suite {
        return None;
    }
    let keyring = options.split_whitespace().find_map(|option| option.strip_prefix("signed-by=")).map(PathBuf::from);
    of(vec![uri], words.collect(), keyring)
}

/// A source with the first mirror that servers can reach, too. `None` if there is none.
fn of(mirrors: Vec<String>, components: Vec<String>, keyring: Option<PathBuf>) -> Option<PackageSource> {
    let mirror = mirrors.into_iter().find(|uri| uri.starts_with("http://") || uri.starts_with("https://"))?;
    Some(PackageSource { mirror, components, keyring })
}

fn has(values: &[String], value: &str) -> bool {
    values.iter().any(|found| found == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(components: &[&str], keyring: Option<&str>) -> PackageSource {
        let components = components.iter().map(|name| (*name).to_owned()).collect();
        PackageSource { mirror: "http://mirror.example/debian".into(), components, keyring: keyring.map(Into::into) }
    }

    #[test]
    fn sources_of_both_styles_are_read() {
        let stanzas = "Types: deb-src\nURIs: http://other.example\nSuites: trixie\nComponents: main\n\n\
                       # ours\nTypes: deb\nURIs: cdrom:x\n http://mirror.example/debian\nSuites: trixie trixie-updates\n\
                       Components: main contrib\nSigned-By: /usr/share/keyrings/a.gpg\n";
        let read = |name: &str, text: &str| in_file(Path::new(name), text, "trixie");
        assert_eq!(
            read("debian.sources", stanzas),
            Some(here(&["main", "contrib"], Some("/usr/share/keyrings/a.gpg")))
        );
        let (_, second) = stanzas.split_once("\n\n").unwrap();
        assert_eq!(read("off.sources", &format!("Enabled: no\n{second}")), None);
        let lines = "# deb http://no.example trixie main\ndeb http://no.example trixie-updates main\n\
                     deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian trixie main # the one\n";
        assert_eq!(read("sources.list", lines), Some(here(&["main"], Some("/k.gpg"))));
        assert_eq!(read("sources.list", "deb file:/srv/mirror trixie main\n"), None);
        assert_eq!(read("sources.list~", lines), None);
    }
}
