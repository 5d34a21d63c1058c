//! Programs inside recipes: the Python of a heredoc, the Perl of a `-e`, the Ruby of a template.
//!
//! They are not parsed. A read of the environment is recognised by the syntax of common languages; an output by
//! `heat_outputs_path`, followed by characters that close or join strings, and `.NAME`. If `heat_outputs_path` occurs in
//! any other way, such a program may write any output.

use crate::analysis::Analysis;
use crate::names::{OUTPUTS_PATH, is_output, is_output_byte, leading_identifier, line_feeds};

/// The syntax of a read of an environment variable in several languages, up to its name.
const ENVIRONMENT: [&str; 12] = [
    "environ[",
    "environ.get(",
    "getenv(",
    "ENV[",
    "ENV.fetch(",
    "$ENV{",
    "ENVIRON[",
    "process.env.",
    "process.env[",
    "env::var(",
    "System.getenv(",
    "$env:",
];

/// Names that an embedded program reads from its environment.
pub(crate) fn reads(text: &str, line: u32, into: &mut Analysis) {
    for spelling in ENVIRONMENT {
        for (at, _) in text.match_indices(spelling) {
            let line = line.saturating_add(line_feeds(&text[..at]));
            let rest = &text[at + spelling.len()..];
            let name = rest.trim_start_matches([' ', '"', '\'', ':', '`']);
            let constant = !spelling.ends_with(['[', '(']) || name.len() < rest.trim_start_matches(' ').len();
            match leading_identifier(name) {
                name if constant && !name.is_empty() => into.read(name, line),
                _ => into.dynamic_reads = true,
            }
        }
    }
    let whole = ["dict(os.environ", "os.environ.items", "**os.environ", "ENV.to_h", "inputs.json"];
    into.dynamic_reads |= whole.iter().any(|spelling| text.contains(spelling));
}

/// Outputs that an embedded program writes.
pub(crate) fn writes(text: &str, line: u32, into: &mut Analysis) {
    for (at, _) in text.match_indices(OUTPUTS_PATH) {
        let line = line.saturating_add(line_feeds(&text[..at]));
        match suffix(&text[at + OUTPUTS_PATH.len()..]) {
            Some(name) => into.write(name, line),
            None => into.dynamic_writes = true,
        }
    }
    for (at, call) in text.match_indices("wattle") {
        wattle_call(&text[at + call.len()..], line.saturating_add(line_feeds(&text[..at])), into);
    }
}

/// `.NAME` after characters that close and join strings.
fn suffix(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches(['"', '\'', '`', ']', ')', '}', ' ', '+', ',']);
    // Perl and PHP concatenate strings with a dot: `$ENV{heat_outputs_path} . ".url"`.
    let joined = rest
        .strip_prefix('.')
        .map(|rest| rest.trim_start_matches(' '))
        .filter(|rest| rest.starts_with("\".") || rest.starts_with("'."));
    let rest = joined.map_or(rest, |rest| &rest[1..]).strip_prefix('.')?;
    let end = rest.bytes().position(|byte| !is_output_byte(byte)).unwrap_or(rest.len());
    let name = &rest[..end];
    let computed = rest[end..].starts_with(['(', '$', '{', '%']) || rest[end..].starts_with("#{");
    (is_output(name) && !computed).then_some(name)
}

/// `["wattle", "set", "url", ...]` and `wattle set url` in any language.
fn wattle_call(rest: &str, line: u32, into: &mut Analysis) {
    let joints: &[char] = &['"', '\'', '`', ',', ' '];
    let Some(rest) = rest.trim_start_matches(joints).strip_prefix("set") else { return };
    if !rest.starts_with(joints) {
        return;
    }
    let rest = rest.trim_start_matches(joints);
    let end = rest.bytes().position(|byte| !is_output_byte(byte)).unwrap_or(rest.len());
    if is_output(&rest[..end]) && rest[end..].starts_with(['"', '\'', '`', ' ', '=']) {
        into.write(&rest[..end], line);
    } else {
        into.dynamic_writes = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> (Vec<String>, bool) {
        let mut analysis = Analysis::default();
        writes(text, 1, &mut analysis);
        (analysis.writes.into_keys().collect(), analysis.dynamic_writes)
    }

    #[test]
    fn suffixes_of_many_languages_are_outputs() {
        for text in [
            r#"open(os.environ["heat_outputs_path"] + ".url", "w")"#,
            r"open(os.environ['heat_outputs_path']+'.url','w')",
            r#"open(os.getenv("heat_outputs_path") + ".url", "w")"#,
            r#"open(f"{os.environ['heat_outputs_path']}.url", "w")"#,
            r##"File.write("#{ENV['heat_outputs_path']}.url", x)"##,
            r#"File.write(ENV.fetch("heat_outputs_path") + ".url", x)"#,
            r#"open(F, ">", "$ENV{heat_outputs_path}.url")"#,
            r#"open(F, ">", $ENV{heat_outputs_path} . ".url")"#,
            "fs.writeFileSync(`${process.env.heat_outputs_path}.url`, x)",
            r#"subprocess.run(["wattle", "set", "url", value])"#,
            r#"os.system("wattle set url=" + value)"#,
        ] {
            assert_eq!(written(text), (vec!["url".to_owned()], false), "{text}");
        }
    }

    #[test]
    fn anything_else_is_dynamic() {
        for text in [
            r#"base = os.environ["heat_outputs_path"]"#,
            r#"open(os.environ["heat_outputs_path"] + "." + name, "w")"#,
            r#"open(os.environ["heat_outputs_path"].strip() + ".url", "w")"#,
            r#"open(f"{os.environ['heat_outputs_path']}.{name}", "w")"#,
            r#"open("%s.url" % os.environ["heat_outputs_path"], "w")"#,
            r#"subprocess.run(["wattle", "set", name, value])"#,
        ] {
            assert_eq!(written(text), (vec![], true), "{text}");
        }
    }

    #[test]
    fn environments_are_read() {
        let mut analysis = Analysis::default();
        reads(
            "import os\na = os.environ[\"a\"]\nb = os.getenv('b')\nENV.fetch(:c) ENV['d'] $ENV{e} process.env.f",
            10,
            &mut analysis,
        );
        let reads: Vec<_> = analysis.reads.iter().map(|(name, line)| (name.as_str(), *line)).collect();
        assert_eq!(reads, [("a", 11), ("b", 12), ("c", 13), ("d", 13), ("e", 13), ("f", 13)]);
        assert!(!analysis.dynamic_reads);
    }

    #[test]
    fn computed_environments_are_dynamic() {
        for text in ["os.environ[name]", "open('inputs.json')", "dict(os.environ)"] {
            let mut analysis = Analysis::default();
            reads(text, 1, &mut analysis);
            assert!(analysis.dynamic_reads && analysis.reads.is_empty(), "{text}");
        }
    }
}
