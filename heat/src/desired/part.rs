//! The stacks of a deployment that is only partly known.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use wattle_model::{IndexMap, ParameterType, Source};

use crate::Loaded;
use crate::evaluate::{Limits, Mode, Resources, Scope, Value};
use crate::resource::{self, Maker};
use crate::stack::{self, World};
use crate::template;
use crate::yaml::Node;

use super::group::Members;
use super::{BUDGET, Desired, Facts, Output, Resource};

/// Keys of a definition, other than the properties, that hold values.
const REST: [&str; 4] = ["metadata", "deletion_policy", "update_policy", "external_id"];

/// The type that only holds a value.
const VALUE: &str = "OS::Heat::Value";

/// The output of a nested stack to which a reference to it resolves.
const STACK_ID: &str = "OS::stack_id";

/// Texts of at least this many characters stay where they are written, so that a text shared by many resources is not copied
/// into each.
const LONG: usize = 512;

/// The type of a stack whose template is given as text.
const TEXT: &str = "OS::Heat::Stack";

/// The purpose of reading a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// For comparison: references treat groups as resources, and hidden values are only compared for equality.
    Compared,
    /// For creation: groups are expanded into their members, and nothing is hidden.
    Unfolded,
}

/// The value of an attribute, and the length of the consumed path. `None` if the template does not determine it.
type Found = Option<(Value, usize)>;

/// Data that all stacks of a deployment share.
struct All<'f> {
    world: World,
    limits: Rc<Limits>,
    facts: &'f Facts,
    reading: Reading,
}

/// One stack of a deployment.
pub(super) struct Part<'a> {
    all: &'a All<'a>,
    /// Its template. For the stack of a group, the template that contains the group.
    loaded: Loaded,
    depth: usize,
    /// The prefix of the names of its resources.
    prefix: String,
    /// The fields of the resource that it is nested as.
    facade: HashMap<&'static str, Value>,
    /// The members that it contains instead of the template's resources, if it is the stack of a group.
    pub(super) members: Option<Members>,
    /// Whether its attributes are resolved.
    is_clear: bool,
    /// The resolved attributes, each with the length of the consumed path. `None` while one is being resolved.
    attributes: RefCell<HashMap<(String, String), Found>>,
    nested: RefCell<HashMap<String, Option<Rc<Part<'a>>>>>,
}

/// The desired state of a template.
pub(super) fn desired(loaded: &Loaded, facts: &Facts, reading: Reading) -> Desired {
    let all = All::of(facts, reading);
    let root = Part::root(&all, loaded);
    let mut desired = Desired::default();
    root.collect(&mut desired.resources);
    desired.outputs = root.outputs();
    desired
}

/// The outputs of a template whose resources are entirely unknown.
pub(super) fn outputs(loaded: &Loaded) -> IndexMap<String, Output> {
    let facts = Facts::default();
    Part::root(&All::of(&facts, Reading::Compared), loaded).outputs()
}

impl<'f> All<'f> {
    fn of(facts: &'f Facts, reading: Reading) -> Self {
        Self { world: World::default(), limits: Limits::new(BUDGET), facts, reading }
    }
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

impl<'a> Part<'a> {
    fn root(all: &'a All<'a>, loaded: &Loaded) -> Self {
        Self {
            all,
            loaded: loaded.clone(),
            depth: 0,
            prefix: String::new(),
            facade: HashMap::new(),
            members: None,
            is_clear: true,
            attributes: RefCell::default(),
            nested: RefCell::default(),
        }
    }

    fn scope(&self) -> Scope<'_> {
        Scope::new(&self.loaded, Mode::Partial(self)).within(&self.all.limits)
    }

    fn unfolds(&self) -> bool {
        self.all.reading == Reading::Unfolded
    }

    /// Collects all resources that exist or may exist. Resources of a nested stack come after the resource that it is
    /// nested as.
    fn collect(&self, found: &mut IndexMap<String, Resource>) {
        match &self.members {
            None => self.collect_written(found),
            Some(members) => self.collect_members(members, found),
        }
    }

