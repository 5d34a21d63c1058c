//! In which form each kind of component reaches Heat: as its tool's own hook takes it, or as a program of ours.
//!
//! A hook takes one file, and does less for it than an agent does: it keeps a newline at the end of an output, takes a
//! missing output for none, has no deadline, collects nothing of `set_stats`, gives Puppet no typed values, takes text
//! for Ansible's templates, and knows of no other files. What a kind needs of that, a program for the `script` hook does, which carries the files.

use std::collections::HashSet;

use indexmap::IndexMap;

use crate::model::{Component, Content, Declaration, Expr, Model, Name, Tool, Type, Value};

use super::config;
use super::value::{holds_output, is_structured, is_text, reads_output};

/// How a kind of component is run.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form<'m> {
    /// By its tool's own hook, from this text.
    Hook(&'m str),
    /// By the `script` hook, from a program of ours that runs its tool.
    Program,
}

/// The form of each kind that is in use.
pub(super) struct Forms<'m> {
    pub(super) kinds: IndexMap<&'m Name, Kind<'m>>,
}

/// A kind of component.
pub(super) struct Kind<'m> {
    pub(super) declaration: &'m Declaration,
    pub(super) form: Form<'m>,
    /// The names of its configs, by the optional inputs that some of its components lack. An input that a config declares
    /// is given, be it as `None`, so each lack makes a config of its own.
    pub(super) configs: IndexMap<Vec<&'m Name>, Name>,
}

impl<'m> Forms<'m> {
    pub(super) fn of(model: &'m Model) -> Self {
        let mut uses: IndexMap<&Name, Vec<&Component>> = IndexMap::new();
        for component in model.components.values() {
            uses.entry(&component.declaration).or_default().push(component);
        }
        let mut taken = HashSet::new();
        let kinds = uses.into_iter().filter_map(|(name, components)| {
            let declaration = model.declarations.get(name)?;
            let mut configs = IndexMap::new();
            for component in &components {
                let lack = lack(declaration, component);
                if !configs.contains_key(&lack) {
                    let own = config::name(name, &lack, &mut taken);
                    configs.insert(lack, own);
                }
            }
            Some((name, Kind { declaration, form: form(model, declaration, &components), configs }))
        });
        Self { kinds: kinds.collect() }
    }
}

/// The inputs that a component neither is given nor has a default for.
pub(super) fn lack<'m>(declaration: &'m Declaration, component: &Component) -> Vec<&'m Name> {
    let inputs = declaration.inputs.iter().filter(|(_, input)| input.default.is_none());
    inputs.map(|(name, _)| name).filter(|name| given(component, name).is_none()).collect()
}

/// What an input is wired to, unless that is nothing.
pub(super) fn given<'m>(component: &'m Component, input: &Name) -> Option<&'m Expr> {
    let value = component.inputs.get(input).map(|binding| &binding.value);
    value.filter(|value| value.constant() != Some(&Value::Null))
}

fn form<'m>(model: &Model, declaration: &'m Declaration, components: &[&Component]) -> Form<'m> {
    let recipe = &declaration.recipe;
    let [file] = recipe.files.as_slice() else { return Form::Program };
    let Content::Text(text) = &file.content else { return Form::Program };
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if recipe.teardown.is_some() || declaration.deadline.is_some() || has(&["WATTLE_", "inputs.json"]) {
        return Form::Program;
    }
    let mut inputs = declaration.inputs.iter();
    // Heat has outputs as text only.
    let wired = |misfits: &dyn Fn(&Type, &Expr) -> bool| {
        components.iter().any(|component| {
            declaration
                .inputs
                .iter()
                .any(|(name, input)| given(component, name).is_some_and(|value| misfits(&input.ty, value)))
        })
    };
    let is_enough = match recipe.tool {
        Tool::Shell => {
            declaration.outputs.is_empty() && !wired(&|ty, value| is_structured(ty) && holds_output(model, value))
        }
        // It would take `{{` in a value for the beginning of a template.
        Tool::Ansible => {
            !has(&["set_stats"])
                && !wired(&|ty, value| !is_text(ty) && reads_output(model, value) || holds_template(value))
        }
        Tool::Puppet => !has(&["lookup", "hiera"]) && inputs.all(|(_, input)| is_text(&input.ty)),
        Tool::Chef => false,
    };
    if is_enough { Form::Hook(text) } else { Form::Program }
}

/// Whether text that is known has what Ansible takes for a template.
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
