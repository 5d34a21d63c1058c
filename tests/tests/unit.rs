//! The agent's unit, checked by systemd.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::process::Command;

use wattle_tests::skip::skipped;

const USER_DATA: &str = include_str!("../../dsl/src/lower/user_data.yaml");
const NAME: &str = "wattle-agent.service";

/// The text of the unit, from the user data that contains it as a file.
fn unit() -> String {
    let (_, file) = USER_DATA.split_once(&format!("path: /etc/systemd/system/{NAME}\n    content: |\n")).unwrap();
    let lines = file.lines().take_while(|line| line.is_empty() || line.starts_with("      "));
    lines.map(|line| format!("{}\n", line.trim_start())).collect()
}

/// systemd ignores unknown settings, and reports them.
#[test]
fn systemd_knows_all_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(NAME);
    fs::write(&file, unit()).unwrap();
    let systemd = Command::new("systemd-analyze").arg("verify").arg(&file).output();
    let Ok(said) = systemd else {
        return skipped("the agent's unit", "systemd-analyze is missing: `apt-get install systemd`");
    };
    let said = String::from_utf8(said.stderr).unwrap();
    // The agent itself is not installed on this machine, which systemd reports, too.
    let wrong: Vec<&str> =
        said.lines().filter(|line| line.contains(NAME) && !line.contains("is not executable")).collect();
    assert_eq!(wrong, Vec::<&str>::new());
    assert!(
        said.contains("/usr/local/bin/wattle is not executable") || fs::exists("/usr/local/bin/wattle").unwrap(),
        "{said}"
    );
}

/// Recipes may exhaust memory and crash: the agent survives and reports it, and no secret is in a core dump.
#[test]
fn recipes_do_not_end_their_agent() {
    for option in ["Delegate=yes", "OOMPolicy=continue", "LimitCORE=0", "Restart=on-failure"] {
        assert!(unit().lines().any(|line| line == option), "{option}: {}", unit());
    }
}

/// SECURITY.md states how far the unit confines recipes, according to systemd.
#[test]
fn what_the_unit_does_not_confine_is_said_as_systemd_says_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(NAME);
    fs::write(&file, unit()).unwrap();
    let systemd =
        Command::new("systemd-analyze").args(["security", "--no-pager", "--offline=true"]).arg(&file).output();
    let Ok(said) = systemd else {
        return skipped("the agent's unit", "systemd-analyze is missing: `apt-get install systemd`");
    };
    let said = String::from_utf8(said.stdout).unwrap();
    let level = said
        .lines()
        .find_map(|line| line.split_once("Overall exposure level for wattle-agent.service: ")?.1.split(' ').next());
    let level = level.unwrap_or_else(|| panic!("systemd-analyze says no level: {said}"));
    let text = include_str!("../../SECURITY.md");
    assert!(text.contains(&format!("gives the unit {level} of 10")), "{level}");
}
