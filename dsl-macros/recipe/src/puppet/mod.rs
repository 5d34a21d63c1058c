//! Puppet manifests.
//!
//! **Writes.** A text that contains `heat_outputs_path` followed by `.NAME`, as a resource's title or as an attribute that
//! is not known to be read-only (`source`, `creates`, `require`, …). The prefix is `$facts['heat_outputs_path']`,
//! `$::heat_outputs_path`, `$heat_outputs_path`, `fact('heat_outputs_path')` or a variable to which one of these is
//! assigned; in a text or joined to one by `+`. Commands of `exec` are analysed as shell scripts, so `wattle set` counts. A
//! variable in a name is followed to the constants assigned to it, or iterated over by `each`: `['url', 'port'].each
//! |$name| { file { "${path}.${name}": … } }` writes two.
//!
//! **Reads.** Every variable, as `$port`, `$::port`, `$db2::port` (its last part), also as a parameter of a class;
//! `$facts['port']`, `lookup('port')`, `hiera('db2::port')`, `fact('port')`, `getvar('port')`; all of these inside texts
//! too.
//!
//! **Dynamic.** Names that do not resolve to constants; the bare prefix as an argument of a resource or function; classes
//! and defined types that no available file defines; lookups of computed names; `inputs.json`. A template that is not
//! available makes reads dynamic.
//!
//! **Not recognised.** Types and functions in Ruby that write outputs by themselves; unreachable code. Grammar beyond
//! texts, comments and brackets is left to Puppet: only unclosed constructs are errors here.

mod facts;
mod idle;
mod lexer;
mod looked_up;
mod manifest;
mod scope;
mod shown;
mod values;

use crate::analysis::{Analysis, FileOutline, SyntaxError};
use crate::names::OUTPUTS_PATH;
use crate::shown::Shown;

pub(crate) fn outline(source: &str) -> Result<FileOutline, SyntaxError> {
    let tokens = lexer::tokens(source, 1)?;
    lexer::balanced(&tokens)?;
    let mut outline = manifest::judge(&tokens);
    outline.analysis.reads.remove(OUTPUTS_PATH);
    outline.idle = idle::all(&tokens);
    Ok(outline)
}

/// The first place at which a manifest shows one of these secrets in its log.
pub(crate) fn shown(source: &str, secrets: &[&str]) -> Option<Shown> {
    shown::first(&lexer::tokens(source, 1).ok()?, secrets)
}

/// The reads of an EPP template, whose `<% %>` is Puppet.
pub(crate) fn template(source: &str) -> Analysis {
    let mut code = String::new();
    let mut rest = source;
    while let Some(open) = rest.find("<%") {
        code.extend(rest[..open].chars().filter(|c| *c == '\n'));
        let inside = &rest[open + 2..];
        let close = inside.find("%>").unwrap_or(inside.len());
        if !inside.starts_with(['%', '#']) {
            code.push_str(inside[..close].trim_matches(['=', '-']));
        }
        code.push(' ');
        rest = inside.get(close + 2..).unwrap_or_default();
    }
    let mut analysis = Analysis::default();
    match lexer::tokens(&code, 1) {
        Ok(tokens) => {
            let found = manifest::judge(&tokens).analysis;
            analysis.reads = found.reads;
            analysis.dynamic_reads = found.dynamic_reads;
        }
        Err(_) => analysis.dynamic_reads = true,
    }
    analysis
}
