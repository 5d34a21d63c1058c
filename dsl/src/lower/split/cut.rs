//! The cut itself: what crosses from one template to another.

use std::collections::HashMap;

use crate::model::{IndexMap, Model, Name, ParameterType, PropertyType, Value};

use super::super::agent;
use super::super::hot::{Hot, HotOutput, HotParameter, HotResource, Template};
use super::super::places::{Place, part_file, part_name};

/// A cut under way: what is where, and what crosses.
pub(super) struct Cut<'m> {
    model: &'m Model,
    whole: Template,
    /// The numbers of the parts, in their order.
    numbers: Vec<u32>,
    /// The part that each resource goes to, as its place among them; what is not here stays in the parent.
    part_of: HashMap<Name, usize>,
    types: HashMap<Name, Name>,
}

impl<'m> Cut<'m> {
    /// A cut of `whole`, each of whose resources goes to one of `places`.
    pub(super) fn new(model: &'m Model, whole: Template, places: &[Place]) -> Self {
        let part = |place: &Place| match place {
            Place::Nested(number) => Some(*number),
            Place::Stack => None,
        };
        let mut numbers: Vec<u32> = places.iter().filter_map(part).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let parts = whole.resources.keys().zip(places).filter_map(|(name, place)| Some((name, part(place)?)));
        let part_of = parts.filter_map(|(name, number)| Some((name.clone(), numbers.binary_search(&number).ok()?)));
        let part_of = part_of.collect();
        let types = whole.resources.iter().map(|(name, resource)| (name.clone(), resource.ty.clone())).collect();
        Self { model, whole, numbers, part_of, types }
    }

    pub(super) fn cut(mut self) -> (Template, IndexMap<String, Template>) {
        if self.numbers.is_empty() {
            return (self.whole, IndexMap::default());
        }
        let count = self.numbers.len();
        let describe = |number: &u32| format!("Part {number} of the stack {}.", self.model.stack);
        let new = |description: &str| {
            let mut template = Template::new(description);
            template.heat_template_version = self.whole.heat_template_version.clone();
            template
        };
        let mut parts: Vec<Template> = self.numbers.iter().map(|number| new(&describe(number))).collect();
        let mut given: Vec<IndexMap<Name, Hot>> = vec![IndexMap::default(); count];
        let mut parent = new(&self.whole.description);
        parent.parameter_groups = std::mem::take(&mut self.whole.parameter_groups);
        parent.parameters = std::mem::take(&mut self.whole.parameters);
        parent.conditions = std::mem::take(&mut self.whole.conditions);
        for (name, mut resource) in std::mem::take(&mut self.whole.resources) {
            if let Some(&part) = self.part_of.get(&name) {
                for value in resource.values_mut() {
                    self.move_in(value, part, &parent.parameters, &mut parts[part], &mut given[part]);
                }
                parts[part].resources.insert(name, resource);
            } else {
                resource.values_mut().for_each(|value| self.look_in(value, &mut parts));
                parent.resources.insert(name, resource);
            }
        }
        for (name, mut output) in std::mem::take(&mut self.whole.outputs) {
            self.look_in(&mut output.value, &mut parts);
            parent.outputs.insert(name, output);
        }
        // What a part is given may be of another part, and the way into an attribute may name what stays outside: the
        // network of a server's address.
        let mut crossings = 0;
        while crossings < parts.iter().map(|part| part.parameters.len() + part.outputs.len()).sum() {
            crossings = parts.iter().map(|part| part.parameters.len() + part.outputs.len()).sum();
            given.iter_mut().flat_map(|given| given.values_mut()).for_each(|value| self.look_in(value, &mut parts));
            for (index, (part, given)) in parts.iter_mut().zip(&mut given).enumerate() {
                let mut outputs = std::mem::take(&mut part.outputs);
                for output in outputs.values_mut() {
                    self.move_in(&mut output.value, index, &parent.parameters, part, given);
                }
                part.outputs = outputs;
            }
        }
        let mut nested = IndexMap::default();
        for (&number, (part, properties)) in self.numbers.iter().zip(parts.into_iter().zip(given)) {
            let file = part_file(number);
            let mut resource = HotResource::new(file.as_str().into());
            resource.properties = properties.into_iter().collect();
            parent.resources.insert(part_name(number), resource);
            nested.insert(file, part);
        }
        (parent, nested)
    }

