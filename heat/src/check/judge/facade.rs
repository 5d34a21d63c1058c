//! Templates that an environment substitutes for one of Heat's types. They must provide everything that users of the type
//! expect.
//!
//! These are the rules of `_validate_against_facade` in `heat.engine.resources.template_resource`.

use wattle_model::{PropertyType, Schema};

use crate::environment::{Implementation, is_template};
use crate::resource::{Maker, Provider, Subject};

use super::super::class_rule;
use super::Judge;

impl Judge<'_, '_> {
    pub(super) fn facade(&mut self, subject: Subject<'_>) {
        let Maker::Template(provider) = &subject.resource.maker else { return };
        let ty = &subject.resource.ty;
        if is_template(ty) || !self.is_put_in_place(subject.name, ty) {
            return;
        }
        let Some(replaced) = self.world.types.get(ty) else { return };
        let Some((what, help)) = difference(provider, &replaced.schema) else { return };
        let at = self.at(None, subject);
        let what = format!("{}: its template `{}` replaces `{ty}`, but {what}", self.called(subject), provider.path);
        self.found.push(class_rule::diagnostic(&what, &at, help));
    }

    /// Whether an environment maps this very type, and nothing else, to the template. For a pattern, Heat compares the
    /// template with itself. If there are several mappings, Heat does not always take the same one as the replaced type.
    fn is_put_in_place(&self, name: &str, ty: &str) -> bool {
        let registry = &self.stack.registry;
        let is_own = registry.resources.get(name).is_some_and(|scoped| scoped.types.contains_key(ty));
        let mut of_it = registry.types.iter().filter(|(known, _)| {
            known.as_str() == ty || known.strip_suffix('*').is_some_and(|prefix| ty.starts_with(prefix))
        });
        match (of_it.next(), of_it.next()) {
            (Some((known, target)), None) if !is_own => {
                known == ty && matches!(target.implementation, Implementation::Template(_))
            }
            _ => false,
        }
    }
}

/// The first difference between a template and a type, as the end of a sentence, and how to fix it.
fn difference(provider: &Provider, replaced: &Schema) -> Option<(String, &'static str)> {
    for (name, of_type) in &replaced.properties {
        let Some(parameter) = provider.properties.get(name) else {
            if of_type.required {
                let help = "add the parameter to the template";
                return Some((format!("lacks a parameter for the property `{name}`, which the type requires"), help));
            }
            continue;
        };
        let expected = match of_type.ty {
            PropertyType::Integer => PropertyType::Number,
            ty => ty,
        };
        if expected == PropertyType::Any {
            let what = format!(
                "its parameter `{name}` is a property of the type that takes any value, and Heat fails to compare the two"
            );
            return Some((what, "rename the parameter"));
        }
        if parameter.ty != expected {
            let what = format!("its parameter `{name}` is {}, while the type has {}", parameter.ty, of_type.ty);
            return Some((what, "give the parameter the type of the property"));
        }
    }
    let required = provider.properties.iter().filter(|(_, parameter)| parameter.required);
    if let Some((name, _)) = required.into_iter().find(|(name, _)| !replaced.properties.contains_key(*name)) {
        return Some((
            format!("requires the parameter `{name}`, which is not a property of the type"),
            "give the parameter a default",
        ));
    }
    // Every resource has this attribute.
    let lacks = |name: &str| name != "show" && !provider.outputs.iter().any(|output| **output == *name);
    let lacking: Vec<&str> = replaced.attributes.keys().map(|name| &**name).filter(|name| lacks(name)).collect();
    if lacking.is_empty() {
        return None;
    }
    let outputs = if lacking.len() == 1 { "the output" } else { "the outputs" };
    let names = wattle_model::names::list(lacking, "and");
    Some((format!("lacks {outputs} {names} for attributes of the type"), "add the outputs to the template"))
}
