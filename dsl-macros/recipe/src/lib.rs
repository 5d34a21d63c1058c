//! The reads and writes of a recipe, determined by static analysis of its text.
//!
//! A component declares inputs and outputs; its recipe is a shell script, an Ansible playbook, a Puppet manifest, a Chef
//! cookbook or a Salt state. [`analyse`] (one file) and [`analyse_all`] (a recipe of several files) return the names that
//! the recipe writes and reads; [`never_written`], [`never_read`] and [`suggest`] compare them with the declaration.
//!
//! The results are conservative, because they become compile errors. If a recipe computes names, or runs code that is not
//! available, [`Analysis::dynamic_writes`] and [`Analysis::dynamic_reads`] are set, and nothing is reported as missing. The
//! documentation of [`shell`], [`ansible`], [`puppet`], [`chef`] and [`salt`] describes what each tool's analysis
//! recognises.
//!
//! This crate does no I/O: the caller reads the files. No input makes it panic or overflow the stack.

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

/// Analyses the reads and writes of one recipe file.
///
/// Code that the file includes or runs is not available here, so it makes the result dynamic; [`analyse_all`] reads such
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

/// Refuses a file that cannot be an entry point of `tool`, although it may look like one of its recipes.
fn begins(tool: Tool, source: &str) -> Result<(), SyntaxError> {
    match tool {
        Tool::Ansible => ansible::is_playbook(source),
        Tool::Shell | Tool::Puppet | Tool::Chef | Tool::Salt => Ok(()),
    }
}

/// Adds the effects of a file that is not a recipe of `tool` when it is included with one.
fn beside(tool: Tool, source: &str, into: &mut FileOutline) {
    match tool {
        // Salt renders any file that a state refers to.
        Tool::Salt => salt::template(source, into),
        Tool::Shell | Tool::Ansible | Tool::Puppet | Tool::Chef => {}
    }
}

/// Whether the file at `path` contains variables as data, if it is included with a recipe of `tool`.
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

/// Whether the file at `path` may set any name for a recipe of `tool`, in ways that the analysis does not follow.
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

/// The code by which a recipe of `tool` reads the input `name`; `None` if it is the name itself.
pub fn reading(tool: Tool, name: &str) -> Option<String> {
    match tool {
        Tool::Shell | Tool::Ansible => None,
        Tool::Puppet => Some(format!("lookup('{name}')")),
        Tool::Chef => Some(format!("node['{}']", name.replace('/', "']['"))),
        Tool::Salt => Some(format!("pillar['{name}']")),
    }
}

/// The code by which a recipe of `tool` reads the optional input `name`.
pub fn sparing(tool: Tool, name: &str) -> String {
    match tool {
        Tool::Shell => format!("${{{name}:-}}"),
        Tool::Ansible => format!("{{{{ {name} | default('') }}}}"),
        Tool::Puppet => format!("lookup('{name}', {{ default_value => undef }})"),
        Tool::Chef => format!("node.read('{}')", name.replace('/', "', '")),
        Tool::Salt => format!("pillar.get('{name}', '')"),
    }
}

/// How to write the output `output` in `recipe`, whose tool is `tool`, as an instruction.
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

/// The naming rule of `tool` as a sentence, if it would not find a recipe in the file at `path`.
pub fn overlooked(tool: Tool, path: &str) -> Option<&'static str> {
    match tool {
        Tool::Salt => salt::state(path).is_none().then_some(salt::NAMING),
        Tool::Shell | Tool::Ansible | Tool::Puppet | Tool::Chef => None,
    }
}
