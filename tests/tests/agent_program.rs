//! The program that servers fetch: it has what a server needs, and is small.

use std::fs;
use std::process::{Command, Output};

use wattle_tests::command::{released, wattle_agent};
use wattle_tests::skip::everything;

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
    let told = String::from_utf8(output.stderr).expect("text");
    assert!(told.contains("unrecognized subcommand 'up'"), "{told}");
}

/// What each server fetches is under 8 MB, and what an operator installs under 19 MB.
#[test]
fn it_is_small() {
    if !everything("the size of the agent and of the command, which takes a release build") {
        return;
    }
    for (name, most) in [("wattle-agent", 8_000_000), ("wattle", 19_000_000)] {
        let size = fs::metadata(released(name)).expect("it is built").len();
        println!("{name} has {size} bytes");
        assert!((1_000_000..most).contains(&size), "{name} has {size} bytes");
    }
}
