//! Cutting a template that is too large for one stack into nested stacks.
//!
//! No server depends on another, so a server can go into a nested stack together with everything that is there for it
//! alone: its ports, its volumes. What several servers need stays in the parent, and reaches the parts as parameters;
//! what the parent needs of a part, the part shows as an output.

use std::collections::HashMap;

use wattle_heat::template::Function;

use crate::model::{IndexMap, Model, Name, ParameterType, PropertyType, Value};

use super::Options;
use super::agent;
use super::dependence::dependents_first;
use super::hot::{Hot, HotOutput, HotParameter, HotResource, Template};

/// The template and the templates of its nested stacks, by file name.
pub(super) fn split(
    model: &Model,
    whole: Template,
    requires: &[Vec<usize>],
    options: &Options,
) -> (Template, IndexMap<String, Template>) {
    let sizes: Vec<usize> = whole.resources.values().map(size).collect();
    let fits = whole.resources.len() <= options.stack_resources && sizes.iter().sum::<usize>() <= options.stack_bytes;
    if fits || whole.servers() < 2 || !is_free(&whole) {
        return (whole, IndexMap::default());
    }
    let homes = homes(&whole, requires);
    let parts = pack(&whole, &homes, &sizes, options);
    Cut::new(model, whole, &parts).cut(parts.len())
}

/// Whether a cut is free: not where the author tells Heat an order, lets it decide what there is, or has it work out what
/// is referred to.
fn is_free(whole: &Template) -> bool {
    let computes = |value: &Hot| {
        let mut computes = false;
        value.visit(&mut |part| {
            computes |= matches!(part, Hot::Function(name, _) if Function::of(name).is_some_and(Function::refers));
        });
        computes
    };
    let is_bound = |resource: &HotResource| {
        !resource.depends_on.is_empty() || resource.condition.is_some() || resource.values().any(computes)
    };
    whole.conditions.is_empty()
        && !whole.resources.values().any(is_bound)
        && !whole.outputs.values().any(|output| computes(&output.value))
}

/// Bytes of a resource as JSON, about.
fn size(resource: &HotResource) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // A value that JSON cannot express is an error when the template is emitted, not here.
    let _ = serde_json::to_writer(&mut count, resource);
    count.0
}

/// Where a resource goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Home {
    /// The parent; `late` when it needs something of a part.
    Parent { late: bool },
    /// The part of this server.
    Part(usize),
}

/// Which servers need a resource, directly or not.
#[derive(Clone, Copy, PartialEq)]
enum Needed {
    Nobody,
    By(usize),
    BySeveral,
}

impl Needed {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nobody, needed) | (needed, Self::Nobody) => needed,
            (Self::By(a), Self::By(b)) if a == b => self,
            _ => Self::BySeveral,
        }
    }
}

fn homes(whole: &Template, requires: &[Vec<usize>]) -> Vec<Home> {
    let order = dependents_first(requires);
    let mut needed = vec![Needed::Nobody; requires.len()];
    for &index in &order {
        if whole.resources[index].is_server() {
            needed[index] = Needed::By(index);
        }
        for &required in &requires[index] {
            needed[required] = needed[required].and(needed[index]);
        }
    }
    let mut homes = vec![Home::Parent { late: false }; requires.len()];
    for &index in order.iter().rev() {
        homes[index] = match needed[index] {
            Needed::By(server) => Home::Part(server),
            Needed::BySeveral => Home::Parent { late: false },
            Needed::Nobody => requires[index].iter().fold(Home::Parent { late: false }, |home, &required| {
                match (home, homes[required]) {
                    (home, Home::Parent { late: false }) => home,
                    (Home::Parent { late: false }, part) => part,
                    (Home::Part(a), Home::Part(b)) if a == b => home,
                    _ => Home::Parent { late: true },
                }
            }),
        };
    }
    homes
}

/// The resources of each part, as their places in `whole`.
fn pack(whole: &Template, homes: &[Home], sizes: &[usize], options: &Options) -> Vec<Vec<usize>> {
    let mut bundles: IndexMap<usize, Vec<usize>> = IndexMap::default();
    for (index, resource) in whole.resources.values().enumerate() {
        if resource.is_server() {
            bundles.insert(index, Vec::new());
        }
    }
    for (index, home) in homes.iter().enumerate() {
        if let Home::Part(server) = home {
            bundles.entry(*server).or_default().push(index);
        }
    }
    // One place of each part is taken by the root of its own.
    let (most, most_bytes) = (options.stack_resources.saturating_sub(1), options.stack_bytes);
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut bytes = 0;
    for bundle in bundles.into_values() {
        let bundle_bytes: usize = bundle.iter().map(|&index| sizes[index]).sum();
        match parts.last_mut() {
            Some(part) if part.len() + bundle.len() <= most && bytes + bundle_bytes <= most_bytes => {
                part.extend(bundle);
                bytes += bundle_bytes;
            }
            _ => {
                parts.push(bundle);
                bytes = bundle_bytes;
            }
        }
    }
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

/// A cut under way: what is where, and what crosses.
struct Cut<'m> {
    model: &'m Model,
    whole: Template,
    /// The part that each resource goes to; what is not here stays in the parent.
    part_of: HashMap<Name, usize>,
    types: HashMap<Name, Name>,
}

impl<'m> Cut<'m> {
    fn new(model: &'m Model, whole: Template, parts: &[Vec<usize>]) -> Self {
        let mut part_of = HashMap::new();
        for (part, members) in parts.iter().enumerate() {
            for &index in members {
                let (name, _) = whole.resources.get_index(index).expect("INVARIANT: a place in the template");
                part_of.insert(name.clone(), part);
            }
        }
        let types = whole.resources.iter().map(|(name, resource)| (name.clone(), resource.ty.clone())).collect();
        Self { model, whole, part_of, types }
    }

    fn cut(mut self, count: usize) -> (Template, IndexMap<String, Template>) {
        let describe = |part| format!("Part {} of {count} of the stack {}.", part + 1, self.model.stack);
        let new = |description: &str| {
            let mut template = Template::new(description);
            template.heat_template_version = self.whole.heat_template_version.clone();
            template
        };
        let mut parts: Vec<Template> = (0..count).map(|part| new(&describe(part))).collect();
        let mut given: Vec<IndexMap<Name, Hot>> = vec![IndexMap::default(); count];
        let mut parent = new(&self.whole.description);
        parent.parameter_groups = std::mem::take(&mut self.whole.parameter_groups);
        parent.parameters = std::mem::take(&mut self.whole.parameters);
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
        // The way into an attribute may name what stays outside: the network of a server's address.
        for (number, (part, given)) in parts.iter_mut().zip(&mut given).enumerate() {
            let mut outputs = std::mem::take(&mut part.outputs);
            for output in outputs.values_mut() {
                self.move_in(&mut output.value, number, &parent.parameters, part, given);
            }
            part.outputs = outputs;
        }
        let mut nested = IndexMap::default();
        for (number, (part, properties)) in parts.into_iter().zip(given).enumerate() {
            let file = format!("part-{}.yaml", number + 1);
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
            Some(Hot::GetAttr { resource: part_name(part), attribute: output, path: Vec::new() })
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

fn part_name(number: usize) -> Name {
    format!("{}part_{}", super::RESERVED, number + 1).into()
}
