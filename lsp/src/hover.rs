//! Information about the word at the cursor.

use std::ops::Range;

use wattle::model::Model;
use wattle_heat::parameters::PSEUDO;
use wattle_heat::template::{Function, Template};

use crate::context::Context;
use crate::cursor::{Place, cursor};
use crate::document::Analysis;
use crate::names::Symbol;
use crate::shape;
use crate::software::declaration;
use crate::text::Text;

/// Information about the word at a byte, in Markdown, and the word's bytes.
pub(crate) fn hover(text: &Text, analysis: &Analysis, offset: usize) -> Option<(String, Range<usize>)> {
    if let Some(occurrence) = analysis.names.at(offset)
        && let Some(about) = symbol(analysis, &occurrence.symbol)
    {
        return Some((about, occurrence.bytes.clone()));
    }
    let cursor = cursor(&text.whole, offset)?;
    let context = Context { analysis, cursor: &cursor };
    let word = text.whole.get(cursor.word.clone()).filter(|word| !word.is_empty())?;
    let about = if cursor.is_key { key(context, word) } else { value(context, word) };
    Some((about?, cursor.word.clone()))
}

/// Information about a key: of a property, or of a call.
fn key(context: Context<'_>, word: &str) -> Option<String> {
    if let Some((shape, mut keys)) = context.properties() {
        keys.push(Some(word));
        if let Some(property) = shape::descend(&shape, &keys) {
            return Some(shape::property_text(word, property));
        }
    }
    let is_in_section =
        matches!(context.keys().as_slice(), [Some("resources" | "outputs" | "conditions"), Some(_), ..]);
    let function = Function::of(word).filter(|_| is_in_section)?;
    Some(format!("`{}`\n\n{}\n\nSince {}.", function.form(), function.about(), function.since()))
}

/// Information about a value: a type, an attribute, one of the parameters that every stack has.
fn value(context: Context<'_>, word: &str) -> Option<String> {
    if context.is_type() {
        let shape = shape::of(&context.analysis.loaded, context.keys().get(1).copied().flatten()?, word)?;
        return Some(shape::type_text(word, &shape));
    }
    let argument = context.argument()?;
    match (argument.function, argument.before) {
        ("get_attr", Some([resource])) => {
            let shape = context.shape_of(resource)?;
            Some(shape::attribute_text(word, shape.attrs.get(word)?))
        }
        ("get_param", None | Some([])) if PSEUDO.contains(&word) => {
            Some(format!("**{word}**\n\nA parameter that every stack has."))
        }
        _ if context.cursor.place == Place::Value => {
            let property = context.property()?;
            Some(shape::property_text(context.keys().last().copied().flatten()?, &property))
        }
        _ => None,
    }
}

/// Information about the meaning of a name.
fn symbol(analysis: &Analysis, symbol: &Symbol) -> Option<String> {
    let template: &Template = &analysis.loaded.template;
    match symbol {
        Symbol::Parameter(name) => Some(shape::parameter_text(name, template.parameters.get(name)?)),
        Symbol::Condition(name) => template.conditions.contains_key(name).then(|| format!("**{name}**: a condition")),
        Symbol::Resource(name) => {
            let ty = template.resources.get(name)?.kind()?;
            let shape = shape::of(&analysis.loaded, name, ty).unwrap_or_default();
            let description = template.resources.get(name)?.description.as_ref();
            let said = description.and_then(|text| text.tree.as_text()).map(|text| format!("\n\n{text}"));
            Some(format!("**{name}**: `{ty}`{}\n\n{}", said.unwrap_or_default(), shape.doc))
        }
        Symbol::Component(server, name) => component(&analysis.model, server, name),
        Symbol::Output(kind, name) => {
            let output = analysis.model.declarations.get(kind.as_str())?.outputs.get(name.as_str())?;
            Some(format!("**{name}**: {}\n\n{}", output.ty, output.doc))
        }
    }
}

/// Information about a component: its recipe, inputs and outputs.
pub(crate) fn component(model: &Model, server: &str, name: &str) -> Option<String> {
    let declaration = declaration(model, server, name)?;
    let mut text = format!("**{name}** on `{server}`: runs `{}`", declaration.recipe.entry);
    if !declaration.doc.is_empty() {
        text.push_str(&format!("\n\n{}", declaration.doc));
    }
    let inputs = declaration.inputs.iter().map(|(name, input)| format!("`{name}`: {}", input.ty));
    let outputs = declaration.outputs.iter().map(|(name, output)| format!("`{name}`: {}", output.ty));
    for (what, items) in [("Reads", inputs.collect::<Vec<_>>()), ("Writes", outputs.collect())] {
        if !items.is_empty() {
            text.push_str(&format!("\n\n{what} {}.", items.join(", ")));
        }
    }
    Some(text)
}