    fn collect_written(&self, found: &mut IndexMap<String, Resource>) {
        let scope = self.scope();
        for (name, definition) in &self.loaded.template.resources {
            let Some(ty) = definition.kind() else { continue };
            let mut rest = IndexMap::default();
            let condition = definition.condition.as_ref().filter(|_| scope.version().has_conditions());
            match condition.map(|condition| scope.decided(condition).unwrap_or_else(|_| Value::literal(condition))) {
                Some(Value::Boolean(false)) => continue,
                Some(Value::Boolean(true)) | None => {}
                Some(open) => drop(rest.insert("condition", open)),
            }
            let resource = self.resource(&scope, name, ty, definition);
            let at = self.loaded.template.at(definition.name_span);
            let part = self.part(&scope, name, said(definition), &at, &resource);
            for (key, node) in REST.into_iter().zip(said(definition)) {
                rest.extend(node.and_then(|node| scope.value(node).ok()).map(|value| (key, value)));
            }
            // A resource that refers to an existing one is never deleted.
            if rest.contains_key("external_id") {
                rest.shift_remove("deletion_policy");
            }
            if let Some(Value::Text(policy)) = rest.get_mut("deletion_policy") {
                *policy = policy.to_lowercase();
            }
            let depends_on = definition.depends_on().map(|(name, _)| name.to_owned()).collect();
            let version = scope.version();
            let resource = Resource { inner: resource, rest, depends_on, is_stack: part.is_some(), at, version };
            found.insert(self.full_name(name), resource);
            if let Some(part) = part {
                part.collect(found);
            }
        }
    }

    fn collect_members(&self, members: &Members, found: &mut IndexMap<String, Resource>) {
        let scope = self.scope();
        for (name, member) in &members.all {
            let inner = stack::member(&self.all.world, &self.loaded, &members.registry, member);
            let part = self.part(&scope, name, [None; 4], &members.at, &inner);
            let (at, version) = (members.at.clone(), scope.version());
            let depends_on = member.after.iter().cloned().collect();
            let rest = IndexMap::default();
            let resource = Resource { inner, rest, depends_on, is_stack: part.is_some(), at, version };
            found.insert(self.full_name(name), resource);
            if let Some(part) = part {
                part.collect(found);
            }
        }
    }

    /// The outputs that exist or may exist.
    fn outputs(&self) -> IndexMap<String, Output> {
        let scope = self.scope();
        let is_there = |output: &&template::Output| !matches!(scope.holds(output.condition.as_ref()), Ok(Some(false)));
        let outputs = self.loaded.template.outputs.iter().filter(|(_, output)| is_there(output));
        let output = |output: &template::Output| {
            let description = output.description.as_ref().and_then(|node| node.tree.as_text()).map(ToOwned::to_owned);
            let value = output.value.as_ref().and_then(|node| scope.value(node).ok()).unwrap_or(Value::Null);
            Output { description, value, version: scope.version() }
        };
        outputs.map(|(name, written)| (name.clone(), output(written))).collect()
    }

    fn resource(&self, scope: &Scope<'_>, name: &str, ty: &str, definition: &template::Resource) -> resource::Resource {
        let maker = stack::maker(&self.all.world, &self.loaded, &self.loaded.registry, name, ty);
        let given = resource::given(scope, definition.properties.as_ref());
        resource::Resource { ty: ty.to_owned(), maker, given, external: false, references: Vec::new() }
    }

