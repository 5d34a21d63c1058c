//! What `--help` shows besides the options: settings, parameters, examples and exit codes.

use clap::builder::{StyledStr, Styles};

use crate::author::{Blueprint, Exports, Parameters, Setting, Topology};
use crate::manners::{Exit, all_exit_codes, panic_exit_code};
use crate::model::{IndexMap, Name, Parameter};
use crate::shown::one_line;

use super::shape::{self, Shape, Step};

/// The first paragraph of some documentation, on one line.
pub(super) fn first_paragraph(text: &str) -> String {
    let lines = text.trim().lines().map(str::trim).take_while(|line| !line.is_empty());
    one_line(&lines.collect::<Vec<_>>().join(" "))
}

/// Whether the blueprint has a parameter of this name.
pub(super) fn is_parameter<B: Blueprint>(name: &str) -> bool {
    parameters::<B>().contains_key(name)
}

fn parameters<B: Blueprint>() -> IndexMap<Name, Parameter> {
    let mut t = Topology::new(B::NAME);
    B::Parameters::declare(&mut t);
    t.finish(Exports::new()).parameters
}

/// The names of a blueprint's settings, and the values that each accepts.
fn settings<B: Blueprint>() -> Vec<(&'static str, Shape)> {
    match shape::at::<B::Config>(&[]).shape {
        Shape::Settings(names) => {
            names.iter().map(|&name| (name, shape::at::<B::Config>(&[Step::Key(name.into())]).shape)).collect()
        }
        _ => Vec::new(),
    }
}

/// The help below the options.
pub(super) fn after<B: Blueprint>() -> StyledStr {
    let settings = settings::<B>();
    let mut sections = Vec::new();
    if !settings.is_empty() {
        let rows = settings.iter().map(|(name, shape)| ((*name).to_owned(), setting(name, *shape, B::SETTINGS)));
        sections.push(("Settings (chosen while building, with --set or --config)", table(rows)));
    }
    let parameters = parameters::<B>();
    if !parameters.is_empty() {
        let rows = parameters.iter().map(|(name, parameter)| (name.to_string(), describe(parameter)));
        sections.push(("Parameters (chosen at deployment, in environment.yaml)", table(rows)));
    }
    sections.push(("Examples", examples(B::NAME, &settings)));
    sections.push(("Exit codes", format!("{}\n{}", all_exit_codes(&EXIT_CODES), panic_exit_code())));
    let header = *Styles::styled().get_header();
    let sections = sections.into_iter().map(|(title, text)| format!("{header}{title}:{header:#}\n{}", text.trim_end()));
    StyledStr::from(sections.collect::<Vec<_>>().join("\n\n"))
}

/// The exit codes with a special meaning in the program of a blueprint.
const EXIT_CODES: [(Exit, &str); 2] = [
    (Exit::Failed, "the model has errors; nothing was written"),
    (Exit::Usage, "wrong usage: an option, a setting or a code that does not exist or fit; nothing was written"),
];

/// The description of a setting, the values that it accepts, and its default.
fn setting(name: &str, shape: Shape, known: &[Setting]) -> String {
    // serde may use another name than the author: `node-count` for `node_count`.
    let folded = |name: &str| name.replace(['-', '_'], "").to_lowercase();
    let Some(known) = known.iter().find(|known| folded(known.name) == folded(name)) else { return shape.to_string() };
    // Each line is one paragraph.
    let doc = known.doc.lines().next().unwrap_or_default().trim_end_matches('.');
    let text = if doc.is_empty() { shape.to_string() } else { format!("{doc} ({shape})") };
    let word = |default| match shape {
        Shape::Choice(words) => words.iter().copied().find(|word| folded(word) == folded(default)),
        _ => Some(default),
    };
    match known.default.and_then(word) {
        Some("") => format!("{text} [default: empty]"),
        Some(default) => format!("{text} [default: {default}]"),
        None => text,
    }
}

fn describe(parameter: &Parameter) -> String {
    let text = first_paragraph(&parameter.description);
    let text = if text.is_empty() { parameter.ty.to_string() } else { text };
    match &parameter.default {
        None => format!("{text} [required]"),
        Some(_) if parameter.is_hidden() => format!("{text} [has a default]"),
        Some(default) => format!("{text} [default: {default}]"),
    }
}

/// The width, in columns, of the sections that clap does not write.
const WIDTH: usize = 98;

/// Rows of two columns, with the second one wrapped. Control characters are shown as escapes.
fn table(rows: impl Iterator<Item = (String, String)>) -> String {
    let rows: Vec<_> = rows.map(|(name, what)| (one_line(&name), one_line(&what))).collect();
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, what) in rows {
        text.extend([format!("  {name:width$} ")]);
        let mut column = width + 3;
        for word in what.split(' ') {
            let length = word.chars().count() + 1;
            if column + length > WIDTH && column > width + 3 {
                text.extend(["\n", &" ".repeat(width + 3)]);
                column = width + 3;
            }
            text.extend([" ", word]);
            column += length;
        }
        text.push('\n');
    }
    text
}

fn examples(name: &str, settings: &[(&str, Shape)]) -> String {
    let setting = settings.iter().find_map(|(name, shape)| {
        let value = match shape {
            Shape::Integer { .. } => "3",
            Shape::Boolean => "true",
            Shape::Choice(words) => words.first()?,
            _ => return None,
        };
        Some(format!(" --set {name}={value}"))
    });
    let rows = [
        (name.to_owned(), format!("writes out/{name}/template.yaml, environment.yaml, seed.yaml and graph.json")),
        (
            format!("{name}{} --out build", setting.unwrap_or_default()),
            format!("with options: the files go to build/{name}/"),
        ),
        (format!("{name} --format json"), "the template as JSON".into()),
        (format!("{name} check --format concise"), "one line per error or warning, and no files".into()),
        (format!("{name} explain W0101"), "what the code means, with an example".into()),
    ];
    let through_cargo =
        format!("  Through cargo: `cargo run --` for `{name}`, `cargo run --example {name} --` for an example.");
    format!("{}\n{through_cargo}", table(rows.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::{Setting, Shape, first_paragraph, setting, table};

    #[test]
    fn what_turns_the_text_round_is_not_printed() {
        let text = "abc \u{202e}def\u{2066}\nmore\n\nelse";
        assert_eq!(first_paragraph(text), r"abc \u{202e}def\u{2066} more");
        assert_eq!(table(std::iter::once(("size".to_owned(), text.to_owned()))).matches(r"\u{202e}").count(), 1);
        assert!(!table(std::iter::once(("size".to_owned(), text.to_owned()))).contains('\u{202e}'));
    }

    #[test]
    fn a_setting_is_shown_with_its_text_and_its_default() {
        let nodes = Setting { name: "node_count", doc: "How many nodes.\nNever none.", default: Some("2") };
        let size = Setting { name: "size", doc: "", default: Some("Small") };
        let known = [nodes, size];
        let integer = Shape::Integer { min: 0, max: 255 };
        assert_eq!(
            setting("node-count", integer, &known),
            "How many nodes (an integer between 0 and 255) [default: 2]"
        );
        assert_eq!(setting("size", Shape::Choice(&["large", "small"]), &known), "`large` or `small` [default: small]");
        assert_eq!(setting("size", Shape::Choice(&["large"]), &known), "`large`", "another name than serde's");
        assert_eq!(setting("other", Shape::Text, &known), "text");
    }
}
