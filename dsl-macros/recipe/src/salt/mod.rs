//! Salt states: SLS files, which Jinja renders to YAML.
//!
//! **Writes.** The value of `pillar['heat_outputs_path']` followed by `.NAME`, anywhere except in a comment: as the name of
//! a file, in a command, joined by `~`, or assigned to a variable by `{% set %}`. All forms of access to the pillar count
//! (`pillar.x`, `pillar.get('x')`, `salt['pillar.get']('x')`), and so do `$heat_outputs_path.NAME` and `wattle set` in
//! commands.
//!
//! **Reads.** The same forms of access with any other key (for `redis:port`, the first part), `contents_pillar` and similar
//! arguments, and `wattle get` in commands. Any other included file is read as a template.
//!
//! **Dynamic.** Computed keys and names; the pillar as a whole; `include:`, `salt://` and Jinja's `import` of files that
//! are not available; renderers other than Jinja, YAML and JSON; modules in Python.
//!
//! **Malformed** are unclosed Jinja braces, unbalanced blocks, and a file without Jinja that is not YAML.
//!
//! **Not recognised.** Outputs written by custom states in another way.

mod code;
mod outputs;
mod shells;
mod uses;
mod variables;

use crate::analysis::{Analysis, FileOutline, SyntaxError};
use crate::jinja::{Piece, pieces};
use crate::names::{OUTPUTS_PATH, is_identifier, leading_identifier, line_feeds};
use crate::{ansible, embedded, jinja};
use outputs::Values;

/// The naming rule for a state's file, as a sentence.
pub const NAMING: &str = "the name of a Salt state ends in `.sls`, in lower case, and has no other dot and no comma";

/// The folder in which Salt must look for the state in `file`, and the state's name there; `None` if Salt cannot find
/// it, see [`NAMING`]. `redis/init.sls` is the state `redis`.
pub fn state(file: &str) -> Option<(&str, &str)> {
    let path = file.strip_suffix(".sls")?;
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (folder, name) = match (name, folder.rsplit_once('/')) {
        ("init", Some(above)) => above,
        ("init", None) if !folder.is_empty() => ("", folder),
        _ => (folder, name),
    };
    (!name.is_empty() && !name.contains(['.', ','])).then_some((folder, name))
}

pub(crate) fn outline(source: &str) -> Result<FileOutline, SyntaxError> {
    let mut found = FileOutline::default();
    let renderers = source.lines().next().and_then(|line| line.strip_prefix("#!")).unwrap_or("jinja|yaml");
    let is_known = |renderer: &str| ["jinja", "yaml", "json"].contains(&renderer.trim());
    let is_raw =
        pieces(source, 1).iter().any(|(piece, _)| matches!(piece, Piece::Statement(code) if word(code) == "raw"));
    if is_raw || !renderers.split('|').all(is_known) {
        found.analysis.anything();
        found.names.anything = true;
        return Ok(found);
    }
    if !["{{", "{%", "{#"].iter().any(|opening| source.contains(opening)) {
        ansible::is_yaml(source)?;
    }
    if let Some(fault) = jinja::unclosed(source, 1) {
        return Err(fault);
    }
    code::balanced(source)?;
    template(source, &mut found);
    let text = Values::default().text(source, &mut found.analysis);
    embedded::writes(&text, 1, &mut found.analysis);
    uses::of_text(&text, &mut found);
    shells::note(source, &mut found);
    variables::note(source, &mut found.names);
    found.analysis.reads.remove(OUTPUTS_PATH);
    Ok(found)
}

/// Adds the reads of a file that states use as a template.
pub(crate) fn template(source: &str, into: &mut FileOutline) {
    into.names.set(OUTPUTS_PATH);
    if ["__pillar__", "__salt__", "__opts__"].iter().any(|name| source.contains(name)) {
        into.analysis.anything();
        into.names.anything = true;
    }
    for (piece, line) in pieces(source, 1) {
        if let Piece::Expression(code) | Piece::Statement(code) = piece {
            // `{% if pillar.get('key') %}` tests whether the key exists.
            let asks =
                matches!(piece, Piece::Statement(_)) && matches!(word(code), "if" | "elif") && code.contains("get");
            code::reads(code, line, asks, into);
            if matches!(piece, Piece::Statement(_)) {
                uses::imports(code, line, into);
            }
        }
    }
}

/// The first word of a statement.
fn word(code: &str) -> &str {
    leading_identifier(code.trim_start_matches(|c: char| c.is_whitespace() || c == '-' || c == '+'))
}

/// Records a read of the pillar's value at `key`: for `redis:port`, all of `redis`.
fn read(key: &str, line: u32, into: &mut Analysis) {
    match key.split(':').next() {
        Some(name) if is_identifier(name) => into.read(name, line),
        _ => into.dynamic_reads = true,
    }
}

/// Line feeds that preserve the line numbers of the following text.
fn feeds(text: &str) -> String {
    "\n".repeat(line_feeds(text) as usize)
}
