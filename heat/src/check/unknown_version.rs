//! W1002: a missing or unknown version.

use wattle_model::names::meant;

use crate::template::Version;
use crate::yaml::Span;

use super::Sink;
use super::registry::check;

check! {
    /// Heat reads a template by the rules of the HOT version that it names. Heat refuses a template that names no
    /// version or an unknown one.
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-61
    /// resources: {}
    /// ```
    ///
    /// Name a version that exists:
    ///
    /// ```yaml
    /// heat_template_version: 2021-04-16
    /// resources: {}
    /// ```
    ///
    /// Heat's other formats (`AWSTemplateFormatVersion`, `HeatTemplateFormatVersion`) are not supported here.
    UNKNOWN_VERSION: "W1002", Error, "a missing or unknown HOT version", Sent(run)
}

/// Keys that name the version of another format.
const OTHERS: [&str; 2] = ["AWSTemplateFormatVersion", "HeatTemplateFormatVersion"];

/// Dates resemble each other, so a guess must at least be of the same year.
fn help(text: &str) -> String {
    let year = text.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit())).unwrap_or_default();
    let known = Version::names().filter(|name| name.starts_with(year));
    meant(text, known).unwrap_or_else(|| format!("the newest version is `{}`", Version::default()))
}

fn run(sink: &mut Sink<'_>) {
    let template = sink.template();
    let root = &template.root;
    // A text that is not a map is reported as such.
    if template.version.is_some() || sink.loaded.unreadable.is_some() || root.is_other_than_map() {
        return;
    }
    let diagnostic = if let Some(node) = root.get("heat_template_version") {
        let at = sink.at(node.span);
        match node.tree.as_text() {
            Some(text) => UNKNOWN_VERSION
                .diagnostic(format!("there is no version `{text}` of HOT"))
                .label(&at, "Heat does not know this version")
                .help(help(text)),
            None => UNKNOWN_VERSION
                .diagnostic(format!("the version is {} instead of a date or a release", node.tree.kind()))
                .label(&at, "the version is set here")
                .help(format!("write `{}`", Version::default())),
        }
    } else if let Some((key, node)) = OTHERS.iter().find_map(|key| Some((key, root.get(key)?))) {
        UNKNOWN_VERSION
            .diagnostic(format!("this template has another format (`{key}`), which is not supported"))
            .label(&sink.at(node.span), "the version of CloudFormation's format")
            .help(format!("write it as HOT, with `heat_template_version: {}`", Version::default()))
    } else {
        UNKNOWN_VERSION
            .diagnostic("the template does not name the version of HOT in which it is written")
            .label(&sink.at(Span::default()), "`heat_template_version` is missing")
            .help(format!("begin with `heat_template_version: {}`", Version::default()))
    };
    sink.push(diagnostic);
}
