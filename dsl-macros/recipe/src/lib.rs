//! What a recipe reads and writes, determined from its text alone.
//!
//! A component declares inputs and outputs; its recipe is a shell script, an Ansible playbook, a Puppet manifest, a
//! Chef cookbook or a Salt state. [`analyse`] (one file) and [`analyse_all`] (a recipe of several files) say which names the recipe
//! writes and reads; [`never_written`], [`never_read`] and [`suggest`] compare that with the declaration.
//!
//! The results are one-sided on purpose, because they become compile errors. Where a recipe computes names, or runs
//! code that was not given, [`Analysis::dynamic_writes`] and [`Analysis::dynamic_reads`] say so, and nothing is claimed
//! to be missing. What each tool's analysis recognises is in the documentation of [`shell`], [`ansible`], [`puppet`],
//! [`chef`] and [`salt`].
//!
//! Nothing here does I/O: the caller reads the files. No input makes it panic or overflow the stack.

mod analysis;
pub mod ansible;
pub mod chef;
mod compare;
mod embedded;
pub mod environment;
mod failures;
mod files;
mod idle;
mod jinja;
mod lookup;
mod names;
pub mod puppet;
pub mod refused;
pub mod salt;
pub mod shell;
mod shown;
mod texts;
mod tool;
mod unnoticed;
mod whole;

pub use analysis::{Analysis, SyntaxError};
pub use chef::path::{ChefRecipe, ChefRecipeError, chef_recipe_path};
pub use compare::{never_read, never_written, suggest};
pub use failures::{Unnoticed, Why};
pub use files::UsedFile;
pub use idle::{Definition, NeverRun, never_run};
pub use lookup::UnknownName;
pub use shown::{How, Shown, shows};
pub use tool::Tool;
pub use unnoticed::goes_on_after;
pub use whole::{FileError, analyse_all, analyse_run, unknown_names, used_files};

use analysis::FileOutline;

/// What one recipe file reads and writes.
///
/// Code that the file includes or runs is not known here, so it makes the result dynamic; [`analyse_all`] reads such
/// files too.
///
/// # Errors
///
/// The tool itself would refuse the file as malformed.
pub fn analyse(tool: Tool, source: &str) -> Result<Analysis, SyntaxError> {
    Ok(outline(tool, source)?.among(&[]))
}

fn outline(tool: Tool, source: &str) -> Result<FileOutline, SyntaxError> {
    match tool {
        Tool::Shell => shell::outline(source),
        Tool::Ansible => ansible::outline(source),
        Tool::Puppet => puppet::outline(source),
        Tool::Chef => chef::outline(source),
        Tool::Salt => salt::outline(source),
    }
}

/// Refuses a file with which `tool` cannot begin, although it may look like one of its recipes.
fn begins(tool: Tool, source: &str) -> Result<(), SyntaxError> {
    match tool {
        Tool::Ansible => ansible::is_playbook(source),
        Tool::Shell | Tool::Puppet | Tool::Chef | Tool::Salt => Ok(()),
    }
}

/// What a file that is not a recipe of `tool` adds when it is included with one.
fn beside(tool: Tool, source: &str, into: &mut FileOutline) {
    match tool {
        // Salt renders any file that a state names.
        Tool::Salt => salt::template(source, into),
        Tool::Shell | Tool::Ansible | Tool::Puppet | Tool::Chef => {}
    }
}

/// Whether the file at `path` has variables as data, when it is included with a recipe of `tool`.
fn is_data(tool: Tool, path: &str) -> bool {
    match names::extension(path) {
        Some("json") => matches!(tool, Tool::Ansible | Tool::Puppet),
        Some("yml" | "yaml") => tool == Tool::Puppet,
        _ => false,
    }
}

/// The names that such a file sets.
fn data(source: &str) -> lookup::Names {
    let mut names = lookup::Names::default();
    ansible::data(source, &mut names);
    names
}

/// Whether the file at `path` may set any name for a recipe of `tool`, in ways that are not followed.
fn gives_names(tool: Tool, path: &str) -> bool {
    let folders = match tool {
        // Custom modules and plugins return facts; files of variables may have no extension.
        Tool::Ansible => ["library", "action_plugins", "vars_plugins", "group_vars", "host_vars"].as_slice(),
        Tool::Puppet => ["facter", "facts.d", "functions"].as_slice(),
        Tool::Chef => ["libraries", "ohai"].as_slice(),
        Tool::Salt => ["_modules", "_grains", "_pillar"].as_slice(),
        Tool::Shell => &[],
    };
    Tool::of_path(path) != Some(Tool::Ansible) && path.split('/').rev().skip(1).any(|part| folders.contains(&part))
}

/// How a recipe of `tool` reads the input `name`, as code; nothing where that is its name.
pub fn reading(tool: Tool, name: &str) -> Option<String> {
    match tool {
        Tool::Shell | Tool::Ansible => None,
        Tool::Puppet => Some(format!("lookup('{name}')")),
        Tool::Chef => Some(format!("node['{}']", name.replace('/', "']['"))),
        Tool::Salt => Some(format!("pillar['{name}']")),
    }
}

/// How a recipe of `tool` reads the optional input `name`, as code.
pub fn sparing(tool: Tool, name: &str) -> String {
    match tool {
        Tool::Shell => format!("${{{name}:-}}"),
        Tool::Ansible => format!("{{{{ {name} | default('') }}}}"),
        Tool::Puppet => format!("lookup('{name}', {{ default_value => undef }})"),
        Tool::Chef => format!("node.read('{}')", name.replace('/', "', '")),
        Tool::Salt => format!("pillar.get('{name}', '')"),
    }
}

/// How the text of `recipe`, which `tool` runs, would write the output of this name, as an instruction.
pub fn writing(tool: Tool, output: &str, recipe: &str) -> String {
    match tool {
        Tool::Shell if shell::is_other_program(recipe) => {
            format!("write it to the path in the environment variable `heat_outputs_path`, followed by `.{output}`")
        }
        Tool::Shell => format!("write it as `echo \"$value\" > \"$heat_outputs_path.{output}\"`"),
        Tool::Ansible => format!("write it as `set_stats: {{ data: {{ {output}: \"{{{{ value }}}}\" }} }}`"),
        Tool::Puppet => {
            format!("write it as `file {{ \"${{facts['heat_outputs_path']}}.{output}\": content => $value }}`")
        }
        Tool::Chef => format!("write it as `node.default['{}'] = value`", output.replace('/', "']['")),
        Tool::Salt => format!(
            "write it as the state `\"{{{{ pillar['heat_outputs_path'] }}}}.{output}\": \
             {{ file.managed: [{{ contents: \"{{{{ value }}}}\" }}] }}`"
        ),
    }
}

/// How recipes of `tool` must be named, as a sentence, if it does not find the one in the file at `path`.
pub fn overlooked(tool: Tool, path: &str) -> Option<&'static str> {
    match tool {
        Tool::Salt => salt::state(path).is_none().then_some(salt::NAMING),
        Tool::Shell | Tool::Ansible | Tool::Puppet | Tool::Chef => None,
    }
}
