//! The cut itself, and the references that cross it.

use std::collections::HashMap;

use wattle_heat::template::Function;

use crate::model::{IndexMap, Model, Name, ParameterType, PropertyType};

use super::super::RESERVED;
use super::super::agent;
use super::super::hot::{Hot, HotOutput, HotParameter, HotResource, Template};
use super::super::places::{Place, part_file, part_name};
use super::crossing::{self, crossing};

/// A cut in progress: the part of each thing, and the references that cross.
pub(super) struct Cut<'m> {
    model: &'m Model,
    whole: Template,
    /// The numbers of the parts, in their order.
    numbers: Vec<u32>,
    /// The part that each resource goes to, as an index among the parts. A resource that is not listed stays in the
    /// parent.
    part_of: HashMap<Name, usize>,
    types: HashMap<Name, Name>,
    /// The conditions of resources that have one.
    conditions: HashMap<Name, Hot>,
}

/// A part in progress.
pub(super) struct Part {
    pub(super) template: Template,
    /// The values that the parent passes to it.
    pub(super) given: IndexMap<Name, Hot>,
    /// The resources of the parent that it follows, besides those whose values it gets.
    after: Vec<Name>,
}

impl<'m> Cut<'m> {
    /// Starts to cut `whole`. Each of its resources goes to its place in `places`.
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
        let conditions = whole.resources.iter();
        let conditions =
            conditions.filter_map(|(name, resource)| Some((name.clone(), resource.condition.as_deref()?.clone())));
        let conditions = conditions.collect();
        Self { model, whole, numbers, part_of, types, conditions }
    }

    pub(super) fn cut(mut self) -> (Template, IndexMap<String, Template>) {
        if self.numbers.is_empty() {
            return (self.whole, IndexMap::default());
        }
        let describe = |number: &u32| format!("Part {number} of the stack {}.", self.model.stack);
        let new = |description: &str| {
            let mut template = Template::new(description);
            template.heat_template_version = self.whole.heat_template_version.clone();
            template
        };
        let part = |number| Part { template: new(&describe(number)), given: IndexMap::default(), after: Vec::new() };
        let mut parts: Vec<Part> = self.numbers.iter().map(part).collect();
        let mut parent = new(&self.whole.description);
        parent.parameter_groups = std::mem::take(&mut self.whole.parameter_groups);
        parent.parameters = std::mem::take(&mut self.whole.parameters);
        parent.conditions = std::mem::take(&mut self.whole.conditions);
        for (name, mut resource) in std::mem::take(&mut self.whole.resources) {
            if let Some(&index) = self.part_of.get(&name) {
                let part = &mut parts[index];
                if let Some(condition) = &mut resource.condition {
                    **condition = crossing::condition_in(condition, part);
                }
                for value in resource.values_mut() {
                    self.move_in(value, index, &parent.parameters, part);
                }
                let (within, outside) = std::mem::take(&mut resource.depends_on)
                    .into_iter()
                    .partition(|other| self.part_of.get(other) == Some(&index));
                resource.depends_on = within;
                part.after.extend::<Vec<Name>>(outside);
                part.template.resources.insert(name, resource);
            } else {
                resource.values_mut().for_each(|value| self.look_in(value, &mut parts));
                resource.depends_on = self.after(std::mem::take(&mut resource.depends_on));
                parent.resources.insert(name, resource);
            }
        }
        for (name, mut output) in std::mem::take(&mut self.whole.outputs) {
            self.look_in(&mut output.value, &mut parts);
            parent.outputs.insert(name, output);
        }
        // A value passed to a part may come from another part, and the path into an attribute may name something that stays
        // outside, such as the network of a server's address.
        let count = |parts: &[Part]| -> usize {
            parts.iter().map(|part| part.template.parameters.len() + part.template.outputs.len()).sum()
        };
        let mut crossings = 0;
        while crossings < count(&parts) {
            crossings = count(&parts);
            for index in 0..parts.len() {
                let mut given = std::mem::take(&mut parts[index].given);
                given.values_mut().for_each(|value| self.look_in(value, &mut parts));
                parts[index].given = given;
            }
            for (index, part) in parts.iter_mut().enumerate() {
                let mut outputs = std::mem::take(&mut part.template.outputs);
                for output in outputs.values_mut() {
                    self.move_in(&mut output.value, index, &parent.parameters, part);
                }
                part.template.outputs = outputs;
            }
        }
        let mut nested = IndexMap::default();
        for (&number, part) in self.numbers.iter().zip(parts) {
            let file = part_file(number);
            let mut resource = HotResource::new(file.as_str().into());
            resource.properties = part.given.into_iter().collect();
            resource.depends_on = self.after(part.after);
            parent.resources.insert(part_name(number), resource);
            nested.insert(file, part.template);
        }
        (parent, nested)
    }

    /// The names by which the parent refers to these resources in `depends_on`, each once. A resource in a part is
    /// replaced by the part.
    fn after(&self, names: Vec<Name>) -> Vec<Name> {
        let mut after = Vec::with_capacity(names.len());
        for name in names {
            let name = self.part_of.get(&name).map_or(name, |&part| part_name(self.numbers[part]));
            if !after.contains(&name) {
                after.push(name);
            }
        }
        after
    }

    /// Rewrites a value that moves into a part. References to things that stay outside become parameters of the part.
    fn move_in(&self, value: &mut Hot, index: usize, parameters: &IndexMap<Name, HotParameter>, part: &mut Part) {
        crossing::decide_in(value, part);
        let stays = |name: &Name| self.part_of.get(name) == Some(&index);
        value.rewrite(&mut |reference| match reference {
            Hot::GetAttr { resource, .. } if &**resource == agent::ROOT => {
                if !part.template.resources.contains_key(agent::ROOT) {
                    let text: Name = agent::TEXT.into();
                    part.template.parameters.insert(text.clone(), HotParameter::new(ParameterType::Str));
                    part.template.resources.insert(agent::ROOT.into(), agent::root_of(Hot::parameter(text.clone())));
                    part.given.insert(text, reference.clone());
                }
                None
            }
            Hot::GetParam { parameter, .. } if is_of_stack(parameter) => Some(of_parent(parameter, part)),
            Hot::GetParam { parameter, .. } => {
                pass(parameter, parameters, part);
                None
            }
            Hot::Function(name, argument) if Function::of(name) == Some(Function::GetParam) => {
                match crossing::first(argument) {
                    Some(parameter) if is_of_stack(parameter) => return Some(of_parent(parameter, part)),
                    Some(parameter) => pass(parameter, parameters, part),
                    // Any parameter may be meant.
                    None => parameters.keys().for_each(|parameter| pass(parameter, parameters, part)),
                }
                None
            }
            _ if reference.resource().is_some_and(stays) => None,
            _ if reference.resource().is_some() || crossing::is_facade(reference) => {
                let name: Name = crossing(reference).into();
                let ty = self.type_of(reference);
                if !part.given.contains_key(&name) {
                    let given = self.guarded(reference);
                    let given = if ty.is_some() { given } else { crossing::wrapped(given) };
                    let parameter = HotParameter::new(ty.unwrap_or(ParameterType::Json));
                    part.template.parameters.insert(name.clone(), parameter);
                    part.given.insert(name.clone(), given);
                }
                Some(if ty.is_some() { Hot::parameter(name) } else { crossing::unwrapped(name) })
            }
            _ => None,
        });
    }

    /// Rewrites a value of the parent. References to things that moved into a part become outputs of the part.
    fn look_in(&self, value: &mut Hot, parts: &mut [Part]) {
        value.rewrite(&mut |reference| {
            let part = *self.part_of.get(reference.resource()?)?;
            let output: Name = crossing(reference).into();
            let outputs = &mut parts[part].template.outputs;
            outputs.entry(output.clone()).or_insert_with(|| HotOutput::new(self.guarded(reference)));
            Some(Hot::GetAttr { resource: part_name(self.numbers[part]), attribute: output, path: Vec::new() })
        });
    }

    /// A reference, or null if the condition of its resource does not hold. Nothing else checks that where the reference
    /// crosses.
    fn guarded(&self, reference: &Hot) -> Hot {
        let condition = reference.resource().and_then(|name| self.conditions.get(name));
        condition.map_or_else(|| reference.clone(), |condition| crossing::only_if(condition, reference.clone()))
    }

    /// The type of a parameter that receives this value. `None` if it is not known, or if the value may be null.
    fn type_of(&self, reference: &Hot) -> Option<ParameterType> {
        if reference.resource().is_some_and(|name| self.conditions.contains_key(name)) {
            return None;
        }
        let Hot::GetAttr { resource, attribute, path } = reference else {
            return matches!(reference, Hot::GetResource(_)).then_some(ParameterType::Str);
        };
        let schema = self.types.get(resource).and_then(|ty| self.model.schemas.get(ty));
        Some(match schema.and_then(|schema| schema.attributes.get(attribute)).map(|attribute| attribute.ty) {
            Some(PropertyType::List | PropertyType::Map) if path.is_empty() => ParameterType::Json,
            _ => ParameterType::Str,
        })
    }
}

/// Whether Heat sets this parameter for every stack, to a different value.
fn is_of_stack(parameter: &str) -> bool {
    matches!(parameter, "OS::stack_name" | "OS::stack_id")
}

/// The parent's value of the parameter. A part has its own name, which no author means.
fn of_parent(parameter: &Name, part: &mut Part) -> Hot {
    let name: Name = format!("{RESERVED}{}", parameter.trim_start_matches("OS::")).into();
    part.template.parameters.entry(name.clone()).or_insert_with(|| HotParameter::new(ParameterType::Str));
    part.given.entry(name.clone()).or_insert_with(|| Hot::parameter(parameter.clone()));
    Hot::parameter(name)
}

/// Passes one of the parent's parameters to a part.
fn pass(parameter: &Name, parameters: &IndexMap<Name, HotParameter>, part: &mut Part) {
    if let (false, Some(declared)) = (part.given.contains_key(parameter), parameters.get(parameter)) {
        let mut passed = HotParameter::new(declared.ty);
        passed.hidden = declared.hidden;
        part.template.parameters.insert(parameter.clone(), passed);
        part.given.insert(parameter.clone(), Hot::parameter(parameter.clone()));
    }
}
