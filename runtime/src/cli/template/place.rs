//! `wattle place`: decides where the servers of a template go, all of them together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;
use wattle::check::{Diagnostic, has_errors};
use wattle::cli::{Copied, is_json, write_files};
use wattle::diagram::FILE_NAME;
use wattle::lower::{Lowering, POLICIES, Seed};
use wattle::manners::{exit_codes, read, read_bytes, reason};
use wattle::model::{Name, Source, Tree};
use wattle::view;
use wattle_agent_core::seed::Origin;
use wattle_place::template::{Order, Placed, Way, Where, placed};
use wattle_place::{Cloud, Effort, Flavor, Flavors};

use super::given::{self, Given};
use crate::cli::args;
use crate::cli::console::Console;
use crate::cli::failure::{Exit, Failure};
use crate::cli::paint::{Cell, Tone, table, width};

pub(in crate::cli) fn command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
    };
    Command::new("place")
        .about("Choose hosts for all servers of a template together, and write the template with these places")
        .args(given::args())
        .arg(
            file(
                "hosts",
                "Hosts of the cloud: a hosts file, or the output of `openstack hypervisor list --long -f json`",
            )
            .required(true),
        )
        .arg(file(
            "flavors",
            "Further flavors: a file like `flavors` of a hosts file, or the output of `openstack flavor list -f json`",
        ))
        .arg(args::flag("admin", "Name hosts, for a stack that an administrator of the cloud creates"))
        .arg(
            Arg::new("out")
                .long("out")
                .short('o')
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Folder for the template and the files that it names. Defaults to `placed`, beside the template"),
        )
        .arg(args::format(&["plain", "json"]).help("Output format"))
        .arg(wattle::cli::messages("message-format").help("Format of errors and warnings"))
        .after_help(args::section(&[
            (
                "Places",
                "  With --admin, each server gets `availability_zone: ZONE:HOST`, which Nova accepts only from
  administrators. Without it, each server gets its zone, and server groups keep servers apart or
  together as policies say; what these groups cannot promise is a warning.",
            ),
            (
                "Policies",
                "  Server groups, and `wattle.placement` in the metadata of any resource of the template:
    wattle.placement:
      policies:
      - {apart: [db, web], by: rack}
      - {near: [web, cache], within: rack, preferred: 20}
      - {together: [a, b]}
      - {zone: az1, servers: [db]}
      - {license: windows, servers: [ad]}
      wires:
      - {between: [web, db], bandwidth: 3}",
            ),
            (
                "Exit codes",
                &exit_codes(&[
                    (Exit::Fine, "the template was written; there may be warnings"),
                    (
                        Exit::Failed,
                        "something is wrong with the template or the hosts, or there is no room; nothing was written",
                    ),
                    (Exit::Usage, "wrong usage"),
                    (Exit::Files, "files could not be written; existing files are intact"),
                ]),
            ),
        ]))
}

pub(in crate::cli) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, Failure> {
    let mut given = Given::read(matches)?;
    let format = *matches.get_one("message-format").expect("INVARIANT: the argument has a default");
    let wrong = given.diagnostics(true, Lowering::default());
    if has_errors(&wrong) {
        return tell(&given, &wrong, format, console);
    }
    let beside = beside(&given)?;
    let found = match (cloud(matches, &mut given)?, flavors(matches, &mut given)?) {
        (Ok((cloud, warnings)), Ok(flavors)) => {
            let order = Order {
                loaded: &given.loaded,
                text: &|file| given.text(file).map(ToString::to_string),
                said: &|number| beside.places.get(&number).cloned(),
                wires: &beside.wires,
                cloud: &cloud,
                flavors: &flavors,
                is_admin: matches.get_flag("admin"),
                effort: Effort::default(),
            };
            placed(order).map(|mut placed| {
                placed.warnings.extend(warnings);
                placed
            })
        }
        (cloud, flavors) => Err(cloud.err().into_iter().chain(flavors.err()).flatten().collect()),
    };
    let placed = match found {
        Ok(placed) => placed,
        Err(wrong) => return tell(&given, &wrong, format, console),
    };
    let own = folder(&given.loaded.template.file);
    let directory = matches.get_one("out").cloned().unwrap_or_else(|| Path::new(own).join("placed"));
    let files = files(&given, own, &placed)?;
    is_elsewhere(&directory, own)?;
    let tree = write_files(&directory, &files)?;
    console.err.write(&given.render(&placed.warnings, format, &console.err.options()))?;
    if is_json(matches) {
        console.out.write(&format!("{:#}\n", as_json(&placed, &directory)))?;
    } else {
        let shown = table(&rows(&placed.servers), console.out.color, width(console.out.is_terminal));
        console.out.write(&format!("{shown}\n{tree}"))?;
        console.err.write(&said(&placed))?;
    }
    Ok(Exit::Fine)
}

