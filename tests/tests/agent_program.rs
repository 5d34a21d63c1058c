//! The program that servers download has everything that a server needs. (`release.rs` checks its size.)

use std::process::{Command, Output};

use wattle_tests::command::wattle_agent;

fn run(arguments: &[&str]) -> Output {
    Command::new(wattle_agent()).args(arguments).output().expect("a command starts")
}

#[test]
fn it_has_the_commands_of_a_server() {
    let help = String::from_utf8(run(&["--help"]).stdout).expect("text");
    let (_, rest) = help.split_once("Commands:\n").expect("a list of commands");
    let (list, _) = rest.split_once("\n\n").expect("something behind it");
    // Further lines of a description stand further right.
    let commands: Vec<&str> =
        list.lines().filter_map(|line| line.strip_prefix("  ")?.split_once("  ")).map(|(name, _)| name).collect();
    let commands: Vec<&str> = commands.into_iter().filter(|name| !name.is_empty()).collect();
    assert_eq!(commands, ["agent", "get", "set", "signal", "watch", "ls"], "{help}");
}

#[test]
fn what_is_for_operators_is_wrong_usage() {
    let output = run(&["up", "out/hello"]);
    assert_eq!(output.status.code(), Some(2));
    let reported = String::from_utf8(output.stderr).expect("text");
    assert!(reported.contains("unrecognized subcommand 'up'"), "{reported}");
}
