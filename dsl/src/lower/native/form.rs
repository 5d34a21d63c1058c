//! In which form each kind of component reaches Heat: as its tool's own hook takes it, or as a program of ours.

use std::collections::HashSet;

use indexmap::IndexMap;

use crate::model::{Component, Content, Declaration, Expr, Model, Name, Value};

use super::config;
use super::tool::{Hook, Use, means};

/// How a kind of component is run.
#[derive(Clone, Copy)]
pub(super) enum Form<'m> {
    /// By its tool's own hook, from this text.
    Hook(Hook, &'m str),
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
    let kind = Use { model, declaration, components, text };
    match means(recipe.tool).hook.filter(|hook| hook.suffices(&kind)) {
        Some(hook) => Form::Hook(hook, text),
        None => Form::Program,
    }
}
