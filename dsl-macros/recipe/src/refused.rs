//! Reasons to refuse a recipe before it is included, worded for its home: a blueprint's crate, or a template.

use wattle_words::names::join;

use crate::analysis::SyntaxError;
use crate::tool::Tool;
use crate::whole::{FileError, used_files};

/// A fault of a recipe, and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The fault, without a full stop.
    pub message: String,
    /// How to fix it.
    pub help: String,
}

/// The home of a recipe's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// A crate. Recipes start at its root.
    Crate,
    /// A template. Recipes start in its folder.
    Template,
}

/// A file that its tool would reject; `what` is its role, such as `recipe`.
pub fn malformed(what: &str, tool: Tool, error: &FileError) -> Refusal {
    malformed_text(&format!("the {what} `{}`", error.path), tool, &error.error)
}

/// The same for a text that is not a separate file. `subject` is its name.
pub fn malformed_text(subject: &str, tool: Tool, error: &SyntaxError) -> Refusal {
    Refusal {
        message: format!("{subject} is malformed at line {}: {}", error.line, error.message),
        help: format!("{} would refuse it too", tool.program()),
    }
}

/// Windows line endings: a shell treats the carriage return as part of the last word.
pub fn line_ends(what: &str, path: &str, content: &[u8]) -> Option<Refusal> {
    let minds = content.windows(2).any(|pair| pair == b"\r\n") && Tool::of_path(path)?.minds_carriage_returns();
    minds.then(|| Refusal {
        message: format!("the {what} `{path}` has Windows line endings"),
        help: "save it with Unix line endings (LF)".into(),
    })
}

/// A program that is not text.
pub fn not_text(what: &str, path: &str) -> Refusal {
    Refusal { message: format!("the {what} `{path}` is not UTF-8 text"), help: "save it as UTF-8".into() }
}

/// A teardown that the recipe's own tool does not run.
pub fn other_tool(teardown: &str, tool: Tool, recipe: &str) -> Refusal {
    Refusal {
        message: format!("the teardown `{teardown}` is not run by the tool of the recipe `{recipe}`"),
        help: format!("one tool runs both: write a teardown that ends in `.{}`", tool.ending()),
    }
}

/// A teardown that is the recipe itself.
pub fn same(teardown: &str) -> Refusal {
    Refusal {
        message: format!("the teardown `{teardown}` is the recipe itself"),
        help:
            "write a separate file: a teardown undoes what the recipe did, once the component is no longer in the model"
                .into(),
    }
}

/// Each file that a recipe of `tool` uses and that is not in `files`, although it `exists` or nothing else could provide
/// it.
pub fn left_behind<'a>(
    home: Home,
    tool: Tool,
    entries: &[&str],
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
    exists: &dyn Fn(&str) -> bool,
) -> Vec<Refusal> {
    let mut noted: Vec<String> = Vec::new();
    let mut refusals = Vec::new();
    for used in used_files(tool, entries, files) {
        let place = used.places.iter().find(|place| exists(place));
        let Some(named) = place.or_else(|| used.places.first().filter(|_| used.is_needed)) else { continue };
        if noted.contains(named) {
            continue;
        }
        noted.push(named.clone());
        let (by, line) = (&used.by, used.line);
        refusals.push(if place.is_some() {
            let key = match home {
                Home::Crate => format!("`files = [\"{named}\"]`"),
                Home::Template => format!("`files: [{named}]`"),
            };
            Refusal {
                message: format!("`{by}` uses `{named}` on line {line}, which is not listed in `files`"),
                help: format!("add it next to the recipe: {key}"),
            }
        } else {
            let others = join(used.places[1..].iter().map(|place| format!("`{place}`")), "or");
            let nor = if others.is_empty() { others } else { format!("; nor is {others}") };
            let place = match home {
                Home::Crate => "in the crate",
                Home::Template => "in the folder of the template",
            };
            Refusal {
                message: format!("`{by}` uses `{named}` on line {line}, which is not {place}{nor}"),
                help: lacking(home, tool, by, named, exists),
            }
        });
    }
    refusals
}

/// How to provide a file that is missing where `by` looks for it.
fn lacking(home: Home, tool: Tool, by: &str, named: &str, exists: &dyn Fn(&str) -> bool) -> String {
    let folder = by.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = format!("{folder}/{named}");
    match tool {
        // A recipe starts at the root of the files, wherever its own file is.
        Tool::Shell if !folder.is_empty() && exists(&beside) => {
            let root = match home {
                Home::Crate => "at the root of the crate",
                Home::Template => "in the folder of the template",
            };
            format!(
                "a recipe starts {root}, not in its own folder: for `{beside}` write \
                 `\"$(dirname \"$0\")/{named}\"`, and add the file to `files`"
            )
        }
        Tool::Shell => "create it, and add it to `files`; if something else creates it, first test whether it exists: \
                        `[ -e FILE ]`"
            .to_owned(),
        Tool::Chef => "create it: the whole cookbook is included".to_owned(),
        Tool::Ansible | Tool::Puppet | Tool::Salt => "create it, and add it to `files`".to_owned(),
    }
}
