//! Arguments and options shared by several commands.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{StyledStr, Styles};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use wattle_words::time;

pub(super) use wattle::cli::is_json;

/// The help below the options.
pub(super) fn section(sections: &[(&str, &str)]) -> StyledStr {
    let header = *Styles::styled().get_header();
    let sections = sections.iter().map(|(title, text)| format!("{header}{title}:{header:#}\n{text}"));
    StyledStr::from(sections.collect::<Vec<_>>().join("\n\n"))
}

/// The directory of a running `up`, for commands that need only that.
pub(super) fn directory() -> Arg {
    Arg::new("dir")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .help("Folder that was given to `up`; not needed if a topology runs here or in ./out, or if only one runs")
}

/// The same directory as an option, for a command that takes it as an argument while others have the option.
pub(super) fn directory_as_option() -> Arg {
    directory().id(DIRECTORY).long("dir").hide(true).conflicts_with("dir")
}

/// The directory, given in either form.
pub(super) fn given_directory(matches: &ArgMatches) -> Option<&PathBuf> {
    let as_option = || matches.try_get_one::<PathBuf>(DIRECTORY).ok().flatten();
    matches.get_one::<PathBuf>("dir").or_else(as_option)
}

const DIRECTORY: &str = "dir-as-option";

/// The options that select a stack in a data space.
pub(super) fn target() -> [Arg; 6] {
    let [space, ca, insecure, stack, key] = data_space();
    [space, ca, insecure, directory().long("dir"), stack, key]
}

/// The options for the address of the data space, and for the key to read it with.
pub(super) fn data_space() -> [Arg; 5] {
    [
        Arg::new("space").long("space").value_name("ADDRESS").help(
            "Address of the data space: zookeeper+tls://HOST:PORT[,HOST:PORT...] or unix:PATH; `new` stands for the \
             one that `wattle space new` made here. Defaults to WATTLE_SPACE, then to the data space of a running `up`",
        ),
        Arg::new("ca").long("ca").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
            "Certificate authority of the data space, in PEM. Defaults to WATTLE_CA, then to the authorities that the \
             system knows",
        ),
        flag("insecure", "Allow an unencrypted address, zookeeper://, of another machine: trust the network"),
        Arg::new("stack").long("stack").value_name("STACK").help("Name of the stack, if the data space has several"),
        Arg::new("key").long("key").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
            "File with the operator's key, which `seed apply` wrote. Defaults to WATTLE_KEY, then to operator.key here \
             or in DIR if it belongs to this data space",
        ),
    ]
}

/// The option for the servers' credentials.
pub(super) fn credentials() -> Arg {
    Arg::new("credentials").long("credentials").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
        "File with the servers' credentials, which `seed apply` wrote and rewrites. Defaults to credentials.yaml in \
         DIR if it belongs to this data space",
    )
}

/// A choice of formats. The first one is the default.
pub(super) fn format(formats: &'static [&'static str]) -> Arg {
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .default_value(formats[0])
        .value_parser(formats.to_vec())
        .help("Output format")
}

/// An option without a value.
pub(super) fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// The option for how long `--wait` waits.
pub(super) fn timeout() -> Arg {
    Arg::new("timeout")
        .long("timeout")
        .value_name("TIME")
        .requires("wait")
        .value_parser(duration)
        .help("Wait no longer than this, such as 90s or 10m")
}

/// A duration: `90s`, `10m`, `1h30m`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = |help| format!("`{text}` is not a length of time; {help}");
    time::seconds(text).map(Duration::from_secs).map_err(wrong)
}

/// A parser for whole numbers from `least` on, up to `most`.
pub(super) fn number(least: u64, most: u64) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| match most {
            u64::MAX => format!("write a whole number of at least {least}"),
            most => format!("write a whole number from {least} to {most}"),
        })
    }
}
