//! `wattle ca`: certificates for a ZooKeeper's members, for operators who have no other tool for that.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use wattle::manners::{self, reason};
use wattle::names::list;
use wattle::shown;
use wattle_agent_core::time::Time;

use crate::ca::{CertificateAuthority, Host};

use super::args;
use super::console::Console;
use super::error::{CommandError, Exit};

/// The authority's certificate, which is public.
const CERTIFICATE: &str = "ca.pem";

/// The authority's key.
const KEY: &str = "ca.key";

/// The longest validity, in days: a hundred years.
const LONGEST: u64 = 36_500;

pub(super) fn command() -> Command {
    let days = |default| {
        Arg::new("days").long("days").value_name("N").default_value(default).value_parser(args::number(1, LONGEST))
    };
    let new = Command::new("new")
        .about("Make a certificate authority for one data space")
        .arg(
            Arg::new("out")
                .long("out")
                .short('o')
                .value_name("DIR")
                .default_value(".")
                .value_parser(value_parser!(PathBuf))
                .help("Folder for ca.pem and ca.key, neither of which may exist yet"),
        )
        .arg(days("3650").help("How many days the authority is valid"));
    let issue = Command::new("issue")
        .about("Make a key and a certificate for one server, signed by an authority that `new` made")
        .arg(
            Arg::new("hosts")
                .value_name("HOST")
                .required(true)
                .action(ArgAction::Append)
                .help("Name or address by which clients reach the server; give all of them"),
        )
        .arg(
            Arg::new("ca")
                .long("ca")
                .value_name("DIR")
                .default_value(".")
                .value_parser(value_parser!(PathBuf))
                .help("Folder with ca.pem and ca.key: made by `new`, or those of your own authority"),
        )
        .arg(
            Arg::new("out")
                .long("out")
                .short('o')
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("File to write, which must not exist yet [default: the first HOST with .pem]"),
        )
        .arg(days("730").help("How many days the certificate is valid, at most as long as the authority"));
    Command::new("ca")
        .about("Make certificates for the members of a ZooKeeper, so that the data space uses TLS")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(new.after_help(args::section(&[(
            "Files",
            "  ca.pem  the authority that operators and servers trust: `--ca ca.pem`
  ca.key  signs certificates. Keep it off the servers, and keep it secret.",
        )])))
        .subcommand(issue.after_help(args::section(&[
            ("Examples", "  wattle ca issue zk1.example.com 10.0.0.5   writes zk1.example.com.pem"),
            (
                "In the member's zoo.cfg",
                "  secureClientPort=2281
  serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
  ssl.keyStore.type=PEM
  ssl.keyStore.location=/etc/zookeeper/zk1.example.com.pem
  ssl.clientAuth=none",
            ),
        ])))
}

pub(super) fn run(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    match matches.subcommand().expect("INVARIANT: a command is required") {
        ("new", given) => new(given, console),
        (_, given) => issue(given, console),
    }
}

fn new(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let folder: &PathBuf = matches.get_one("out").expect("INVARIANT: it has a default");
    let (certificate, key) = (folder.join(CERTIFICATE), folder.join(KEY));
    for file in [&certificate, &key] {
        // A dangling link counts as a file, too.
        if fs::symlink_metadata(file).is_ok() {
            return Err(there(file).help("choose another folder: `--out DIR`"));
        }
    }
    let made =
        CertificateAuthority::generate(validity(matches)).map_err(|error| CommandError::new(error.to_string()))?;
    fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    create(&key, &made.key(), 0o600)?;
    if let Err(failure) = create(&certificate, &made.certificates(), 0o644) {
        // A key that nothing trusts is useless, and would be in the way the next time.
        let _ = fs::remove_file(&key);
        return Err(failure);
    }
    let next = match folder.as_path() {
        here if here == Path::new(".") => String::new(),
        folder => format!(" --ca {}", shown::path(folder.display())),
    };
    console.out.write(&format!(
        "{}: the authority `{}`, valid until {}; operators pass it as `--ca {}`\n\
         {}: SECRET, signs its certificates; keep it off the servers\n\
         next: `wattle ca issue HOST{next}` for each member, with all names and addresses by which clients reach it\n",
        shown(&certificate),
        made.name(),
        day(made.until()),
        shown::path(shown(&certificate)),
        shown(&key),
    ))?;
    Ok(Exit::Fine)
}

