//! `graph`: the format of a diagram, and its destination.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches};

use crate::diagram::{self, Diagram};
use crate::manners::{CommandError, reason};
use crate::names::join;

use super::args::one_of;
use super::tree;

/// How a diagram is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagramFormat {
    /// Graphviz's language.
    Dot,
    /// Mermaid's language.
    Mermaid,
    /// An image.
    Svg,
    /// A page to explore the diagram in.
    Html,
    /// The data.
    Json,
}

/// Each format with its name and the file extensions that select it, the usual one first.
const FORMATS: [(DiagramFormat, &str, &[&str]); 5] = [
    (DiagramFormat::Dot, "dot", &["dot", "gv"]),
    (DiagramFormat::Mermaid, "mermaid", &["mmd", "mermaid"]),
    (DiagramFormat::Svg, "svg", &["svg"]),
    (DiagramFormat::Html, "html", &["html", "htm"]),
    (DiagramFormat::Json, "json", &["json"]),
];

/// A requested diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// Its format.
    pub format: DiagramFormat,
    /// The file; the standard output if `None`.
    pub out: Option<PathBuf>,
}

/// The options of `graph`.
pub fn drawing_args() -> [Arg; 2] {
    [
        Arg::new("format")
            .long("format")
            .value_name("FORMAT")
            .value_parser(one_of(FORMATS.map(|(format, name, _)| (name, format))))
            .help("Output format [default: from the extension of --out, else dot]"),
        Arg::new("out")
            .long("out")
            .short('o')
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .help("File to write to [default: standard output]"),
    ]
}

/// Reads the values of [`drawing_args`].
///
/// # Errors
/// If no format is given and the file's extension does not determine one.
pub fn drawing(matches: &ArgMatches) -> Result<Drawing, CommandError> {
    let out: Option<PathBuf> = matches.get_one::<PathBuf>("out").filter(|out| *out != Path::new("-")).cloned();
    let given = matches.get_one::<DiagramFormat>("format").copied();
    let format = match (given, &out) {
        (Some(format), _) => format,
        (None, None) => DiagramFormat::Dot,
        (None, Some(out)) => of_ending(out).ok_or_else(|| {
            CommandError::usage(format!("the extension of `{}` does not name a format", out.display())).help(format!(
                "give `--format` {}, or a file that ends in {}",
                join(FORMATS.map(|(_, name, _)| name.to_owned()), "or"),
                join(FORMATS.map(|(.., endings)| format!(".{}", endings[0])), "or"),
            ))
        })?,
    };
    Ok(Drawing { format, out })
}

fn of_ending(file: &Path) -> Option<DiagramFormat> {
    let ending = file.extension()?.to_str()?.to_ascii_lowercase();
    FORMATS.into_iter().find(|(_, _, endings)| endings.contains(&&*ending)).map(|(format, ..)| format)
}

impl Drawing {
    /// The diagram in the requested format.
    ///
    /// # Errors
    /// If it is a page and the crate was built without the feature `page`.
    pub fn draw(&self, diagram: &Diagram) -> Result<String, CommandError> {
        let framed = diagram.framed();
        Ok(match self.format {
            DiagramFormat::Dot => diagram::dot(&framed),
            DiagramFormat::Mermaid => diagram::mermaid(&framed),
            DiagramFormat::Svg => diagram::svg(&framed),
            DiagramFormat::Html => page(&framed)?,
            DiagramFormat::Json => diagram.to_pretty_json(),
        })
    }

    /// Writes `drawn` to the requested file, and returns the text for the standard output: a message about the file, or
    /// otherwise `drawn` itself.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, drawn: String) -> Result<String, CommandError> {
        let Some(out) = &self.out else { return Ok(drawn) };
        fs::write(out, &drawn).map_err(|error| {
            let failure = CommandError::files(format!("cannot write `{}`: {}", out.display(), reason(&error)));
            failure.help("`-o FILE` chooses another file; its folder must exist")
        })?;
        Ok(format!("{}  {}\n", out.display(), tree::size(drawn.len() as u64)))
    }
}

#[cfg(feature = "page")]
#[expect(clippy::unnecessary_wraps, reason = "without the feature there is no page")]
fn page(diagram: &Diagram) -> Result<String, CommandError> {
    Ok(diagram::html(diagram))
}

#[cfg(not(feature = "page"))]
fn page(_: &Diagram) -> Result<String, CommandError> {
    Err(CommandError::usage("this program was built without the layout engine for pages")
        .help("build it with the feature `page` of `wattle`: `cargo run --features wattle/page -- graph -o shop.html`")
        .help("or draw what it emitted: `wattle graph out/shop -o shop.html`"))
}
