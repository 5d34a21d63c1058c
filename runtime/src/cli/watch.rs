//! `wattle watch`: shows changes of entries, one per line.

use std::collections::HashMap;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command};
use serde_json::json;
use wattle::model::Name;

use crate::clock;
use crate::report::{self, StackSnapshot};
use crate::space::Written;

use super::console::Console;
use super::error::{CommandError, Exit};
use super::paint::{Tone, paint};
use super::{args, entries, target};

/// How often to poll. A watch for each entry would be more than a ZooKeeper session can handle.
const PAUSE: Duration = Duration::from_millis(250);

pub(super) fn command() -> Command {
    Command::new("watch")
        .about("Print the values of entries, and every change of them, until Ctrl-C")
        .arg(Arg::new("path").value_name("PATH").help("Show only what is at or below SERVER[/COMPONENT[/OUTPUT]]"))
        .arg(args::format(&["plain", "json"]))
        .args(args::target())
        .after_help(args::section(&[(
            "Printed",
            "  TIME ENTRY VALUE, one line per change; with --format json, one object per line. What changes
  several times within a quarter of a second is printed once.",
        )]))
}

pub(super) async fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let path = matches.get_one::<String>("path").map_or("", |path| entries::tidy(path));
    let target = target::find(matches, console)?;
    let space = target.space(console).await?;
    let mut snapshot: Option<StackSnapshot> = None;
    let mut names: Vec<Name> = Vec::new();
    let mut seen: HashMap<Name, Option<Written>> = HashMap::new();
    loop {
        let desired = target::patiently(&target.address, console, space.desired_revision()).await?;
        // A revision may have different entries than the previous one.
        if snapshot.as_ref().is_none_or(|snapshot| snapshot.desired != desired) {
            let new =
                target::patiently(&target.address, console, StackSnapshot::read(&space, snapshot.as_ref())).await?;
            match entries::list(&space, &new, path).await {
                Ok(listed) => names = listed,
                Err(failure) if snapshot.is_none() => return Err(failure),
                Err(_) => names.clear(),
            }
            snapshot = Some(new);
        }
        let shown = snapshot.as_ref().expect("INVARIANT: it has been read by now");
        let contents = target::patiently(&target.address, console, report::contents(&space, shown, &names)).await?;
        for (name, held) in names.iter().zip(contents) {
            let before = seen.get(name);
            if before.is_some_and(|before| *before == held) || (before.is_none() && held.is_none()) {
                continue;
            }
            if !console.out.try_write(&line(name, held.as_ref(), matches, console.out.color))? {
                return Ok(Exit::Fine);
            }
            seen.insert(name.clone(), held);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn line(name: &Name, held: Option<&Written>, matches: &ArgMatches, color: bool) -> String {
    let now = clock::now();
    if args::is_json(matches) {
        let mut object = json!({ "time": now, "entry": name });
        if let (Some(object), serde_json::Value::Object(held)) = (object.as_object_mut(), entries::json(held)) {
            object.extend(held);
        }
        return format!("{object}\n");
    }
    let (text, tone) = entries::summary(held);
    let time = paint(&format!("{now:.0}"), Tone::Faint, color);
    format!("{time} {} {}\n", paint(name, Tone::Head, color), paint(&text, tone, color))
}