fn issue(matches: &ArgMatches, console: &mut Console) -> Result<Exit, CommandError> {
    let mut hosts: Vec<Host> = Vec::new();
    for text in matches.get_many::<String>("hosts").expect("INVARIANT: it is required") {
        let host = text.parse().map_err(|error: crate::ca::HostError| CommandError::usage(error.to_string()))?;
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    let names: Vec<String> = hosts.iter().map(ToString::to_string).collect();
    let file = match matches.get_one::<PathBuf>("out") {
        Some(file) => file.clone(),
        // `scp` takes the text before a colon for a host.
        None => PathBuf::from(format!("{}.pem", names[0].replace(':', "-"))),
    };
    let authority = read(matches.get_one::<PathBuf>("ca").expect("INVARIANT: it has a default"))?;
    let wanted = validity(matches);
    let until = wanted.end;
    let issued = authority.issue(&hosts, wanted).map_err(|error| {
        CommandError::new(error.to_string())
            .help("make another one with `wattle ca new`, and give it to operators and servers")
    })?;
    create(&file, &issued.pem, 0o600).map_err(|failure| match failure.exit {
        Exit::Files => failure.help("choose another name with `--out FILE`, and then replace the old file with it"),
        _ => failure,
    })?;
    let ends = if issued.until < until { ", as its authority does" } else { "" };
    console.out.write(&format!(
        "{}: SECRET, key and certificate for {}, valid until {}{ends}; only for this member\n",
        shown(&file),
        list(names.iter().map(String::as_str), "and"),
        day(issued.until),
    ))?;
    Ok(Exit::Fine)
}

/// Reads the authority in a folder.
fn read(folder: &Path) -> Result<CertificateAuthority, CommandError> {
    if folder.is_file() {
        return Err(CommandError::usage(format!("`{}` is a file", folder.display()))
            .help(format!("give the folder that contains {CERTIFICATE} and {KEY}: `--ca DIR`")));
    }
    let (certificate, key) = (folder.join(CERTIFICATE), folder.join(KEY));
    let text = |file: &Path| {
        manners::read(file).map_err(|error| {
            CommandError::usage(format!("cannot read `{}` of the authority: {}", shown(file), reason(&error)))
                .help("`wattle ca new` makes an authority; `--ca DIR` says where one is")
        })
    };
    CertificateAuthority::read(&text(&certificate)?, &text(&key)?).map_err(|error| {
        let (certificate, key) = (shown(&certificate), shown(&key));
        CommandError::usage(format!("`{certificate}` with `{key}` is not an authority that can sign: {error}"))
    })
}

/// The validity period, starting now.
fn validity(matches: &ArgMatches) -> Range<Time> {
    let days: u64 = *matches.get_one("days").expect("INVARIANT: it has a default");
    let now = Time::from(SystemTime::now());
    now..now + Duration::from_hours(days * 24)
}

/// Creates a file, which must not exist yet, with its mode from the start.
fn create(path: &Path, text: &str, mode: u32) -> Result<(), CommandError> {
    let write = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).inspect_err(|_| {
            let _ = fs::remove_file(path);
        })
    };
    write().map_err(|error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => there(path),
        _ => unwritten(path, &error),
    })
}

fn there(path: &Path) -> CommandError {
    CommandError::files(format!("`{}` already exists, and is not overwritten", shown(path)))
}

fn unwritten(path: &Path, error: &io::Error) -> CommandError {
    CommandError::files(format!("cannot write `{}`: {}", shown(path), reason(error)))
}

/// A path for messages: without `./` for a file in the current directory.
fn shown(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}

/// The date of a time, in UTC.
fn day(time: Time) -> String {
    let text = format!("{time:.0}");
    text.split_once('T').map_or(text.clone(), |(day, _)| day.to_owned())
}