/// What the seed beside an emitted template knows, but the template does not.
#[derive(Default)]
struct Beside {
    /// Where the author declared each policy, by its number.
    places: HashMap<usize, Source>,
    /// Which servers talk to each other. Each pair is listed once, with the number of times that one reads what the
    /// other writes.
    wires: Vec<(String, String, u32)>,
}

fn beside(given: &Given) -> Result<Beside, Failure> {
    let path = Path::new(folder(&given.loaded.template.file)).join("seed.yaml");
    if !given.is_emitted || !path.is_file() {
        return Ok(Beside::default());
    }
    let cannot = |why: String| Failure::usage(format!("cannot read `{}`: {why}", path.display()));
    let text = read(&path).map_err(|error| cannot(reason(&error)))?;
    let seed = Seed::read(&text).map_err(|error| cannot(error.to_string()))?;
    let place = |(name, at): (&Name, &String)| {
        let number = name.strip_prefix(POLICIES)?.strip_prefix('/')?.parse().ok()?;
        let mut parts = at.rsplitn(3, ':');
        let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some((number, Source { file: parts.next()?.to_owned().into(), line, column }))
    };
    let mut talks: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for (to, server) in &seed.servers {
        let wires = server.components.values().flat_map(|component| component.inputs.values());
        let entries = wires.flat_map(Tree::leaves).filter_map(Origin::entry);
        for from in entries.filter_map(|entry| Some(entry.split_once('/')?.0)).filter(|from| *from != &**to) {
            *talks.entry((from.min(to), from.max(to))).or_default() += 1;
        }
    }
    let wires = talks.into_iter().map(|((one, other), bandwidth)| (one.to_owned(), other.to_owned(), bandwidth));
    Ok(Beside { places: seed.sources.iter().filter_map(place).collect(), wires: wires.collect() })
}

/// Ends with what is wrong.
fn tell(given: &Given, wrong: &[Diagnostic], format: view::Format, console: &mut Console) -> Result<Exit, Failure> {
    let mut text = given.render(wrong, format, &console.err.options());
    if format != view::Format::Json
        && let Some(summary) = view::summary(wrong)
    {
        text += &format!("{summary}; nothing was written\n");
    }
    console.err.write(&text)?;
    Ok(Exit::Failed)
}

type Found<T> = Result<T, Vec<Diagnostic>>;

fn cloud(matches: &ArgMatches, given: &mut Given) -> Result<Found<(Cloud, Vec<Diagnostic>)>, Failure> {
    let path: &PathBuf = matches.get_one("hosts").expect("INVARIANT: it is required");
    let (name, text) = given.further(path, "the hosts file")?;
    Ok(Cloud::read(&text, &name))
}

fn flavors(matches: &ArgMatches, given: &mut Given) -> Result<Found<Flavors>, Failure> {
    let Some(path) = matches.get_one::<PathBuf>("flavors") else { return Ok(Ok(Flavors::default())) };
    let (name, text) = given.further(path, "the flavors")?;
    Ok(Flavor::read(&text, &name))
}

/// The folder of a file, with a slash at its end. Empty for the current directory.
fn folder(file: &str) -> &str {
    file.rfind('/').map_or("", |end| &file[..=end])
}

/// The placed template with everything that it names, and what `emit` wrote beside it.
fn files(given: &Given, own: &str, placed: &Placed) -> Result<Vec<Copied>, Failure> {
    let name = |path: &str| path.strip_prefix(own).unwrap_or(path).to_owned();
    let root = &*given.loaded.template.file;
    let changed = |path: &str| placed.files.iter().find(|(file, _)| file == path).map(|(_, text)| text.as_bytes());
    let mut all = Vec::new();
    let text = given.text(root).map_or(&[][..], |text| text.as_bytes());
    let first = if root.starts_with('<') { "template.yaml".to_owned() } else { name(root) };
    let bytes = changed(root).unwrap_or(text).to_vec();
    all.push(Copied { name: first, content: "the template, with places".into(), bytes });
    let library = &given.loaded.library;
    for (path, text) in library.contents.iter().filter(|(path, _)| *path != root) {
        let Ok(text) = text else { continue };
        let content =
            if changed(path).is_some() { "a nested template, with places" } else { "what the template names" };
        let bytes = changed(path).unwrap_or(text.as_bytes()).to_vec();
        all.push(Copied { name: name(path), content: content.into(), bytes });
    }
    for (path, bytes) in library.recipes.iter().filter(|(path, _)| !library.contents.contains_key(*path)) {
        let Ok(bytes) = bytes else { continue };
        all.push(Copied { name: name(path), content: "a recipe's file".into(), bytes: bytes.clone() });
    }
    for file in all.iter().map(|file| &file.name) {
        if file.starts_with('/') || file.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(Failure::usage(format!("the template names `{file}`, which is not in its folder"))
                .note("nothing was written")
                .help("put it there, so that the placed template has it beside it"));
        }
    }
    if given.is_emitted {
        for (file, content) in
            [("environment.yaml", "its parameters"), ("seed.yaml", "the seed"), (FILE_NAME, "the diagram")]
        {
            let path = Path::new(own).join(file);
            if path.is_file() && !all.iter().any(|known| known.name == file) {
                let bytes = read_bytes(&path)
                    .map_err(|error| Failure::usage(format!("cannot read `{}`: {}", path.display(), reason(&error))))?;
                all.push(Copied { name: file.to_owned(), content: content.into(), bytes });
            }
        }
    }
    Ok(all)
}

