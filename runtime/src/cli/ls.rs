//! `wattle ls`: shows the tree of entries.

use std::collections::HashMap;

use clap::{Arg, ArgMatches, Command};
use serde_json::json;
use wattle::model::Name;

use crate::report::{self, Condition, StackSnapshot};
use crate::space::Written;

use super::console::Console;
use super::error::{CommandError, Exit};
use super::paint::{Cell, Tone, table, width};
use super::{args, entries, target};

pub(super) fn command() -> Command {
    Command::new("ls")
        .about("List the entries and their values")
        .arg(Arg::new("path").value_name("PATH").help("Show only what is at or below SERVER[/COMPONENT[/OUTPUT]]"))
        .arg(args::format(&["plain", "json"]))
        .args(args::target())
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let path = matches.get_one::<String>("path").map_or("", |path| entries::tidy(path));
    let target = target::find(matches, console)?;
    let space = target.space(console).await?;
    let snapshot = target::patiently(&target.address, console, StackSnapshot::read(&space, None)).await?;
    let names = entries::list(&space, &snapshot, path).await?;
    let contents = report::contents(&space, &snapshot, &names).await?;
    let text = if args::is_json(matches) {
        let entries: serde_json::Map<String, serde_json::Value> =
            names.iter().zip(&contents).map(|(name, held)| (name.to_string(), entries::json(held.as_ref()))).collect();
        let all = json!({ "stack": snapshot.stack, "revision": snapshot.revision(), "entries": entries });
        format!("{all:#}\n")
    } else {
        let width = if console.out.is_terminal { width(true) } else { width(false) };
        table(&rows(&snapshot, &names, &contents), console.out.color, width)
    };
    console.out.write(&text)?;
    Ok(Exit::Fine)
}

fn rows(snapshot: &StackSnapshot, names: &[Name], contents: &[Option<Written>]) -> Vec<Vec<Cell>> {
    let states: HashMap<String, Cell> = snapshot.parts().map(|part| (part.path(), state(part.condition))).collect();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut last = ("", "");
    for (name, held) in names.iter().zip(contents) {
        let mut parts = name.splitn(3, '/');
        let (server, component) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let output = parts.next().unwrap_or("");
        if last.0 != server {
            rows.push(vec![(format!("{server}/"), Tone::Head)]);
        }
        if last != (server, component) {
            let state = states.get(&format!("{server}/{component}")).cloned();
            rows.push(vec![(format!("  {component}/"), Tone::Head), state.unwrap_or((String::new(), Tone::Plain))]);
            last = (server, component);
        }
        let (mut text, tone) = entries::summary(held.as_ref());
        if let Some(held) = held
            && snapshot.revision_of(server).is_some_and(|revision| held.of() < revision)
        {
            text.extend([format!("  (of revision {})", held.revision)]);
        }
        rows.push(vec![(format!("    {output}"), Tone::Plain), (text, tone)]);
    }
    rows
}

/// The word for a component's state.
pub(super) fn state(condition: Condition<'_>) -> Cell {
    match condition {
        Condition::Idle => ("not begun".into(), Tone::Faint),
        Condition::Said(status) => {
            let shown = report::shown(&status.state);
            (shown.word().into(), Tone::of(shown))
        }
    }
}
