//! The form in which each component type reaches Heat: for its tool's own hook, or as one of our programs.

use std::collections::HashSet;

use crate::analysis::lowering::RESERVED;
use crate::model::{Component, Content, Declaration, IndexMap, Model, Name};

use super::tool::{Hook, Use, means};
use super::value::given;

/// How a component type is run.
#[derive(Clone, Copy)]
pub(super) enum Form<'m> {
    /// By its tool's own hook, from this text.
    Hook(Hook, &'m str),
    /// By the `script` hook, from one of our programs, which runs the tool.
    Program,
}

/// The form of each component type in use.
pub(super) struct Forms<'m> {
    pub(super) component_types: IndexMap<&'m Name, LoweredType<'m>>,
}

/// A component type.
pub(super) struct LoweredType<'m> {
    pub(super) declaration: &'m Declaration,
    pub(super) form: Form<'m>,
    /// The names of its configs, by the optional inputs that some of its components lack. Every declared input of a config
    /// gets a value, if only `None`. So each set of missing inputs needs a separate config.
    pub(super) configs: IndexMap<Vec<&'m Name>, Name>,
}

impl LoweredType<'_> {
    /// Whether inputs reach the recipe with their types instead of as variables.
    pub(super) fn is_typed(&self) -> bool {
        matches!(self.form, Form::Hook(hook, _) if hook.is_typed)
    }
}

impl<'m> Forms<'m> {
    pub(super) fn of(model: &'m Model) -> Self {
        let mut uses: IndexMap<&Name, Vec<&Component>> = IndexMap::default();
        for component in model.components.values() {
            uses.entry(&component.declaration).or_default().push(component);
        }
        let mut taken = HashSet::new();
        let kinds = uses.into_iter().filter_map(|(name, components)| {
            let declaration = model.declarations.get(name)?;
            let mut configs = IndexMap::default();
            for component in &components {
                let lack = lack(declaration, component);
                if !configs.contains_key(&lack) {
                    let own = config_name(name, &lack, &mut taken);
                    configs.insert(lack, own);
                }
            }
            Some((name, LoweredType { declaration, form: form(model, declaration, &components), configs }))
        });
        Self { component_types: kinds.collect() }
    }
}

/// The inputs for which a component has neither a value nor a default.
pub(super) fn lack<'m>(declaration: &'m Declaration, component: &Component) -> Vec<&'m Name> {
    let inputs = declaration.inputs.iter().filter(|(_, input)| input.default.is_none());
    inputs.map(|(name, _)| name).filter(|name| given(component, name).is_none()).collect()
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

/// The maximum number of bytes that the component type and its inputs may take in a name in Heat. Heat accepts 255
/// characters; the rest is room for a number.
const LONGEST: usize = 240;

/// The name of a component type's config for components that lack these inputs. It is valid in Heat, and not `taken`.
fn config_name(kind: &Name, lack: &[&Name], taken: &mut HashSet<Name>) -> Name {
    let mut name = format!("{RESERVED}{}", kind.replace("::", ".").replace('/', "."));
    for (index, input) in lack.iter().enumerate() {
        name.push_str(if index == 0 { ".without." } else { "." });
        name.push_str(&input.replace('/', "."));
    }
    name.truncate(name.floor_char_boundary(LONGEST));
    let mut own = Name::from(name.clone());
    let mut number = 1;
    while !taken.insert(own.clone()) {
        number += 1;
        own = format!("{name}.{number}").into();
    }
    own
}
