//! Pages generated from the program's output: one of all commands, and one of all codes. `UPDATE=1` rewrites them.

use std::process::Command;

use wattle::check::About;
use wattle_tests::command::{example, wattle};

/// The generated pages. Their examples are tested at their source.
pub(crate) const PAGES: [&str; 2] = ["docs/reference/codes.md", "docs/reference/commands.md"];

/// All codes, with the output of `explain` for each.
pub(crate) fn codes() -> String {
    let mut all = wattle::check::all();
    all.extend(wattle_hot::check::all());
    all.extend(wattle_deploy::codes::all());
    all.extend(wattle::policy::all());
    all.extend(wattle_place::codes::all());
    let mut text = String::from(
        "# What diagnostics mean\n\nEvery error and warning of `check` has a code, and `wattle explain CODE` explains it. This page \
         lists all of them. Codes below W1000 are about a model, written in Rust or as an extended template. Codes from W1000 on \
         are about a template as Heat reads it, those from W1501 on about a team's policies, and those from W1601 on about \
         where servers are placed.\n\n| code | severity | what is found |\n|---|---|---|\n",
    );
    for About { code, severity, summary, .. } in &all {
        text += &format!("| [{code}](#{}) | {severity} | {} |\n", code.to_lowercase(), summary.replace('|', "\\|"));
    }
    for check @ About { code, severity, summary, .. } in &all {
        let page = check.page();
        let (_, page) = page.split_once("\n\n").expect("a title and a text");
        text += &format!("\n## {code}\n\n*{severity}*: {summary}\n\n{}\n", page.trim_end());
    }
    text
}

/// All commands, with their `--help` output.
pub(crate) fn commands() -> String {
    let mut text = String::from(
        "# The commands\n\
         \n\
         What `wattle`, `wattle-agent` and a blueprint's program print with `--help`. `wattle completions SHELL` \
         prints a completion script for bash, zsh, fish, elvish or PowerShell, and `wattle man --out DIR` writes the \
         manual pages.\n",
    );
    let own = wattle().to_str().expect("text").to_owned();
    help(&mut text, "wattle", &[own], 2);
    text += "\n\
             ## wattle-agent\n\
             \n\
             The part of `wattle` that servers need, and much smaller: `agent`, and what recipes use (`get`, `set`, \
             `signal`, `watch`, `ls`). On servers, it is also called `wattle`.\n";
    help(&mut text, "A blueprint's program", &[example("hello").to_str().expect("text").to_owned()], 2);
    text
}

fn help(text: &mut String, title: &str, words: &[String], level: usize) {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg("--help").env("COLUMNS", "100");
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).expect("text");
    *text += &format!("\n{} {title}\n\n```text\n{}\n```\n", "#".repeat(level), said.trim_end());
    let listed = said.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A line that is indented more continues the previous one.
    for line in listed.filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        let name = line.split_whitespace().next().expect("a name");
        let mut inner = words.to_vec();
        inner.push(name.to_owned());
        let title =
            if title.starts_with("wattle") { format!("{title} {name}") } else { format!("{name}, of a blueprint") };
        help(text, &title, &inner, (level + 1).min(3));
    }
}
