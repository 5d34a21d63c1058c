//! Identities: the names under which things were first deployed.
//!
//! Heat and agents identify things by their names. So the lowered output uses the names under which things were first
//! deployed, whatever their names in the model are now.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::model::{ElementKind, Expr, FormerName, IndexMap, Model, Name, Reference, Step, Value};

/// The names under which everything was first deployed.
#[derive(Debug)]
pub(crate) struct Identities {
    modules: HashMap<Name, String>,
    /// The resources that have another name now, with their first names.
    resources: HashMap<Name, Name>,
    components: HashMap<Name, Name>,
}

impl Identities {
    pub(crate) fn of(model: &Model) -> Self {
        Self::with(model, &model.moved)
    }

    /// Returns the first names of everything in `model`, if only `moves` were made.
    pub(crate) fn with(model: &Model, moves: &[FormerName]) -> Self {
        let from = |kind: ElementKind| -> HashMap<&Name, &Name> {
            moves.iter().filter(|moved| moved.kind == kind).map(|moved| (&moved.name, &moved.from)).collect()
        };
        let mut identities = Self { modules: HashMap::new(), resources: HashMap::new(), components: HashMap::new() };
        let modules = from(ElementKind::Module);
        // A module comes before the modules within it.
        for name in model.modules.keys() {
            let identity = identities.qualified(name, modules.get(name).map(|from| &***from));
            identities.modules.insert(name.clone(), identity);
        }
        let resources = from(ElementKind::Resource);
        for name in model.resources.keys() {
            let identity = identities.qualified(name, resources.get(name).map(|from| &***from));
            if identity != **name {
                identities.resources.insert(name.clone(), identity.into());
            }
        }
        let components = from(ElementKind::Component);
        for (key, component) in &model.components {
            let name = components.get(key).map_or(&*component.name, |from| from.rsplit('/').next().unwrap_or(from));
            let identity = Model::component_key(identities.resource(&component.server), name);
            if identity != **key {
                identities.components.insert(key.clone(), identity.into());
            }
        }
        identities
    }

    /// The identity of the thing that is named `name` now and was named `from`. Without a move of its own, it follows its
    /// module.
    fn qualified(&self, name: &str, from: Option<&str>) -> String {
        let module = self.module(name);
        let (scope, own) = match module {
            Some((module, identity)) => (format!("{identity}."), &name[module + 1..]),
            None => (String::new(), name),
        };
        match from.map(|from| (from, from.strip_prefix('.'))) {
            Some((_, Some(own))) => format!("{scope}{own}"),
            Some((from, None)) => from.to_owned(),
            None => format!("{scope}{own}"),
        }
    }

    /// For a name inside a module: the end of the module's name within `name`, and the module's first name.
    fn module(&self, name: &str) -> Option<(usize, &str)> {
        let ends = name.rmatch_indices('.').map(|(at, _)| at);
        ends.into_iter().find_map(|at| Some((at, self.modules.get(&name[..at])?.as_str())))
    }

    /// The first name of the resource.
    pub(crate) fn resource<'n>(&'n self, name: &'n Name) -> &'n Name {
        self.resources.get(name).unwrap_or(name)
    }

    /// The first name of the component: `SERVER/COMPONENT`.
    pub(crate) fn component<'n>(&'n self, key: &'n Name) -> &'n Name {
        self.components.get(key).unwrap_or(key)
    }

    /// The first name of the module.
    pub(crate) fn of_module<'n>(&'n self, name: &'n str) -> &'n str {
        self.modules.get(name).map_or(name, String::as_str)
    }

    /// The first name of any other part of a module, such as a forward reference.
    fn other(&self, name: &Name) -> Name {
        self.qualified(name, None).into()
    }

    fn expr(&self, expr: &Expr) -> Expr {
        expr.replace(&mut |part| match part {
            Expr::Leaf(reference) => Some(Expr::Leaf(self.reference(reference))),
            Expr::Function { name, argument } if matches!(&**name, "get_attr" | "get_resource") => {
                let mut argument = Box::new(self.expr(argument));
                self.named(&mut argument);
                Some(Expr::Function { name: name.clone(), argument })
            }
            _ => None,
        })
    }