/// Refuses the template's own folder, because a template that is placed already would be taken for what its author
/// wants.
fn is_elsewhere(directory: &Path, own: &str) -> Result<(), Failure> {
    let own = if own.is_empty() { Path::new(".") } else { Path::new(own) };
    match (directory.canonicalize(), own.canonicalize()) {
        (Ok(directory), Ok(own)) if directory == own => {
            Err(Failure::usage(format!("the template itself is in `{}`", directory.display()))
                .note("nothing was written")
                .help("choose another place: `--out DIR`"))
        }
        _ => Ok(()),
    }
}

fn rows(servers: &[Where]) -> Vec<Vec<Cell>> {
    let has_rooms = servers.iter().any(|one| one.host.room.is_some());
    let mut head = vec!["SERVER", "HOST", "RACK"];
    head.extend(has_rooms.then_some("ROOM"));
    head.extend(["ZONE", ""]);
    let mut rows = vec![head.into_iter().map(|word| (word.to_owned(), Tone::Head)).collect::<Vec<Cell>>()];
    for Where { server, host, way } in servers {
        let or_none = |place: &Option<String>| (place.clone().unwrap_or_else(|| "-".into()), Tone::Plain);
        let tone = if *way == Way::Host { Tone::Plain } else { Tone::Faint };
        let mut row = vec![(server.clone(), Tone::Plain), (host.name.clone(), tone), or_none(&host.rack)];
        row.extend(has_rooms.then(|| or_none(&host.room)));
        row.push((host.zone.clone(), Tone::Plain));
        let by = match way {
            Way::Host => "",
            Way::Zone => "Nova chooses the host",
            Way::Nova => "left to Nova",
        };
        row.push((by.to_owned(), Tone::Faint));
        rows.push(row);
    }
    rows
}

/// What to say about the result as a whole.
fn said(placed: &Placed) -> String {
    let hosts: BTreeSet<&str> = placed.servers.iter().map(|one| &*one.host.name).collect();
    let plural = |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    let mut text = format!("{} on {}", plural(placed.servers.len(), "server"), plural(hosts.len(), "host"));
    if placed.bandwidth > 0 {
        text += &format!("; of the bandwidth {} go across racks", share(placed));
    }
    text += &match placed.placement.gap() {
        0 => "; no placement is better\n".to_owned(),
        gap => format!(
            "; its cost is {}, and none is below {}\n",
            placed.placement.verdict.cost,
            placed.placement.verdict.cost - gap
        ),
    };
    for (words, broken) in &placed.unkept {
        let plural = if *broken == 1 { "server breaks" } else { "servers break" };
        text += &format!("not kept: {words} ({broken} {plural} it)\n");
    }
    if placed.servers.iter().any(|one| one.way == Way::Zone) {
        text += "the hosts show where there is room now: without --admin, Nova may choose others\n";
    }
    text
}

fn share(placed: &Placed) -> String {
    format!("{} of {}", placed.placement.verdict.across_racks, placed.bandwidth)
}

fn as_json(placed: &Placed, directory: &Path) -> serde_json::Value {
    let servers = placed.servers.iter().map(|Where { server, host, way }| {
        let by = match way {
            Way::Host => "host",
            Way::Zone => "zone",
            Way::Nova => "nova",
        };
        json!({
            "server": server, "host": host.name, "rack": host.rack, "room": host.room, "zone": host.zone, "by": by,
        })
    });
    let unkept = placed.unkept.iter().map(|(policy, servers)| json!({ "policy": policy, "servers": servers }));
    json!({
        "out": directory.display().to_string(),
        "servers": servers.collect::<Vec<_>>(),
        "bandwidth": { "all": placed.bandwidth, "across_racks": placed.placement.verdict.across_racks },
        "cost": placed.placement.verdict.cost,
        "gap": placed.placement.gap(),
        "unkept": unkept.collect::<Vec<_>>(),
    })
}