    /// The stack that a resource is nested as, if it is one.
    fn part(
        &self,
        scope: &Scope<'_>,
        name: &str,
        said: [Option<&Node>; 4],
        at: &Source,
        resource: &resource::Resource,
    ) -> Option<Rc<Self>> {
        if let Some(known) = self.nested.borrow().get(name) {
            return known.clone();
        }
        let all = self.all;
        let is_too_much = self.depth >= crate::limits::NESTED || all.world.is_exhausted() || !all.limits.can_afford(0);
        let registry = self.members.as_ref().map_or(&*self.loaded.registry, |members| &members.registry);
        let is_template = matches!(resource.maker, Maker::Template(_));
        let content = if is_too_much {
            None
        } else if is_template {
            stack::provided(&self.loaded, registry, name, resource).map(|loaded| (loaded, None))
        } else if resource.made_by() == TEXT {
            (!self.unfolds()).then(|| self.of_text(resource)).flatten().map(|loaded| (loaded, None))
        } else {
            let members = Members::of(resource, all.reading, registry.within(name), at.clone());
            members.map(|members| (self.loaded.clone(), Some(members)))
        };
        let part = content.map(|(loaded, members)| {
            all.world.count(members.as_ref().map_or(loaded.template.resources.len(), |members| members.all.len()));
            let said = REST.into_iter().zip(said);
            Rc::new(Self {
                all,
                loaded,
                depth: self.depth + 1,
                prefix: format!("{}/", self.full_name(name)),
                facade: said.filter_map(|(key, node)| Some((key, scope.value(node?).ok()?))).collect(),
                members,
                is_clear: is_template || self.unfolds(),
                attributes: RefCell::default(),
                nested: RefCell::default(),
            })
        });
        self.nested.borrow_mut().insert(name.to_owned(), part.clone());
        part
    }

    /// The template of a stack whose template is given as text, as far as it is known.
    fn of_text(&self, resource: &resource::Resource) -> Option<Loaded> {
        let text = resource.property("template");
        let parameters = match resource.property("parameters") {
            Value::Map(parameters) => parameters,
            _ => IndexMap::default(),
        };
        self.loaded.of_text(text.as_text()?, parameters)
    }

    /// The stack that is nested as the resource with this name, if it is one.
    fn part_named(&self, scope: &Scope<'_>, name: &str) -> Option<Rc<Self>> {
        if let Some(known) = self.nested.borrow().get(name) {
            return known.clone();
        }
        let world = &self.all.world;
        if let Some(members) = &self.members {
            let resource = stack::member(world, &self.loaded, &members.registry, members.all.get(name)?);
            return self.part(scope, name, [None; 4], &members.at, &resource);
        }
        let definition = self.loaded.template.resources.get(name)?;
        let ty = definition.kind()?;
        let is_stack = match stack::maker(world, &self.loaded, &self.loaded.registry, name, ty) {
            Maker::Template(_) => true,
            Maker::Type(ty) => self.unfolds() && ty.class.group.is_some(),
            Maker::None => false,
        };
        let at = self.loaded.template.at(definition.name_span);
        let resource = is_stack.then(|| self.resource(scope, name, ty, definition))?;
        self.part(scope, name, said(definition), &at, &resource)
    }

    /// An attribute that the template itself determines, and the length of the consumed path.
    fn given(&self, scope: &Scope<'_>, name: &str, way: &[Value]) -> Found {
        let attribute = way.first()?.as_text()?;
        if attribute == "value"
            && let Some(value) = self.value(scope, name)
        {
            let stays = self.unfolds() && way.len() == 1 && value.as_text().is_some_and(|text| text.len() >= LONG);
            return (!stays).then_some((value, 1));
        }
        let part = self.part_named(scope, name).filter(|part| part.is_clear)?;
        if let Some(members) = &part.members {
            return members.attribute(&part, way);
        }
        if let Some(member) = attribute.strip_prefix("resource.").filter(|_| self.unfolds()) {
            let (member, own) = member.split_once('.').map_or((member, None), |(member, own)| (member, Some(own)));
            let rest: Vec<Value> = own.map(Value::from).into_iter().chain(way[1..].iter().cloned()).collect();
            return part
                .loaded
                .template
                .resources
                .contains_key(member)
                .then(|| (part.of_member(member, &rest), way.len()));
        }
        let output = part.loaded.template.outputs.get(attribute)?;
        let scope = part.scope();
        let value = match scope.holds(output.condition.as_ref()) {
            Ok(Some(false)) => Value::Null,
            _ => scope.value(output.value.as_ref()?).ok()?,
        };
        Some((value, 1))
    }