    fn reference(&self, reference: &Reference) -> Reference {
        match reference {
            Reference::Resource(name) => Reference::Resource(self.resource(name).clone()),
            Reference::Attribute { resource, attribute, path } => Reference::Attribute {
                resource: self.resource(resource).clone(),
                attribute: attribute.clone(),
                path: path.iter().map(|step| self.step(step)).collect(),
            },
            Reference::Output { component, output } => {
                Reference::Output { component: self.component(component).clone(), output: output.clone() }
            }
            Reference::ForwardReference(name) => Reference::ForwardReference(self.other(name)),
            Reference::Parameter(_) | Reference::Import { .. } | Reference::Foreign { .. } => reference.clone(),
        }
    }

    fn step(&self, step: &Step) -> Step {
        match step {
            Step::Resource(name) => Step::Resource(self.resource(name).clone()),
            other => other.clone(),
        }
    }

    /// Renames the resource that a function's argument refers to: the argument itself, or its first item.
    fn named(&self, argument: &mut Expr) {
        let value = |value: &mut Value| {
            if let Value::Str(name) = value {
                *name = self.resource(name).clone();
            }
        };
        match argument {
            Expr::Constant(Value::List(items)) => items.first_mut().into_iter().for_each(value),
            Expr::Constant(one) => value(one),
            Expr::List(items) => {
                if let Some(Expr::Constant(one)) = items.first_mut() {
                    value(one);
                }
            }
            _ => {}
        }
    }
}

/// The model with everything under the name with which it was first deployed.
pub fn identified(model: &Model) -> Cow<'_, Model> {
    if model.moved.is_empty() {
        return Cow::Borrowed(model);
    }
    let identities = Identities::of(model);
    let mut model = model.clone();
    model.moved.clear();
    let modules = std::mem::take(&mut model.modules);
    model.modules = modules.into_iter().map(|(name, module)| (identities.of_module(&name).into(), module)).collect();
    for resource in renamed(&mut model.resources, |name| identities.resource(name).clone()) {
        resource.properties.values_mut().for_each(|binding| binding.value = identities.expr(&binding.value));
        resource.depends_on.iter_mut().for_each(|name| *name = identities.resource(name).clone());
        let settings = [
            &mut resource.metadata,
            &mut resource.condition,
            &mut resource.deletion_policy,
            &mut resource.update_policy,
            &mut resource.external_id,
        ];
        settings.into_iter().flatten().for_each(|expr| **expr = identities.expr(expr));
    }
    for component in renamed(&mut model.components, |key| identities.component(key).clone()) {
        component.server = identities.resource(&component.server).clone();
        component.inputs.values_mut().for_each(|binding| binding.value = identities.expr(&binding.value));
    }
    for (key, component) in &mut model.components {
        component.name = key.rsplit('/').next().unwrap_or(key).into();
    }
    for after in &mut model.after {
        after.component = identities.component(&after.component).clone();
        after.predecessor = identities.component(&after.predecessor).clone();
    }
    for member in model.placement.iter_mut().flat_map(|policy| &mut policy.members) {
        *member = identities.resource(member).clone();
    }
    for forward in renamed(&mut model.forward_references, |name| identities.other(name)) {
        forward.fulfilled.iter_mut().for_each(|binding| binding.value = identities.expr(&binding.value));
    }
    for requirement in renamed(&mut model.requirements, |name| identities.other(name)) {
        requirement.predicate = requirement.predicate.map(|expr| identities.expr(expr));
    }
    model.exports.values_mut().for_each(|export| export.value = identities.expr(&export.value));
    model.outputs.values_mut().for_each(|output| output.value = identities.expr(&output.value));
    Cow::Owned(model)
}

/// Renames everything in `map`, and returns its values.
fn renamed<V>(map: &mut IndexMap<Name, V>, name: impl Fn(&Name) -> Name) -> impl Iterator<Item = &mut V> {
    let before = std::mem::take(map);
    *map = before.into_iter().map(|(key, value)| (name(&key), value)).collect();
    map.values_mut()
}