    /// Rewrites a value that moves into a part: what stays outside reaches it as a parameter.
    fn move_in(
        &self,
        value: &mut Hot,
        part: usize,
        parameters: &IndexMap<Name, HotParameter>,
        template: &mut Template,
        given: &mut IndexMap<Name, Hot>,
    ) {
        let stays = |name: &Name| self.part_of.get(name) == Some(&part);
        value.rewrite(&mut |part| match part {
            Hot::GetResource(name) | Hot::GetAttr { resource: name, .. } if stays(name) => None,
            Hot::GetAttr { resource, .. } if &**resource == agent::ROOT => {
                if !template.resources.contains_key(agent::ROOT) {
                    let text: Name = agent::TEXT.into();
                    template.parameters.insert(text.clone(), HotParameter::new(ParameterType::Str));
                    template.resources.insert(agent::ROOT.into(), agent::root_of(Hot::parameter(text.clone())));
                    given.insert(text, part.clone());
                }
                None
            }
            Hot::GetResource(_) | Hot::GetAttr { .. } => {
                let name: Name = crossing(part).into();
                if !given.contains_key(&name) {
                    template.parameters.insert(name.clone(), HotParameter::new(self.type_of(part)));
                    given.insert(name.clone(), part.clone());
                }
                Some(Hot::parameter(name))
            }
            Hot::GetParam { parameter, .. } => {
                if let (false, Some(declared)) = (given.contains_key(parameter), parameters.get(parameter)) {
                    let mut passed = HotParameter::new(declared.ty);
                    passed.hidden = declared.hidden;
                    template.parameters.insert(parameter.clone(), passed);
                    given.insert(parameter.clone(), Hot::parameter(parameter.clone()));
                }
                None
            }
            _ => None,
        });
    }

    /// Rewrites a value of the parent: what went into a part is that part's output.
    fn look_in(&self, value: &mut Hot, parts: &mut [Template]) {
        value.rewrite(&mut |reference| {
            let (Hot::GetResource(name) | Hot::GetAttr { resource: name, .. }) = reference else { return None };
            let part = *self.part_of.get(name)?;
            let output: Name = crossing(reference).into();
            parts[part].outputs.entry(output.clone()).or_insert_with(|| HotOutput::new(reference.clone()));
            Some(Hot::GetAttr { resource: part_name(self.numbers[part]), attribute: output, path: Vec::new() })
        });
    }

    fn type_of(&self, reference: &Hot) -> ParameterType {
        let Hot::GetAttr { resource, attribute, path } = reference else { return ParameterType::Str };
        let schema = self.types.get(resource).and_then(|ty| self.model.schemas.get(ty));
        match schema.and_then(|schema| schema.attributes.get(attribute)).map(|attribute| attribute.ty) {
            Some(PropertyType::List | PropertyType::Map) if path.is_empty() => ParameterType::Json,
            _ => ParameterType::Str,
        }
    }
}

/// The name under which a reference crosses from one template to another: `backbone`, `fip:floating_ip_address`.
fn crossing(reference: &Hot) -> String {
    match reference {
        Hot::GetResource(name) => name.to_string(),
        Hot::GetAttr { resource, attribute, path } => {
            path.iter().fold(format!("{resource}:{attribute}"), |name, step| name + "." + &crossing(step))
        }
        Hot::Value(Value::Str(text)) => text.to_string(),
        Hot::Value(value) => value.to_string(),
        _ => String::new(),
    }
}
