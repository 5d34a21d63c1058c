//! The means of heat-agents for each tool: a hook that accepts its recipes unchanged, and a program for cases in which the
//! hook is not sufficient.
//!
//! A hook accepts one file, and does less for it than an agent does. It keeps a newline at the end of an output, accepts a
//! missing output, has no deadline, ignores `set_stats`, gives Puppet no typed values, mistakes text for Ansible's
//! templates, and supports no further files. If a component type needs any of that, a program for the `script` hook does it
//! and carries the files.

use crate::model::{Component, Declaration, Expr, Model, Tool, Type};

use super::value::{given, holds_output, is_structured, is_text, reads_output};

/// How heat-agents run the recipes of a tool.
pub(super) struct Means {
    pub(super) hook: Option<Hook>,
    /// The part of the program, in Python, that runs the tool.
    pub(super) program: &'static str,
}

/// A hook of heat-agents.
#[derive(Clone, Copy)]
pub(super) struct Hook {
    /// The group of the configs that it runs.
    pub(super) group: &'static str,
    /// Whether inputs reach the recipe with their types instead of as text.
    pub(super) is_typed: bool,
    /// Whether the recipe is run as a program. Its first line must then name the interpreter.
    pub(super) runs_programs: bool,
    /// Whether it does everything that the component type needs.
    suffices: fn(&Use<'_>) -> bool,
}

pub(super) fn means(tool: Tool) -> Means {
    let hook = |group, suffices| Some(Hook { group, is_typed: false, runs_programs: false, suffices });
    match tool {
        Tool::Shell => Means {
            hook: Some(Hook { group: "script", is_typed: false, runs_programs: true, suffices: shell }),
            program: include_str!("program/shell.py"),
        },
        Tool::Ansible => Means {
            hook: Some(Hook { group: "ansible", is_typed: true, runs_programs: false, suffices: ansible }),
            program: include_str!("program/ansible.py"),
        },
        Tool::Puppet => Means { hook: hook("puppet", puppet), program: include_str!("program/puppet.py") },
        Tool::Chef => Means { hook: None, program: include_str!("program/chef.py") },
        // Its hook passes inputs as options of the minion instead of as the pillar, and accepts no outputs.
        Tool::Salt => Means { hook: None, program: include_str!("program/salt.py") },
    }
}

/// A component type whose recipe is one text, and the components of that type.
pub(super) struct Use<'m> {
    pub(super) model: &'m Model,
    pub(super) declaration: &'m Declaration,
    pub(super) components: &'m [&'m Component],
    pub(super) text: &'m str,
}

impl Hook {
    pub(super) fn suffices(self, kind: &Use<'_>) -> bool {
        let recipe = &kind.declaration.recipe;
        let is_plain = recipe.teardown.is_none() && kind.declaration.deadline.is_none();
        is_plain && !kind.mentions(&["WATTLE_", "inputs.json"]) && (self.suffices)(kind)
    }
}

impl Use<'_> {
    fn mentions(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.contains(word))
    }

    /// Whether any input is wired to a value that `misfits` its type.
    fn wires(&self, misfits: impl Fn(&Type, &Expr) -> bool) -> bool {
        self.components.iter().any(|component| {
            let mut inputs = self.declaration.inputs.iter();
            inputs.any(|(name, input)| given(component, name).is_some_and(|value| misfits(&input.ty, value)))
        })
    }
}

fn shell(kind: &Use<'_>) -> bool {
    // Heat has outputs only as text.
    let misfits = |ty: &Type, value: &Expr| is_structured(ty) && holds_output(kind.model, value);
    kind.declaration.outputs.is_empty() && !kind.wires(misfits)
}

fn ansible(kind: &Use<'_>) -> bool {
    // The hook would mistake `{{` in a value for the start of a template.
    let misfits = |ty: &Type, value: &Expr| !is_text(ty) && reads_output(kind.model, value) || holds_template(value);
    !kind.mentions(&["set_stats"]) && !kind.wires(misfits)
}

fn puppet(kind: &Use<'_>) -> bool {
    !kind.mentions(&["lookup", "hiera"]) && kind.declaration.inputs.values().all(|input| is_text(&input.ty))
}

/// Whether known text contains something that Ansible would treat as a template.
fn holds_template(value: &Expr) -> bool {
    match value {
        Expr::Constant(value) => {
            let text = value.to_string();
            text.contains("{{") || text.contains("{%")
        }
        Expr::Text(parts) | Expr::List(parts) => parts.iter().any(holds_template),
        Expr::Map(parts) => parts.values().any(holds_template),
        _ => false,
    }
}