    /// The value that the resource with this name holds, if it is an `OS::Heat::Value`.
    fn value(&self, scope: &Scope<'_>, name: &str) -> Option<Value> {
        if let Some(members) = &self.members {
            let member = members.all.get(name).filter(|member| member.ty == VALUE)?;
            return Some(member.properties.get("value").cloned().unwrap_or(Value::Null));
        }
        let definition =
            self.loaded.template.resources.get(name).filter(|definition| definition.kind() == Some(VALUE))?;
        let properties = definition.properties.as_ref()?;
        let value = scope.value(properties.get("value")?).ok()?;
        let ty = properties.get("type").and_then(|node| scope.value(node).ok());
        match ty.as_ref().and_then(Value::as_text).and_then(ParameterType::named) {
            Some(ty) if matches!(value, Value::Open(_)) => Some(Value::read(ty, value)),
            Some(_) if value.is_known() => {
                Some(stack::typed(self.resource(scope, name, VALUE, definition)).property("value"))
            }
            _ => Some(value),
        }
    }

    /// The value of a reference to a resource of this stack, or of one of its attributes with the path into it.
    pub(super) fn of_member(&self, name: &str, way: &[Value]) -> Value {
        let scope = self.scope();
        if way.is_empty() {
            return scope.reference_to(name, self);
        }
        let all = std::iter::once(Value::Text(name.to_owned())).chain(way.iter().cloned()).collect();
        scope.attribute_of(&Value::List(all), self)
    }
}

/// The content of a definition under each key in [`REST`].
fn said(definition: &template::Resource) -> [Option<&Node>; 4] {
    let template::Resource { metadata, deletion_policy, update_policy, external_id, .. } = definition;
    [metadata, deletion_policy, update_policy, external_id].map(Option::as_ref)
}

impl Resources for Part<'_> {
    fn full_name(&self, resource: &str) -> String {
        format!("{}{resource}", self.prefix)
    }

    fn reference(&self, resource: &str) -> Option<Value> {
        let known = self.all.facts.references.get(&self.full_name(resource));
        known.cloned().or_else(|| {
            let scope = self.scope();
            let (value, _) = self.unfolds().then(|| self.attribute(&scope, resource, &[STACK_ID.into()]))??;
            Some(value)
        })
    }

    fn attribute(&self, scope: &Scope<'_>, resource: &str, way: &[Value]) -> Found {
        let attribute = way.first()?.as_text()?;
        let fact = (self.full_name(resource), attribute.to_owned());
        if let Some(known) = self.all.facts.attributes.get(&fact) {
            return Some((known.clone(), 1));
        }
        // The rest of the path matters only to a group, and to a long text.
        let key = if self.unfolds() { format!("{way:?}") } else { attribute.to_owned() };
        let key = (resource.to_owned(), key);
        if let Some(known) = self.attributes.borrow().get(&key) {
            return known.clone();
        }
        self.attributes.borrow_mut().insert(key.clone(), None);
        let value = self.given(scope, resource, way).map(|(value, taken)| match value {
            Value::Absent => (Value::Null, taken),
            value => (value, taken),
        });
        let mut attributes = self.attributes.borrow_mut();
        if value.as_ref().is_some_and(|(value, _)| value.is_cut()) {
            // It may be nested less deeply elsewhere.
            attributes.remove(&key);
        } else {
            attributes.insert(key, value.clone());
        }
        value
    }

    fn facade(&self, part: &str) -> Option<Value> {
        let (key, default) = match part {
            "metadata" | "Metadata" => ("metadata", Value::Map(IndexMap::default())),
            "deletion_policy" | "DeletionPolicy" => ("deletion_policy", "Delete".into()),
            "update_policy" | "UpdatePolicy" => ("update_policy", Value::Map(IndexMap::default())),
            _ => return None,
        };
        (self.depth > 0).then(|| self.facade.get(key).cloned().unwrap_or(default))
    }

    fn hides(&self) -> bool {
        !self.unfolds()
    }
}
